SELECT loose FROM gb_series WHERE dataset_id = :dataset_id AND series_id = :series_id
