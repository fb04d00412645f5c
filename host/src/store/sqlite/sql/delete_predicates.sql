-- A slice of a deleted dataset.
DELETE FROM gb_predicates WHERE dataset_id = :dataset_id AND (name) IN (
  SELECT name FROM gb_predicates WHERE dataset_id = :dataset_id LIMIT :limit
)
