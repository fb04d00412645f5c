-- A slice of a deleted dataset.
DELETE FROM gb_edge_artifacts WHERE dataset_id = :dataset_id AND (edge_id, artifact_id) IN (
  SELECT edge_id, artifact_id FROM gb_edge_artifacts WHERE dataset_id = :dataset_id LIMIT :limit
)
