UPDATE gb_entities SET type = :type, description = :description
WHERE dataset_id = :dataset_id AND entity_id = :entity_id
