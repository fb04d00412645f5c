-- Every key begins with the dataset, which is the shard key. Valid times are seconds, transaction times (`*_at` of rows
-- and runs, `at`, `expired_at`, `retracted_at`) microseconds since 1970. Dates have a precision beside them. `seq` is that
-- of the commit that a row came in with: nothing that was ever told is overwritten without a trace, so that each version
-- can be told again.

CREATE TABLE gb_datasets (
  dataset_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  tags TEXT NOT NULL DEFAULT '[]',          -- a JSON list of texts
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,                       -- set while its rows are being removed; nobody finds it any more
  seq INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 0,
  last_at INTEGER NOT NULL,
  next_artifact_id INTEGER NOT NULL DEFAULT 1,
  next_entity_id INTEGER NOT NULL DEFAULT 1,
  next_edge_id INTEGER NOT NULL DEFAULT 1,
  next_run_id INTEGER NOT NULL DEFAULT 1,
  artifacts INTEGER NOT NULL DEFAULT 0,
  entities INTEGER NOT NULL DEFAULT 0,
  edges INTEGER NOT NULL DEFAULT 0,
  live_edges INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX gb_datasets_by_name ON gb_datasets (user_id, name) WHERE deleted_at IS NULL;
CREATE INDEX gb_datasets_deleted ON gb_datasets (dataset_id) WHERE deleted_at IS NOT NULL;

-- What people said of a dataset, from each commit that changed it on. The first line, of `seq` 0, is its making.
CREATE TABLE gb_dataset_events (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  run_id INTEGER,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,                       -- a JSON list of texts
  PRIMARY KEY (dataset_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE gb_runs (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  run_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('remember', 'query', 'edit')),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  seq INTEGER,                              -- set when it ended
  changed_at INTEGER,                       -- transaction time of its commit; null when it changed nothing
  next_edge_id INTEGER,                     -- the dataset's after its commit: edges told by then are below
  error TEXT,                               -- why it failed
  PRIMARY KEY (dataset_id, run_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX gb_runs_changes ON gb_runs (dataset_id, seq, changed_at) WHERE changed_at IS NOT NULL;
CREATE UNIQUE INDEX gb_runs_times ON gb_runs (dataset_id, changed_at, next_edge_id) WHERE changed_at IS NOT NULL;
CREATE INDEX gb_runs_open ON gb_runs (dataset_id, run_id) WHERE seq IS NULL;

CREATE TABLE gb_artifacts (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  artifact_id INTEGER NOT NULL,
  parent_id INTEGER,
  kind TEXT NOT NULL,
  bytes INTEGER NOT NULL,                   -- of its text
  title TEXT,
  session_id TEXT,
  wing TEXT,
  valid_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (dataset_id, artifact_id)
) STRICT;
CREATE INDEX gb_artifacts_by_parent ON gb_artifacts (dataset_id, parent_id, artifact_id, wing);
CREATE INDEX gb_artifacts_by_session ON gb_artifacts (dataset_id, session_id, artifact_id, parent_id, wing)
  WHERE session_id IS NOT NULL;

-- Apart, so that lists of artifacts never touch a text, however short.
CREATE TABLE gb_artifact_texts (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  artifact_id INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (dataset_id, artifact_id)
) STRICT;

CREATE TABLE gb_entities (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  entity_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  description TEXT NOT NULL,
  model TEXT,
  created_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  edges INTEGER NOT NULL DEFAULT 0,         -- how many edges touch it
  PRIMARY KEY (dataset_id, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX gb_entities_by_type ON gb_entities (dataset_id, type, entity_id);

-- The log of entities: type and description from each event on.
CREATE TABLE gb_entity_events (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  seq INTEGER NOT NULL,
  number INTEGER NOT NULL,                  -- from 0 among the events of entities in its commit
  entity_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  artifact_id INTEGER,
  type TEXT NOT NULL,
  description TEXT NOT NULL,
  PRIMARY KEY (dataset_id, seq, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE gb_entity_aliases (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  name TEXT NOT NULL,                       -- normalized; several entities may share one
  entity_id INTEGER NOT NULL,
  own INTEGER NOT NULL CHECK (own IN (0, 1)),
  PRIMARY KEY (dataset_id, name, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX gb_entity_aliases_by_entity ON gb_entity_aliases (dataset_id, entity_id, name) WHERE own = 0;

CREATE TABLE gb_edges (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  edge_id INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  relation TEXT NOT NULL,
  target_key ANY NOT NULL,                  -- the target entity (an integer) or the normalized literal (a text)
  target_text TEXT,                         -- the literal as written
  description TEXT NOT NULL,
  valid_at INTEGER NOT NULL,
  valid_at_precision TEXT NOT NULL,
  start_source TEXT NOT NULL,
  stated_end INTEGER,
  stated_end_precision TEXT,
  contradicted_at INTEGER,
  contradicted_at_precision TEXT,
  invalid_at INTEGER,
  invalid_at_precision TEXT,
  valid_until INTEGER NOT NULL AS (ifnull(invalid_at, 9223372036854775807)) VIRTUAL,
  expired_at INTEGER,
  retracted_at INTEGER,
  live INTEGER NOT NULL AS (expired_at IS NULL AND retracted_at IS NULL) VIRTUAL,
  contested INTEGER NOT NULL CHECK (contested IN (0, 1)),
  created_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,              -- time of its last event: the bounds hold since then
  last_seq INTEGER NOT NULL,                -- place of its last event in the log
  last_number INTEGER NOT NULL,
  artifact_id INTEGER,
  model TEXT,
  confidence REAL NOT NULL,
  wing TEXT,
  raw_text TEXT,
  PRIMARY KEY (dataset_id, edge_id),
  CHECK ((typeof(target_key) = 'text') = (target_text IS NOT NULL))
) STRICT;
-- Each order of each end has an index that also holds what most queries filter by, so that a long history is walked
-- within the index. What is live is few where much was closed, and has an index of its own at each end.
CREATE INDEX gb_edges_source_valid ON gb_edges (dataset_id, source_id, valid_at, edge_id, valid_until);
CREATE INDEX gb_edges_source_told ON gb_edges (dataset_id, source_id, edge_id, valid_at, valid_until, relation, live);
CREATE INDEX gb_edges_source_relation ON gb_edges (dataset_id, source_id, relation, valid_at, edge_id, valid_until);
CREATE INDEX gb_edges_source_target ON gb_edges (dataset_id, source_id, target_key, relation, valid_at, edge_id);
CREATE INDEX gb_edges_target_valid ON gb_edges (dataset_id, target_key, valid_at, edge_id, valid_until, relation);
CREATE INDEX gb_edges_target_told ON gb_edges (dataset_id, target_key, edge_id, valid_at, valid_until, relation, live);
CREATE INDEX gb_edges_source_live ON gb_edges (dataset_id, source_id, valid_at, edge_id, valid_until, relation)
  WHERE expired_at IS NULL AND retracted_at IS NULL;
CREATE INDEX gb_edges_target_live ON gb_edges (dataset_id, target_key, valid_at, edge_id, valid_until, relation)
  WHERE expired_at IS NULL AND retracted_at IS NULL;
CREATE INDEX gb_edges_relation_valid ON gb_edges (dataset_id, relation, valid_at, edge_id, valid_until);
CREATE INDEX gb_edges_valid ON gb_edges (dataset_id, valid_at, edge_id, valid_until);

-- The log of edges. The bounds before an event are those after the one before it of the same edge. An event whose
-- `next_at` is later than its `at` is a version of the edge that was current in [at, next_at).
CREATE TABLE gb_edge_events (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  seq INTEGER NOT NULL,
  number INTEGER NOT NULL,                  -- from 0 among the events of edges in its commit
  edge_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  next_at INTEGER,                          -- time of the edge's next event; null for the last
  before_seq INTEGER,                       -- place of the edge's event before; null for the first
  before_number INTEGER,
  run_id INTEGER NOT NULL,
  artifact_id INTEGER,
  cause_edge_id INTEGER,
  source_id INTEGER NOT NULL,               -- of the edge, for the indexes
  relation TEXT NOT NULL,
  target_key ANY NOT NULL,
  valid_at INTEGER NOT NULL,
  valid_at_precision TEXT NOT NULL,
  start_source TEXT NOT NULL,
  stated_end INTEGER,
  stated_end_precision TEXT,
  contradicted_at INTEGER,
  contradicted_at_precision TEXT,
  invalid_at INTEGER,
  invalid_at_precision TEXT,
  valid_until INTEGER NOT NULL AS (ifnull(invalid_at, 9223372036854775807)) VIRTUAL,
  expired_at INTEGER,
  retracted_at INTEGER,
  contested INTEGER NOT NULL CHECK (contested IN (0, 1)),
  PRIMARY KEY (dataset_id, seq, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX gb_edge_events_by_edge ON gb_edge_events (dataset_id, edge_id, seq, number);
CREATE INDEX gb_edge_events_by_cause ON gb_edge_events (dataset_id, cause_edge_id, seq, number)
  WHERE cause_edge_id IS NOT NULL;
-- Versions of the past only: what was told once and never changed costs nothing here.
CREATE INDEX gb_edge_events_source_valid
  ON gb_edge_events (dataset_id, source_id, valid_at, edge_id, at, next_at, valid_until, relation) WHERE next_at > at;
CREATE INDEX gb_edge_events_target_valid
  ON gb_edge_events (dataset_id, target_key, valid_at, edge_id, at, next_at, valid_until, relation) WHERE next_at > at;
CREATE INDEX gb_edge_events_relation_valid
  ON gb_edge_events (dataset_id, relation, valid_at, edge_id, at, next_at, valid_until) WHERE next_at > at;
CREATE INDEX gb_edge_events_valid
  ON gb_edge_events (dataset_id, valid_at, edge_id, at, next_at, valid_until) WHERE next_at > at;

CREATE TABLE gb_edge_artifacts (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  edge_id INTEGER NOT NULL,
  artifact_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  description TEXT NOT NULL,
  raw_text TEXT,
  PRIMARY KEY (dataset_id, edge_id, artifact_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE gb_entity_artifacts (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  entity_id INTEGER NOT NULL,
  artifact_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  description TEXT NOT NULL,
  PRIMARY KEY (dataset_id, entity_id, artifact_id)
) STRICT, WITHOUT ROWID;

-- The newest line of a name holds.
CREATE TABLE gb_predicates (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  name TEXT NOT NULL,
  seq INTEGER NOT NULL,
  functional INTEGER NOT NULL CHECK (functional IN (0, 1)),
  description TEXT NOT NULL,
  PRIMARY KEY (dataset_id, name, seq)
) STRICT, WITHOUT ROWID;
