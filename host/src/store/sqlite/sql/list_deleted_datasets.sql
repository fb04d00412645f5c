SELECT dataset_id FROM gb_datasets WHERE deleted_at IS NOT NULL
