UPDATE gb_datasets SET seq = seq + 1 WHERE dataset_id = :dataset_id AND deleted_at IS NULL RETURNING seq
