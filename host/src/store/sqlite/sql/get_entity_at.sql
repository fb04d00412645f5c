SELECT entity.entity_id, entity.name, event.type, event.description, entity.model, entity.created_at
FROM gb_entities AS entity
JOIN gb_entity_events AS event ON event.dataset_id = entity.dataset_id AND event.entity_id = entity.entity_id
WHERE entity.dataset_id = :dataset_id AND entity.entity_id = :entity_id AND event.seq <= :seq
ORDER BY event.seq DESC, event.number DESC
LIMIT 1
