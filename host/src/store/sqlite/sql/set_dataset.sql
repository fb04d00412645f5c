UPDATE gb_datasets SET
  description = :description, tags = :tags, seq = :seq, version = :version, last_at = :last_at,
  next_artifact_id = :next_artifact_id, next_entity_id = :next_entity_id, next_edge_id = :next_edge_id,
  next_series_id = :next_series_id, artifacts = :artifacts, entities = :entities, edges = :edges, live_edges = :live_edges
WHERE dataset_id = :dataset_id
