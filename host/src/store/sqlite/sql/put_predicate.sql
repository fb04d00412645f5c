INSERT INTO gb_predicates (dataset_id, name, functional, description)
VALUES (:dataset_id, :name, :functional, :description)
ON CONFLICT (dataset_id, name) DO UPDATE SET functional = excluded.functional, description = excluded.description
