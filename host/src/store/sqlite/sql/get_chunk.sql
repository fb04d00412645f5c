-- The chunk that a time falls into: the last that begins by then, or the first of all.
SELECT series_id, first, last, points, codec, checksum, times, numbers, run_lengths, run_sinces FROM gb_chunks
WHERE dataset_id = :dataset_id AND series_id = :series_id
  AND first = ifnull((
    SELECT max(first) FROM gb_chunks WHERE dataset_id = :dataset_id AND series_id = :series_id AND first <= :at
  ), (
    SELECT min(first) FROM gb_chunks WHERE dataset_id = :dataset_id AND series_id = :series_id
  ))
