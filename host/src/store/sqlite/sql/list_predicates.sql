-- The newest line of each name.
SELECT name, functional, description FROM gb_predicates AS newest
WHERE dataset_id = :dataset_id AND name > :after
  AND seq = (SELECT max(seq) FROM gb_predicates WHERE dataset_id = newest.dataset_id AND name = newest.name)
ORDER BY name
LIMIT :limit
