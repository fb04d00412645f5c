SELECT series_id FROM gb_series INDEXED BY gb_series_by_key
WHERE dataset_id = :dataset_id AND key = :key AND field = :field AND provider IS :provider
