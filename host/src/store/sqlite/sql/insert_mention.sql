INSERT INTO gb_entity_artifacts (dataset_id, entity_id, artifact_id, description)
VALUES (:dataset_id, :entity_id, :artifact_id, :description)
ON CONFLICT DO NOTHING
