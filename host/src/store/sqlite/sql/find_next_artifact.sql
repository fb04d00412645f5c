SELECT next_artifact_id FROM gb_runs INDEXED BY gb_runs_changes
WHERE dataset_id = :dataset_id AND seq <= :seq AND changed_at IS NOT NULL
ORDER BY seq DESC
LIMIT 1
