INSERT INTO gb_dataset_events (dataset_id, seq, at, description, tags)
SELECT dataset_id, seq, created_at, description, tags FROM gb_datasets WHERE dataset_id = :dataset_id
