SELECT artifact_id, parent_id, seq FROM gb_artifact_parents INDEXED BY gb_artifact_parents_by_seq
WHERE dataset_id = :dataset_id AND seq > :after
ORDER BY seq, artifact_id, parent_id
