INSERT INTO gb_edges (
  dataset_id, edge_id, source_id, relation, target_key, target_text, description, created_at, changed_at,
  seq, last_seq, last_number, artifact_id, model, confidence, wing, raw_text,
  valid_at, valid_at_precision, start_source, stated_end, stated_end_precision,
  contradicted_at, contradicted_at_precision, invalid_at, invalid_at_precision,
  expired_at, retracted_at, contested
) VALUES (
  :dataset_id, :edge_id, :source_id, :relation, :target_key, :target_text, :description, :at, :at,
  :seq, :seq, :number, :artifact_id, :model, :confidence, :wing, :raw_text,
  :valid_at, :valid_at_precision, :start_source, :stated_end, :stated_end_precision,
  :contradicted_at, :contradicted_at_precision, :invalid_at, :invalid_at_precision,
  :expired_at, :retracted_at, :contested
)
