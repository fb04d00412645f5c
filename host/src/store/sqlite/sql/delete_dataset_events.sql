-- A slice of a deleted dataset.
DELETE FROM gb_dataset_events WHERE dataset_id = :dataset_id AND (seq) IN (
  SELECT seq FROM gb_dataset_events WHERE dataset_id = :dataset_id LIMIT :limit
)
