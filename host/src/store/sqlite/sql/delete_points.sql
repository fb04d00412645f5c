-- A slice of a deleted dataset.
DELETE FROM gb_points WHERE dataset_id = :dataset_id AND (series_id, at) IN (
  SELECT series_id, at FROM gb_points WHERE dataset_id = :dataset_id LIMIT :limit
)
