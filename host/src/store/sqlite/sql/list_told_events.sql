SELECT
  edge_id, artifact_id, kind, cause_edge_id,
  valid_at, valid_at_precision, start_source, stated_end, stated_end_precision,
  contradicted_at, contradicted_at_precision, invalid_at, invalid_at_precision,
  expired_at, retracted_at, contested, seq
FROM gb_edge_events
WHERE dataset_id = :dataset_id AND seq > :after AND kind <> 'created'
ORDER BY seq, number
