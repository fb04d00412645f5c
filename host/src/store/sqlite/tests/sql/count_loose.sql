SELECT loose FROM gb_series WHERE dataset_id = 1 AND series_id = 1
