SELECT name, label, output, error FROM gb_run_stages
WHERE dataset_id = :dataset_id AND run_id = :run_id
ORDER BY number
