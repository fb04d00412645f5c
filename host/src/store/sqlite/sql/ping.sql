SELECT count(*) FROM gb_datasets WHERE dataset_id = 0
