INSERT INTO gb_datasets (user_id, name, created_at, last_at) VALUES (:user_id, :name, :now, :now)
ON CONFLICT (user_id, name) WHERE deleted_at IS NULL DO NOTHING
