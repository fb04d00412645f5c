INSERT INTO gb_series_commits (dataset_id, seq, series_id) VALUES (:dataset_id, :seq, :series_id)
ON CONFLICT DO NOTHING
