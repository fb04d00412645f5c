SELECT EXISTS (SELECT 1 FROM gb_entities WHERE dataset_id = :dataset_id AND entity_id = :entity_id)
