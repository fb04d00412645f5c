INSERT INTO gb_dataset_events (dataset_id, seq, at, run_id, description, tags)
VALUES (:dataset_id, :seq, :at, :run_id, :description, :tags)
