SELECT edge_id, artifact_id, description, raw_text, seq FROM gb_edge_artifacts INDEXED BY gb_edge_artifacts_by_seq
WHERE dataset_id = :dataset_id AND seq > :after
ORDER BY seq, edge_id, artifact_id
