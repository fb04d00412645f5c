INSERT INTO gb_series
  (dataset_id, series_id, provider, key, field, name, unit, frequency, source, definition, created_at, state)
VALUES
  (:dataset_id, :series_id, :provider, :key, :field, :name, :unit, :frequency, :source, :definition, :created_at, :state)
