SELECT entity_id, name, type, description, model, created_at FROM gb_entities
WHERE dataset_id = :dataset_id AND entity_id = :entity_id
