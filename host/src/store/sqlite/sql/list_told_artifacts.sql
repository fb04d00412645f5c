SELECT
  a.artifact_id, a.parent_id, a.series_id, a.kind, a.bytes, a.title, a.session_id, a.wing, a.valid_at, a.created_at,
  t.text, a.seq
FROM gb_artifacts AS a
JOIN gb_artifact_texts AS t ON t.dataset_id = a.dataset_id AND t.artifact_id = a.artifact_id
WHERE a.dataset_id = :dataset_id AND a.artifact_id >= :from
ORDER BY a.artifact_id
