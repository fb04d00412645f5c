-- A slice of a deleted dataset.
DELETE FROM gb_anchors WHERE dataset_id = :dataset_id AND (series_id, kind, target_id) IN (
  SELECT series_id, kind, target_id FROM gb_anchors WHERE dataset_id = :dataset_id LIMIT :limit
)
