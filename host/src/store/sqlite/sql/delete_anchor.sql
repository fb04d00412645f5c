DELETE FROM gb_anchors
WHERE dataset_id = :dataset_id AND series_id = :series_id AND kind = :kind AND target_id = :target_id
