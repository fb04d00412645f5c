SELECT artifact_id, parent_id, series_id, kind, bytes, title, session_id, wing, valid_at, created_at
FROM gb_artifacts INDEXED BY gb_artifacts_by_series
WHERE dataset_id = :dataset_id AND series_id = :series_id AND artifact_id < :before
ORDER BY artifact_id DESC
LIMIT :limit
