UPDATE gb_runs SET
  ended_at = :ended_at, seq = :seq, changed_at = :changed_at, next_edge_id = :next_edge_id,
  next_artifact_id = :next_artifact_id, error = :error, answer = :answer
WHERE dataset_id = :dataset_id AND run_id = :run_id AND seq IS NULL
