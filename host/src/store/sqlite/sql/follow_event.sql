UPDATE gb_edge_events SET next_at = :next_at
WHERE dataset_id = :dataset_id AND edge_id = :edge_id AND number = :number
