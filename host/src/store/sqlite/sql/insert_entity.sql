INSERT INTO gb_entities (dataset_id, entity_id, name, type, description, model, created_at, seq)
VALUES (:dataset_id, :entity_id, :name, :type, :description, :model, :created_at, :seq)
