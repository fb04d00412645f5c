SELECT EXISTS (SELECT 1 FROM gb_edges WHERE dataset_id = :dataset_id AND edge_id = :edge_id)
