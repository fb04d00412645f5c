INSERT INTO gb_artifacts
  (dataset_id, artifact_id, parent_id, kind, text, title, session_id, wing, valid_at, created_at)
VALUES (:dataset_id, :artifact_id, :parent_id, :kind, :text, :title, :session_id, :wing, :valid_at, :created_at)
