SELECT dataset_id FROM gb_datasets WHERE user_id = :user_id AND name = :name AND deleted_at IS NULL
