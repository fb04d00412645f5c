UPDATE gb_entities SET edges = edges + 1 WHERE dataset_id = :dataset_id AND entity_id = :entity_id
