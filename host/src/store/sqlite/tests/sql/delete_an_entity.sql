DELETE FROM gb_entities WHERE entity_id = 1
