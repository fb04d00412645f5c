INSERT INTO gb_anchors (dataset_id, series_id, artifact_id, entity_id, edge_id, role, window_start, window_end)
VALUES (:dataset_id, :series_id, :artifact_id, :entity_id, :edge_id, :role, :window_start, :window_end)
ON CONFLICT (dataset_id, series_id, kind, target_id)
DO UPDATE SET role = excluded.role, window_start = excluded.window_start, window_end = excluded.window_end
