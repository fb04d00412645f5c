SELECT artifact_id, parent_id, series_id, kind, bytes, title, session_id, wing, valid_at, created_at
FROM gb_artifacts INDEXED BY gb_artifacts_by_session
WHERE dataset_id = :dataset_id AND parent_id IS :parent_id AND artifact_id < :before
  AND (wing IS NULL OR :wing IS NULL OR wing = :wing)
  AND session_id = :session_id
ORDER BY artifact_id DESC
LIMIT :limit
