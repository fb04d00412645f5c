UPDATE gb_datasets SET next_run_id = next_run_id + 1 WHERE dataset_id = :dataset_id AND deleted_at IS NULL
RETURNING next_run_id - 1
