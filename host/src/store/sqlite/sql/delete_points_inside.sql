DELETE FROM gb_points WHERE dataset_id = :dataset_id AND series_id = :series_id AND at >= :from AND at <= :to
