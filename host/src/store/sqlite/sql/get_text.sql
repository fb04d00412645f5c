SELECT artifact_id, text FROM gb_artifact_texts WHERE dataset_id = :dataset_id AND artifact_id = :artifact_id
