SELECT entity_id, name, type, description, model, created_at FROM gb_entities INDEXED BY gb_entities_by_type
WHERE dataset_id = :dataset_id AND type = :type AND entity_id > :after
ORDER BY entity_id
LIMIT :limit
