SELECT series_id, provider, key, field, name, unit, frequency, source, definition, created_at, points, state
FROM gb_series
WHERE dataset_id = :dataset_id AND series_id = :series_id
