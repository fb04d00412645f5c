UPDATE gb_series SET points = points + :points, loose = loose + :loose
WHERE dataset_id = :dataset_id AND series_id = :series_id
