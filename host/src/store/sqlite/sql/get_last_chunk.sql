SELECT series_id, first, last, points, codec, checksum, times, numbers, run_lengths, run_sinces FROM gb_chunks
WHERE dataset_id = :dataset_id AND series_id = :series_id
ORDER BY first DESC
LIMIT 1
