-- A slice of a deleted dataset.
DELETE FROM gb_entity_artifacts WHERE dataset_id = :dataset_id AND (entity_id, artifact_id) IN (
  SELECT entity_id, artifact_id FROM gb_entity_artifacts WHERE dataset_id = :dataset_id LIMIT :limit
)
