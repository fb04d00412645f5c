SELECT at FROM gb_points WHERE dataset_id = 1 AND series_id = 1 ORDER BY at
