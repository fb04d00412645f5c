INSERT INTO gb_entities (dataset_id, entity_id, name, normalized_name, type, description, model, created_at, seq)
VALUES (:dataset_id, :entity_id, :name, :normalized_name, :type, :description, :model, :created_at, :seq)
