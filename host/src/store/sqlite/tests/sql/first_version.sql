-- What a database of the first version holds: a dataset with calls that ended in every way.
INSERT INTO gb_datasets (dataset_id, user_id, name, created_at, seq, version, last_at, next_artifact_id, next_entity_id, next_run_id, artifacts, entities)
VALUES (1, 'ana', 'main', 5, 3, 1, 10, 3, 2, 5, 2, 1);
INSERT INTO gb_dataset_events (dataset_id, seq, at, description, tags) VALUES (1, 0, 5, '', '[]');
INSERT INTO gb_entities (dataset_id, entity_id, name, type, description, created_at, seq)
VALUES (1, 1, 'Ana', 'person', '', 10, 1);
INSERT INTO gb_entity_events (dataset_id, seq, number, entity_id, kind, at, run_id, type, description)
VALUES (1, 1, 0, 1, 'created', 10, 1, 'unknown', '');
INSERT INTO gb_artifacts (dataset_id, artifact_id, kind, bytes, valid_at, created_at, seq)
VALUES (1, 1, 'knowledge', 4, 0, 10, 1), (1, 2, 'knowledge', 4, 0, 10, 1);
INSERT INTO gb_artifact_texts (dataset_id, artifact_id, text) VALUES (1, 1, 'told'), (1, 2, 'more');
INSERT INTO gb_entity_aliases (dataset_id, name, entity_id, own) VALUES (1, 'ana', 1, 1);
INSERT INTO gb_runs (dataset_id, run_id, kind, started_at, ended_at, seq, changed_at, next_edge_id, error) VALUES
  (1, 1, 'remember', 9, 10, 1, 10, 1, NULL),
  (1, 2, 'query', 11, 12, 2, NULL, NULL, NULL),
  (1, 3, 'edit', 13, 14, 3, NULL, NULL, 'conflict'),
  (1, 4, 'remember', 15, NULL, NULL, NULL, NULL, NULL);
