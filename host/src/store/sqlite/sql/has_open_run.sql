SELECT EXISTS (SELECT 1 FROM gb_runs WHERE dataset_id = :dataset_id AND run_id = :run_id AND seq IS NULL)
