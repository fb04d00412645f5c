SELECT edge_id, artifact_id, description, raw_text FROM gb_edge_artifacts
WHERE dataset_id = :dataset_id AND edge_id = :edge_id AND artifact_id > :after AND artifact_id < :next_artifact_id
  AND seq <= :seq
ORDER BY artifact_id
LIMIT :limit
