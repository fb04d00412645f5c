-- A slice of a deleted dataset.
DELETE FROM gb_artifact_texts WHERE dataset_id = :dataset_id AND (artifact_id) IN (
  SELECT artifact_id FROM gb_artifact_texts WHERE dataset_id = :dataset_id LIMIT :limit
)
