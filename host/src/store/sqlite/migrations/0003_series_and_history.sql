-- Time series, what they are tied to, and what it takes to tell what each commit changed.

ALTER TABLE gb_datasets ADD COLUMN next_series_id INTEGER NOT NULL DEFAULT 1;

CREATE TABLE gb_series (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  series_id INTEGER NOT NULL,
  provider TEXT,
  key TEXT NOT NULL,
  field TEXT NOT NULL,
  name TEXT,
  unit TEXT,
  frequency TEXT,
  source TEXT NOT NULL,
  definition TEXT,
  created_at INTEGER NOT NULL,
  state BLOB NOT NULL,                      -- its writer's; nothing here reads it
  points INTEGER NOT NULL DEFAULT 0,        -- how many it has
  loose INTEGER NOT NULL DEFAULT 0,         -- how many of them are in gb_points
  PRIMARY KEY (dataset_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX gb_series_by_key ON gb_series (dataset_id, key, field, provider);
CREATE UNIQUE INDEX gb_series_supplied ON gb_series (dataset_id, key, field) WHERE provider IS NULL;

-- Which series each commit put, or wrote or deleted points of.
CREATE TABLE gb_series_commits (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  seq INTEGER NOT NULL,
  series_id INTEGER NOT NULL,
  PRIMARY KEY (dataset_id, seq, series_id)
) STRICT, WITHOUT ROWID;

-- Points of a series, sealed: stretches that don't meet. What each column of a chunk holds is said by its codec.
CREATE TABLE gb_chunks (
  dataset_id INTEGER NOT NULL,
  series_id INTEGER NOT NULL,
  first INTEGER NOT NULL,                   -- time of its first point, in microseconds
  last INTEGER NOT NULL,                    -- time of its last point
  points INTEGER NOT NULL,                  -- how many it has
  codec INTEGER NOT NULL,
  checksum INTEGER NOT NULL,                -- CRC-32 of the blobs, in their order
  times BLOB NOT NULL,
  numbers BLOB NOT NULL,                    -- their values
  run_lengths BLOB NOT NULL,                -- how many points in a row are known since the same time
  run_sinces BLOB NOT NULL,                 -- since when
  PRIMARY KEY (dataset_id, series_id, first),
  FOREIGN KEY (dataset_id, series_id) REFERENCES gb_series ON DELETE CASCADE
) STRICT;

-- Points after the last chunk of their series, until they are enough to be sealed.
CREATE TABLE gb_points (
  dataset_id INTEGER NOT NULL,
  series_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  bits INTEGER NOT NULL,                    -- of its value: a REAL would not tell minus zero from zero
  since INTEGER NOT NULL,
  PRIMARY KEY (dataset_id, series_id, at),
  FOREIGN KEY (dataset_id, series_id) REFERENCES gb_series ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Values that others replaced, known in [since, until).
CREATE TABLE gb_revisions (
  dataset_id INTEGER NOT NULL,
  series_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  bits INTEGER NOT NULL,
  PRIMARY KEY (dataset_id, series_id, at, since),
  FOREIGN KEY (dataset_id, series_id) REFERENCES gb_series ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE gb_anchors (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  series_id INTEGER NOT NULL,
  artifact_id INTEGER,
  entity_id INTEGER,
  edge_id INTEGER,
  kind INTEGER NOT NULL                     -- artifacts come first, then entities, then edges
    AS (CASE WHEN artifact_id IS NOT NULL THEN 0 WHEN entity_id IS NOT NULL THEN 1 ELSE 2 END) VIRTUAL,
  target_id INTEGER NOT NULL AS (coalesce(artifact_id, entity_id, edge_id)) VIRTUAL,
  role TEXT,
  window_start INTEGER,
  window_end INTEGER,
  CHECK ((artifact_id IS NOT NULL) + (entity_id IS NOT NULL) + (edge_id IS NOT NULL) = 1),
  CHECK ((window_start IS NULL) = (window_end IS NULL)),
  FOREIGN KEY (dataset_id, series_id) REFERENCES gb_series ON DELETE CASCADE,
  FOREIGN KEY (dataset_id, artifact_id) REFERENCES gb_artifacts ON DELETE CASCADE,
  FOREIGN KEY (dataset_id, entity_id) REFERENCES gb_entities ON DELETE CASCADE,
  FOREIGN KEY (dataset_id, edge_id) REFERENCES gb_edges ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX gb_anchors_by_series ON gb_anchors (dataset_id, series_id, kind, target_id);
CREATE INDEX gb_anchors_by_target ON gb_anchors (dataset_id, kind, target_id, series_id);
-- By these the deletion of a target finds its anchors.
CREATE INDEX gb_anchors_by_artifact ON gb_anchors (dataset_id, artifact_id) WHERE artifact_id IS NOT NULL;
CREATE INDEX gb_anchors_by_entity ON gb_anchors (dataset_id, entity_id) WHERE entity_id IS NOT NULL;
CREATE INDEX gb_anchors_by_edge ON gb_anchors (dataset_id, edge_id) WHERE edge_id IS NOT NULL;

-- The series that an artifact tells, which may be deleted since.
ALTER TABLE gb_artifacts ADD COLUMN series_id INTEGER;
CREATE INDEX gb_artifacts_by_series ON gb_artifacts (dataset_id, series_id, artifact_id) WHERE series_id IS NOT NULL;
CREATE INDEX gb_artifacts_by_series_time ON gb_artifacts (dataset_id, series_id, valid_at, artifact_id)
  WHERE series_id IS NOT NULL;

-- Parents of artifacts besides the first.
CREATE TABLE gb_artifact_parents (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  parent_id INTEGER NOT NULL,
  artifact_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (dataset_id, parent_id, artifact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX gb_artifact_parents_by_seq ON gb_artifact_parents (dataset_id, seq, artifact_id, parent_id);

-- What a plan said of an entity and no other row holds.
ALTER TABLE gb_entities ADD COLUMN normalized_name TEXT NOT NULL DEFAULT '';
UPDATE gb_entities SET normalized_name = own.name FROM gb_entity_aliases AS own
WHERE own.dataset_id = gb_entities.dataset_id AND own.entity_id = gb_entities.entity_id AND own.own = 1;

-- Artifacts have the IDs from the one of the commit before to below this one.
ALTER TABLE gb_runs ADD COLUMN next_artifact_id INTEGER;
UPDATE gb_runs SET next_artifact_id = counted.next_artifact_id FROM (
  SELECT
    commits.dataset_id, commits.run_id,
    ifnull(max(told.last) OVER (PARTITION BY commits.dataset_id ORDER BY commits.seq), 0) + 1 AS next_artifact_id
  FROM gb_runs AS commits
  LEFT JOIN (
    SELECT dataset_id, seq, max(artifact_id) AS last FROM gb_artifacts GROUP BY dataset_id, seq
  ) AS told ON told.dataset_id = commits.dataset_id AND told.seq = commits.seq
  WHERE commits.changed_at IS NOT NULL
) AS counted
WHERE gb_runs.dataset_id = counted.dataset_id AND gb_runs.run_id = counted.run_id;

CREATE UNIQUE INDEX gb_runs_by_seq ON gb_runs (dataset_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX gb_entity_artifacts_by_seq ON gb_entity_artifacts (dataset_id, seq, entity_id, artifact_id);
CREATE INDEX gb_edge_artifacts_by_seq ON gb_edge_artifacts (dataset_id, seq, edge_id, artifact_id);
CREATE INDEX gb_predicates_by_seq ON gb_predicates (dataset_id, seq, name);
