-- Points, replaced values and anchors go with it.
DELETE FROM gb_series WHERE dataset_id = :dataset_id AND series_id = :series_id
