INSERT INTO gb_entity_aliases (dataset_id, name, entity_id, own) VALUES (:dataset_id, :name, :entity_id, :own)
