INSERT INTO gb_edge_events (
  dataset_id, seq, number, edge_id, kind, at, before_seq, before_number, run_id, artifact_id, cause_edge_id,
  source_id, relation, target_key,
  valid_at, valid_at_precision, start_source, stated_end, stated_end_precision,
  contradicted_at, contradicted_at_precision, invalid_at, invalid_at_precision,
  expired_at, retracted_at, contested
) VALUES (
  :dataset_id, :seq, :number, :edge_id, :kind, :at, :before_seq, :before_number, :run_id, :artifact_id, :cause_edge_id,
  :source_id, :relation, :target_key,
  :valid_at, :valid_at_precision, :start_source, :stated_end, :stated_end_precision,
  :contradicted_at, :contradicted_at_precision, :invalid_at, :invalid_at_precision,
  :expired_at, :retracted_at, :contested
)
