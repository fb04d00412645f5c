INSERT INTO gb_runs (dataset_id, run_id, kind, started_at) VALUES (:dataset_id, :run_id, :kind, :started_at)
