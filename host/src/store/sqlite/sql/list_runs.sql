SELECT run_id, kind, status, params, session_id, started_at, ended_at, seq, error
FROM gb_runs
  INDEXED BY gb_runs_by_kind -- for by_kind
  INDEXED BY gb_runs_by_session -- for by_session
WHERE dataset_id = :dataset_id
  AND session_id = :session_id -- for by_session
  AND kind = :kind AND status = :status -- for narrowed
  AND run_id < :before
ORDER BY run_id DESC
LIMIT :limit
