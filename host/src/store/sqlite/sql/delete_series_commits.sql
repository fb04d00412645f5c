-- A slice of a deleted dataset.
DELETE FROM gb_series_commits WHERE dataset_id = :dataset_id AND (seq, series_id) IN (
  SELECT seq, series_id FROM gb_series_commits WHERE dataset_id = :dataset_id LIMIT :limit
)
