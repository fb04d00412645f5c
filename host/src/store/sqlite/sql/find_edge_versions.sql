-- Edges that have changed since, with the bounds that they had then. A line that ends in "-- for …" is kept in queries
-- of that shape only.
SELECT
  e.edge_id, e.source_id, e.relation, e.target_key, e.target_text, e.description, e.created_at, e.artifact_id, e.model,
  e.confidence, e.wing, e.raw_text,
  v.valid_at, v.valid_at_precision, v.start_source, v.stated_end, v.stated_end_precision,
  v.contradicted_at, v.contradicted_at_precision, v.invalid_at, v.invalid_at_precision,
  v.expired_at, v.retracted_at, v.contested
FROM gb_edge_events AS v
  INDEXED BY gb_edge_events_source_valid    -- for source_valid
  INDEXED BY gb_edge_events_target_valid    -- for target_valid
  INDEXED BY gb_edge_events_relation_valid  -- for relation_valid
  INDEXED BY gb_edge_events_valid           -- for valid
CROSS JOIN gb_edges AS e ON e.dataset_id = v.dataset_id AND e.edge_id = v.edge_id
WHERE v.dataset_id = :dataset_id
  AND v.next_at > v.at
  AND v.at <= :known_at
  AND v.next_at > :known_at
  AND v.source_id = :source              -- for source
  AND v.source_id <> :other_source       -- for other_source
  AND v.target_key = :target             -- for target
  AND v.target_key = :target_too         -- for target_too
  AND v.relation = :relation             -- for relation
  AND v.valid_at <= :until               -- for until
  AND v.valid_until > :from              -- for from
  AND v.valid_until > v.valid_at         -- for not_empty
  AND v.expired_at IS NULL AND v.retracted_at IS NULL  -- for live
  AND v.retracted_at IS NULL             -- for believed
  AND v.start_source <> 'unknown'        -- for known_start
  AND (e.wing IS NULL OR e.wing = :wing) -- for wing
  AND (v.valid_at, v.edge_id) > (:after_at, :after_id)  -- for after_valid
  AND (v.valid_at, v.edge_id) < (:after_at, :after_id)  -- for before_valid
  AND v.edge_id < :after_id              -- for before_told
ORDER BY v.valid_at, v.edge_id           -- for oldest_valid
ORDER BY v.valid_at DESC, v.edge_id DESC -- for latest_valid
ORDER BY v.edge_id DESC                  -- for newest_told
LIMIT :limit
