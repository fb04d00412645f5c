-- A slice of a deleted dataset.
DELETE FROM gb_entities WHERE dataset_id = :dataset_id AND (entity_id) IN (
  SELECT entity_id FROM gb_entities WHERE dataset_id = :dataset_id LIMIT :limit
)
