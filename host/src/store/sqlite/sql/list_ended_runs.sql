SELECT seq, run_id, kind, params, session_id, started_at, ended_at, changed_at, error
FROM gb_runs INDEXED BY gb_runs_by_seq
WHERE dataset_id = :dataset_id AND seq > :after
ORDER BY seq
