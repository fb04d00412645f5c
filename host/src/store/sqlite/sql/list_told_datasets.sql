SELECT description, tags, seq FROM gb_dataset_events WHERE dataset_id = :dataset_id AND seq > :after
ORDER BY seq
