INSERT INTO gb_points (dataset_id, series_id, at, bits, since) VALUES (:dataset_id, :series_id, :at, :bits, :since)
ON CONFLICT DO UPDATE SET bits = excluded.bits, since = excluded.since
