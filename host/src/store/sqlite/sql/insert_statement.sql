INSERT INTO gb_edge_artifacts (dataset_id, edge_id, artifact_id, seq, description, raw_text)
VALUES (:dataset_id, :edge_id, :artifact_id, :seq, :description, :raw_text)
ON CONFLICT DO NOTHING
