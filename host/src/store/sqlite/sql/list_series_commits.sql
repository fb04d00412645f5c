-- What is deleted since is left out.
SELECT c.seq, c.series_id FROM gb_series_commits AS c
JOIN gb_series AS s ON s.dataset_id = c.dataset_id AND s.series_id = c.series_id
WHERE c.dataset_id = :dataset_id AND c.seq > :after
ORDER BY c.seq, c.series_id
