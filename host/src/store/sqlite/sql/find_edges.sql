-- Edges with the bounds that they have now. A line that ends in "-- for …" is kept in queries of that shape only.
SELECT
  edge_id, source_id, relation, target_key, target_text, description, created_at, artifact_id, model, confidence,
  wing, raw_text,
  valid_at, valid_at_precision, start_source, stated_end, stated_end_precision,
  contradicted_at, contradicted_at_precision, invalid_at, invalid_at_precision,
  expired_at, retracted_at, contested
FROM gb_edges
  INDEXED BY gb_edges_source_valid     -- for source_valid
  INDEXED BY gb_edges_source_told      -- for source_told
  INDEXED BY gb_edges_source_relation  -- for source_relation
  INDEXED BY gb_edges_source_target    -- for source_target
  INDEXED BY gb_edges_source_live      -- for source_live
  INDEXED BY gb_edges_target_valid     -- for target_valid
  INDEXED BY gb_edges_target_told      -- for target_told
  INDEXED BY gb_edges_target_live      -- for target_live
  INDEXED BY gb_edges_relation_valid   -- for relation_valid
  INDEXED BY gb_edges_valid            -- for valid
  INDEXED BY sqlite_autoindex_gb_edges_1  -- for told
WHERE dataset_id = :dataset_id
  AND source_id = :source              -- for source
  AND source_id <> :other_source       -- for other_source
  AND target_key = :target             -- for target
  AND target_key = :target_too         -- for target_too
  AND relation = :relation             -- for relation
  AND valid_at <= :until               -- for until
  AND valid_until > :from              -- for from
  AND valid_until > valid_at           -- for not_empty
  AND expired_at IS NULL AND retracted_at IS NULL  -- for live
  AND live = 1                         -- for live_told
  AND retracted_at IS NULL             -- for believed
  AND start_source <> 'unknown'        -- for known_start
  AND (wing IS NULL OR wing = :wing)   -- for wing
  AND edge_id < :next_edge_id          -- for known_at
  AND changed_at <= :known_at          -- for known_at
  AND (valid_at, edge_id) > (:after_at, :after_id)  -- for after_valid
  AND (valid_at, edge_id) < (:after_at, :after_id)  -- for before_valid
  AND edge_id < :after_id              -- for before_told
ORDER BY valid_at, edge_id             -- for oldest_valid
ORDER BY valid_at DESC, edge_id DESC   -- for latest_valid
ORDER BY edge_id DESC                  -- for newest_told
LIMIT :limit
