SELECT seq, changed_at FROM gb_runs INDEXED BY gb_runs_changes
WHERE dataset_id = :dataset_id AND seq > :after AND changed_at IS NOT NULL
ORDER BY seq
