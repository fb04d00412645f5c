INSERT INTO gb_runs (dataset_id, run_id, kind, started_at, params, session_id)
VALUES (:dataset_id, :run_id, :kind, :started_at, :params, :session_id)
