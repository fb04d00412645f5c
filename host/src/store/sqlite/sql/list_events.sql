SELECT
  edge_id, number, kind, at, seq, run_id, artifact_id, cause_edge_id,
  valid_at, valid_at_precision, start_source, stated_end, stated_end_precision,
  invalid_at, invalid_at_precision, expired_at, retracted_at, contested
FROM gb_edge_events
WHERE dataset_id = :dataset_id AND edge_id = :edge_id AND number >= :from
ORDER BY number
LIMIT :limit
