SELECT
  a.artifact_id, a.parent_id, a.series_id, a.kind, a.bytes, a.title, a.session_id, a.wing, a.valid_at, a.created_at
FROM gb_artifact_parents AS p
JOIN gb_artifacts AS a ON a.dataset_id = p.dataset_id AND a.artifact_id = p.artifact_id
WHERE p.dataset_id = :dataset_id AND p.parent_id = :parent_id AND p.artifact_id < :before
  AND (a.wing IS NULL OR :wing IS NULL OR a.wing = :wing)
  AND (:session_id IS NULL OR a.session_id = :session_id)
ORDER BY p.artifact_id DESC
LIMIT :limit
