-- A slice of a deleted dataset.
DELETE FROM gb_runs WHERE dataset_id = :dataset_id AND (run_id) IN (
  SELECT run_id FROM gb_runs WHERE dataset_id = :dataset_id LIMIT :limit
)
