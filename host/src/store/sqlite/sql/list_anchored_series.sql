SELECT
  s.series_id, s.provider, s.key, s.field, s.name, s.unit, s.frequency, s.source, s.definition, s.created_at, s.points,
  s.state
FROM gb_anchors AS a INDEXED BY gb_anchors_by_target
JOIN gb_series AS s ON s.dataset_id = a.dataset_id AND s.series_id = a.series_id
WHERE a.dataset_id = :dataset_id AND a.kind = :kind AND a.target_id = :target_id AND a.series_id > :after
ORDER BY a.series_id
LIMIT :limit
