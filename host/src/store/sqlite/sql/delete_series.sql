-- A slice of a deleted dataset.
DELETE FROM gb_series WHERE dataset_id = :dataset_id AND (series_id) IN (
  SELECT series_id FROM gb_series WHERE dataset_id = :dataset_id LIMIT :limit
)
