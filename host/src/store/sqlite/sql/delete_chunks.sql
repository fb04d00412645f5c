-- A slice of a deleted dataset.
DELETE FROM gb_chunks WHERE dataset_id = :dataset_id AND (series_id, first) IN (
  SELECT series_id, first FROM gb_chunks WHERE dataset_id = :dataset_id LIMIT :limit
)
