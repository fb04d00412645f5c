SELECT EXISTS (SELECT 1 FROM gb_artifacts WHERE dataset_id = :dataset_id AND artifact_id = :artifact_id)
