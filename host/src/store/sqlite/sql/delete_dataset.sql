UPDATE gb_datasets SET deleted_at = :now, name = '', description = '', tags = '[]'
WHERE dataset_id = :dataset_id AND deleted_at IS NULL
