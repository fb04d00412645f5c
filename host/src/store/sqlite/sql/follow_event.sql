UPDATE gb_edge_events SET next_at = :next_at
WHERE dataset_id = :dataset_id AND seq = :seq AND number = :number
