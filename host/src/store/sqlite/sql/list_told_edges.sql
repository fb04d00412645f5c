-- With the bounds of then.
SELECT
  e.edge_id, e.source_id, e.relation, e.target_key, e.target_text, e.description, e.created_at, e.artifact_id,
  e.model, e.confidence, e.wing, e.raw_text,
  v.valid_at, v.valid_at_precision, v.start_source, v.stated_end, v.stated_end_precision,
  v.contradicted_at, v.contradicted_at_precision, v.invalid_at, v.invalid_at_precision,
  v.expired_at, v.retracted_at, v.contested, v.seq
FROM gb_edge_events AS v
JOIN gb_edges AS e ON e.dataset_id = v.dataset_id AND e.edge_id = v.edge_id
WHERE v.dataset_id = :dataset_id AND v.seq > :after AND v.kind = 'created'
ORDER BY v.seq, v.number
