INSERT INTO gb_entity_events
  (dataset_id, seq, number, entity_id, kind, at, run_id, artifact_id, type, description)
VALUES (:dataset_id, :seq, :number, :entity_id, :kind, :at, :run_id, :artifact_id, :type, :description)
