-- Events of the log, each with the bounds before it. A line that ends in "-- for …" is kept in queries of that shape only.
SELECT
  e.edge_id, e.number, e.kind, e.at, e.seq, e.run_id, e.artifact_id, e.cause_edge_id,
  e.valid_at, e.valid_at_precision, e.start_source, e.stated_end, e.stated_end_precision,
  e.contradicted_at, e.contradicted_at_precision, e.invalid_at, e.invalid_at_precision,
  e.expired_at, e.retracted_at, e.contested,
  b.valid_at, b.valid_at_precision, b.start_source, b.stated_end, b.stated_end_precision,
  b.contradicted_at, b.contradicted_at_precision, b.invalid_at, b.invalid_at_precision,
  b.expired_at, b.retracted_at, b.contested
FROM gb_edge_events AS e
  INDEXED BY gb_edge_events_by_edge   -- for edge
  INDEXED BY gb_edge_events_by_cause  -- for cause
LEFT JOIN gb_edge_events AS b ON b.dataset_id = e.dataset_id AND b.seq = e.before_seq AND b.number = e.before_number
WHERE e.dataset_id = :dataset_id
  AND e.edge_id = :edge_id            -- for edge
  AND e.cause_edge_id = :cause        -- for cause
  AND e.seq = :seq                    -- for seq
  AND (e.seq, e.number) > (:after_seq, :after_number)  -- for after
  AND e.number > :after_number        -- for after_number
ORDER BY e.seq, e.number
LIMIT :limit
