SELECT artifact_id FROM gb_entity_artifacts
WHERE dataset_id = :dataset_id AND entity_id = :entity_id AND artifact_id > :after AND artifact_id < :next_artifact_id
  AND seq <= :seq
ORDER BY artifact_id
LIMIT :limit
