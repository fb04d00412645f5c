SELECT git_layout, git_series FROM gb_datasets WHERE dataset_id = :dataset_id AND deleted_at IS NULL
