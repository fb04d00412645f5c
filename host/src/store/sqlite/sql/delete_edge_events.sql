-- A slice of a deleted dataset.
DELETE FROM gb_edge_events WHERE dataset_id = :dataset_id AND (edge_id, number) IN (
  SELECT edge_id, number FROM gb_edge_events WHERE dataset_id = :dataset_id LIMIT :limit
)
