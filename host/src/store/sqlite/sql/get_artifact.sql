SELECT artifact_id, parent_id, series_id, kind, bytes, title, session_id, wing, valid_at, created_at
FROM gb_artifacts
WHERE dataset_id = :dataset_id AND artifact_id = :artifact_id
