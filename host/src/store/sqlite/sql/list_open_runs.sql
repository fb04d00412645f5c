SELECT dataset_id, run_id FROM gb_runs INDEXED BY gb_runs_open WHERE seq IS NULL ORDER BY dataset_id, run_id
