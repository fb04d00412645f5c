INSERT INTO gb_chunks (
  dataset_id, series_id, first, last, points, codec, checksum, times, numbers, run_lengths, run_sinces
) VALUES (
  :dataset_id, :series_id, :first, :last, :points, :codec, :checksum, :times, :numbers, :run_lengths, :run_sinces
)
