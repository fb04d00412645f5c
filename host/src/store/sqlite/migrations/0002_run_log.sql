-- The log of calls: what each asked for, the stages that it reached, and what it asked of models.

ALTER TABLE gb_runs ADD COLUMN session_id TEXT;
ALTER TABLE gb_runs ADD COLUMN params TEXT NOT NULL DEFAULT '{}';  -- a JSON object; counts stand for texts and points
ALTER TABLE gb_runs ADD COLUMN status TEXT NOT NULL
  AS (CASE WHEN seq IS NULL THEN 'running' WHEN error IS NULL THEN 'done' ELSE 'failed' END) VIRTUAL;
ALTER TABLE gb_runs ADD COLUMN answer TEXT;                        -- of a question of a session, for those after it
-- A list that is narrowed is merged from one stream for each kind and status that it lets through.
CREATE INDEX gb_runs_by_kind ON gb_runs (dataset_id, kind, status, run_id);
CREATE INDEX gb_runs_by_session ON gb_runs (dataset_id, session_id, kind, status, run_id) WHERE session_id IS NOT NULL;

CREATE TABLE gb_run_stages (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  run_id INTEGER NOT NULL,
  number INTEGER NOT NULL,                  -- from 0 in the order of the call
  name TEXT NOT NULL,
  label TEXT,
  output TEXT NOT NULL,                     -- a JSON document
  error TEXT,
  PRIMARY KEY (dataset_id, run_id, number)
) STRICT;

CREATE TABLE gb_model_calls (
  dataset_id INTEGER NOT NULL REFERENCES gb_datasets,
  run_id INTEGER NOT NULL,
  number INTEGER NOT NULL,                  -- from 0 in the order of the call
  stage TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  reasoning TEXT,
  tokens_in INTEGER,
  tokens_out INTEGER,
  cost_usd REAL,
  latency_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  error TEXT,                               -- why there was no answer
  PRIMARY KEY (dataset_id, run_id, number)
) STRICT;
