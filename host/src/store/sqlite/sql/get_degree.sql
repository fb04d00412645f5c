SELECT entity_id, edges FROM gb_entities WHERE dataset_id = :dataset_id AND entity_id = :entity_id
