SELECT params, answer FROM gb_runs INDEXED BY gb_runs_by_session
WHERE dataset_id = :dataset_id AND session_id = :session_id AND kind = 'query' AND status = 'done'
  AND answer IS NOT NULL
ORDER BY run_id DESC
LIMIT :limit
