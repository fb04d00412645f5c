SELECT
  edge_id, number, kind, at, seq, run_id, artifact_id, cause_edge_id,
  valid_at, valid_at_precision, start_source, stated_end, stated_end_precision,
  contradicted_at, contradicted_at_precision, invalid_at, invalid_at_precision,
  expired_at, retracted_at, contested
FROM gb_edge_events INDEXED BY gb_edge_events_by_edge
WHERE dataset_id = :dataset_id AND edge_id = :edge_id
ORDER BY seq DESC, number DESC
