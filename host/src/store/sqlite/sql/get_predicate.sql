SELECT name, functional, description FROM gb_predicates WHERE dataset_id = :dataset_id AND name = :name
ORDER BY seq DESC
LIMIT 1
