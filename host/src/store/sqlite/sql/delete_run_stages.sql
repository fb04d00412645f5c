-- A slice of a deleted dataset.
DELETE FROM gb_run_stages WHERE dataset_id = :dataset_id AND (run_id, number) IN (
  SELECT run_id, number FROM gb_run_stages WHERE dataset_id = :dataset_id LIMIT :limit
)
