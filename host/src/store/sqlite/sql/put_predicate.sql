INSERT INTO gb_predicates (dataset_id, name, seq, functional, description)
VALUES (:dataset_id, :name, :seq, :functional, :description)
ON CONFLICT (dataset_id, name, seq) DO UPDATE SET functional = excluded.functional, description = excluded.description
