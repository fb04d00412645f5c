-- A slice of a deleted dataset.
DELETE FROM gb_artifact_parents WHERE dataset_id = :dataset_id AND (parent_id, artifact_id) IN (
  SELECT parent_id, artifact_id FROM gb_artifact_parents WHERE dataset_id = :dataset_id LIMIT :limit
)
