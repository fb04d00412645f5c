SELECT
  name, description, tags, created_at, seq, version, last_at, next_artifact_id, next_entity_id, next_edge_id,
  next_series_id, artifacts, entities, edges, live_edges
FROM gb_datasets INDEXED BY gb_datasets_by_name
WHERE user_id = :user_id AND name > :after AND deleted_at IS NULL
ORDER BY name
LIMIT :limit
