SELECT first, last, points FROM gb_chunks WHERE dataset_id = 1 AND series_id = 1 ORDER BY first
