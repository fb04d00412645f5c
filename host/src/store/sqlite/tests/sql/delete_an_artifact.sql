DELETE FROM gb_artifacts WHERE artifact_id = 1
