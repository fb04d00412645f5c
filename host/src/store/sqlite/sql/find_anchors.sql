SELECT series_id, kind, target_id, role, window_start, window_end FROM gb_anchors INDEXED BY gb_anchors_by_target
WHERE dataset_id = :dataset_id AND kind = :kind AND target_id = :target_id
ORDER BY series_id DESC
LIMIT :limit
