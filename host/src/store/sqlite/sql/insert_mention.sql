INSERT INTO gb_entity_artifacts (dataset_id, entity_id, artifact_id, seq, description)
VALUES (:dataset_id, :entity_id, :artifact_id, :seq, :description)
ON CONFLICT DO NOTHING
