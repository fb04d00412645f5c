INSERT INTO gb_revisions (dataset_id, series_id, at, since, until, bits)
VALUES (:dataset_id, :series_id, :at, :since, :until, :bits)
