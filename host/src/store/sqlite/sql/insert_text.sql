INSERT INTO gb_artifact_texts (dataset_id, artifact_id, text) VALUES (:dataset_id, :artifact_id, :text)
