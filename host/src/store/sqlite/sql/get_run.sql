SELECT run_id, kind, status, params, session_id, started_at, ended_at, seq, error
FROM gb_runs
WHERE dataset_id = :dataset_id AND run_id = :run_id
