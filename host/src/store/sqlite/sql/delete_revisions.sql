-- A slice of a deleted dataset.
DELETE FROM gb_revisions WHERE dataset_id = :dataset_id AND (series_id, at, since) IN (
  SELECT series_id, at, since FROM gb_revisions WHERE dataset_id = :dataset_id LIMIT :limit
)
