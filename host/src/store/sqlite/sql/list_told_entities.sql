-- With type and description of then.
SELECT e.entity_id, e.name, v.type, v.description, e.model, e.created_at, e.normalized_name, v.seq
FROM gb_entity_events AS v
JOIN gb_entities AS e ON e.dataset_id = v.dataset_id AND e.entity_id = v.entity_id
WHERE v.dataset_id = :dataset_id AND v.seq > :after AND v.kind = 'created'
ORDER BY v.seq, v.number
