UPDATE gb_edges SET
  changed_at = :at, last_seq = :seq, last_number = :number,
  valid_at = :valid_at, valid_at_precision = :valid_at_precision, start_source = :start_source,
  stated_end = :stated_end, stated_end_precision = :stated_end_precision,
  contradicted_at = :contradicted_at, contradicted_at_precision = :contradicted_at_precision,
  invalid_at = :invalid_at, invalid_at_precision = :invalid_at_precision,
  expired_at = :expired_at, retracted_at = :retracted_at, contested = :contested
WHERE dataset_id = :dataset_id AND edge_id = :edge_id
