-- A slice of a deleted dataset.
DELETE FROM gb_entity_events WHERE dataset_id = :dataset_id AND (seq, number) IN (
  SELECT seq, number FROM gb_entity_events WHERE dataset_id = :dataset_id LIMIT :limit
)
