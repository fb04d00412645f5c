-- A slice of a deleted dataset.
DELETE FROM gb_edges WHERE dataset_id = :dataset_id AND (edge_id) IN (
  SELECT edge_id FROM gb_edges WHERE dataset_id = :dataset_id LIMIT :limit
)
