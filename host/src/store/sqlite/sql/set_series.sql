UPDATE gb_series SET
  name = :name, unit = :unit, frequency = :frequency, source = :source, definition = :definition, state = :state
WHERE dataset_id = :dataset_id AND series_id = :series_id
