SELECT entity_id, kind, artifact_id, type, description, seq FROM gb_entity_events
WHERE dataset_id = :dataset_id AND seq > :after AND kind <> 'created'
ORDER BY seq, number
