SELECT entity_id FROM gb_entity_aliases WHERE dataset_id = :dataset_id AND name = :name ORDER BY entity_id
