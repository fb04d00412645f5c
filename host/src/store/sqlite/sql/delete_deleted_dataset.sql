DELETE FROM gb_datasets WHERE dataset_id = :dataset_id AND deleted_at IS NOT NULL
