SELECT
  last_seq, last_number, source_id, relation, target_key,
  valid_at, valid_at_precision, start_source, stated_end, stated_end_precision,
  contradicted_at, contradicted_at_precision, invalid_at, invalid_at_precision,
  expired_at, retracted_at, contested
FROM gb_edges
WHERE dataset_id = :dataset_id AND edge_id = :edge_id
