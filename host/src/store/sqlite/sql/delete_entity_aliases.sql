-- A slice of a deleted dataset.
DELETE FROM gb_entity_aliases WHERE dataset_id = :dataset_id AND (name, entity_id) IN (
  SELECT name, entity_id FROM gb_entity_aliases WHERE dataset_id = :dataset_id LIMIT :limit
)
