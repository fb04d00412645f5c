-- A slice of a deleted dataset.
DELETE FROM gb_predicates WHERE dataset_id = :dataset_id AND (name, seq) IN (
  SELECT name, seq FROM gb_predicates WHERE dataset_id = :dataset_id LIMIT :limit
)
