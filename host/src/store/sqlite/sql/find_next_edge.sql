SELECT next_edge_id FROM gb_runs INDEXED BY gb_runs_times
WHERE dataset_id = :dataset_id AND changed_at <= :known_at AND changed_at IS NOT NULL
ORDER BY changed_at DESC
LIMIT 1
