SELECT name, functional, description, seq FROM gb_predicates INDEXED BY gb_predicates_by_seq
WHERE dataset_id = :dataset_id AND seq > :after
ORDER BY seq, name
