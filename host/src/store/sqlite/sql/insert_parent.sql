INSERT INTO gb_artifact_parents (dataset_id, parent_id, artifact_id, seq)
VALUES (:dataset_id, :parent_id, :artifact_id, :seq)
ON CONFLICT DO NOTHING
