SELECT at, bits FROM gb_revisions
WHERE dataset_id = :dataset_id AND series_id = :series_id AND at >= :from AND at <= :to
  AND since <= :known_at AND until > :known_at
ORDER BY at
LIMIT :limit
