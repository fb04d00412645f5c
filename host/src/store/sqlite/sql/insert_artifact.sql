INSERT INTO gb_artifacts
  (dataset_id, artifact_id, parent_id, series_id, kind, bytes, title, session_id, wing, valid_at, created_at, seq)
VALUES
  (:dataset_id, :artifact_id, :parent_id, :series_id, :kind, :bytes, :title, :session_id, :wing, :valid_at, :created_at,
   :seq)
