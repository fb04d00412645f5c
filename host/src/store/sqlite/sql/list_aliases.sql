SELECT name FROM gb_entity_aliases INDEXED BY gb_entity_aliases_by_entity
WHERE dataset_id = :dataset_id AND entity_id = :entity_id AND own = 0
ORDER BY name
LIMIT :limit
