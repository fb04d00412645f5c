SELECT entity_id, artifact_id, description, seq FROM gb_entity_artifacts INDEXED BY gb_entity_artifacts_by_seq
WHERE dataset_id = :dataset_id AND seq > :after
ORDER BY seq, entity_id, artifact_id
