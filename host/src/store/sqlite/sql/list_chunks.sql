-- Of the chunks that begin before a stretch only the last can have points of it.
SELECT series_id, first, last, points, codec, checksum, times, numbers, run_lengths, run_sinces FROM gb_chunks
WHERE dataset_id = :dataset_id AND series_id = :series_id
  AND first >= ifnull((
    SELECT max(first) FROM gb_chunks WHERE dataset_id = :dataset_id AND series_id = :series_id AND first <= :from
  ), :from)
  AND first <= :to
ORDER BY first
