SELECT first FROM gb_chunks WHERE dataset_id = :dataset_id AND series_id = :series_id AND first > :first
ORDER BY first
LIMIT 1
