SELECT edge_id, artifact_id, description, raw_text FROM gb_edge_artifacts
WHERE dataset_id = :dataset_id AND edge_id = :edge_id AND artifact_id > :after
ORDER BY artifact_id
LIMIT :limit
