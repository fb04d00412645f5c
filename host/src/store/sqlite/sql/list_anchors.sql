SELECT series_id, kind, target_id, role, window_start, window_end FROM gb_anchors INDEXED BY gb_anchors_by_series
WHERE dataset_id = :dataset_id AND series_id = :series_id AND (kind, target_id) > (:after_kind, :after_id)
ORDER BY kind, target_id
LIMIT :limit
