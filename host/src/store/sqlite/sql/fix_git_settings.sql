UPDATE gb_datasets SET git_layout = :layout, git_series = :series
WHERE dataset_id = :dataset_id AND git_layout IS NULL AND deleted_at IS NULL
