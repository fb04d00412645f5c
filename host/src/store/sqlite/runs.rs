//! Rows of the log of calls.

use gligabao_core::model::{RunId, Stage};
use gligabao_core::recall::Turn;
use gligabao_core::storage::{Counters, StorageError, answer};
use gligabao_core::time::Micros;
use rusqlite::{Connection, Row, params};

use super::datasets;
use super::fail::{Fail, Outcome};
use super::rows::{self, sql_int};
use super::shape::{Shape, text};
use crate::store::{
    ModelCall, NewRun, RunFilter, RunKind, RunPage, RunRecord, RunStatus, Trajectory, Usage, log, run_is_not_open,
};

const LIST: &str = include_str!("sql/list_runs.sql");

/// How a run ended.
pub(super) struct Ended<'a> {
    pub(super) at: Micros,
    pub(super) seq: u64,
    /// Transaction time of its commit, and the next free IDs after it.
    pub(super) changed: Option<(Micros, Counters)>,
    pub(super) error: Option<&'a str>,
    pub(super) stages: &'a [Stage],
    pub(super) calls: &'a [ModelCall],
    /// What a question of a session was answered.
    pub(super) answer: Option<&'a str>,
}

/// Opens a run.
pub(super) fn begin(conn: &Connection, dataset: i64, new: &NewRun, now: Micros) -> Outcome<RunId> {
    let run: Option<u64> = rows::row(conn, include_str!("sql/count_run.sql"), [dataset], |row| row.get(0))?;
    let run = run.ok_or(StorageError::NoDataset)?;
    let NewRun { kind, params, session_id } = new;
    let values = params![dataset, sql_int(run), kind.as_str(), now.0, params, session_id];
    rows::execute(conn, include_str!("sql/insert_run.sql"), values)?;
    Ok(RunId(run))
}

/// Whether a run is open.
pub(super) fn is_open(conn: &Connection, dataset: i64, run: RunId) -> Outcome<bool> {
    let sql = include_str!("sql/has_open_run.sql");
    Ok(rows::row(conn, sql, params![dataset, sql_int(run.0)], |row| row.get(0))?.unwrap_or(false))
}

/// Counts a call that changes nothing; its `seq`.
pub(super) fn count(conn: &Connection, dataset: i64) -> Outcome<u64> {
    let seq: Option<u64> = rows::row(conn, include_str!("sql/count_call.sql"), [dataset], |row| row.get(0))?;
    Ok(seq.ok_or(StorageError::NoDataset)?)
}

/// Writes the end of an open run, and what was reached in it.
pub(super) fn end(conn: &Connection, dataset: i64, run: RunId, ended: &Ended<'_>) -> Outcome<()> {
    let (changed_at, next) = ended.changed.unzip();
    let changed_at = changed_at.map(|at| at.0);
    let (next_edge, next_artifact) = next.map(|next| (sql_int(next.edge.0), sql_int(next.artifact.0))).unzip();
    let id = sql_int(run.0);
    let Ended { at, seq, error, answer, .. } = ended;
    let values = params![at.0, sql_int(*seq), changed_at, next_edge, next_artifact, error, answer, dataset, id];
    if rows::execute(conn, include_str!("sql/end_run.sql"), values)? == 0 {
        return Err(run_is_not_open(run).into());
    }
    for (number, stage) in ended.stages.iter().enumerate() {
        let Stage { name, label, output, error } = stage;
        let values = params![dataset, id, sql_int(number as u64), name, label, output, error];
        rows::execute(conn, include_str!("sql/insert_stage.sql"), values)?;
    }
    for (number, call) in ended.calls.iter().enumerate() {
        let values = params![
            dataset,
            id,
            sql_int(number as u64),
            call.stage,
            call.model,
            call.provider,
            call.reasoning,
            call.tokens_in.map(sql_int),
            call.tokens_out.map(sql_int),
            call.cost_usd,
            sql_int(call.latency_ms),
            call.attempts,
            call.error,
        ];
        rows::execute(conn, include_str!("sql/insert_model_call.sql"), values)?;
    }
    Ok(())
}

/// Ends every open run as failed; how many there were.
pub(super) fn close_open(conn: &Connection, now: Micros) -> Outcome<u64> {
    let open: Vec<(i64, u64)> =
        rows::rows(conn, include_str!("sql/list_open_runs.sql"), [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut closed = 0;
    for (dataset, run) in open {
        let seq = match count(conn, dataset) {
            Ok(seq) => seq,
            // The dataset is being removed, with its runs.
            Err(Fail::Storage(StorageError::NoDataset)) => continue,
            Err(fail) => return Err(fail),
        };
        let error = Some("the process ended before the call did");
        let ended = Ended { at: now, seq, changed: None, error, stages: &[], calls: &[], answer: None };
        end(conn, dataset, RunId(run), &ended)?;
        closed += 1;
    }
    Ok(closed)
}

/// Runs of a filter, newest first.
pub(super) fn list(
    conn: &Connection,
    dataset: i64,
    filter: &RunFilter,
    before: Option<RunId>,
    limit: u32,
) -> Outcome<RunPage> {
    datasets::get(conn, dataset)?;
    let mut found: Vec<RunRecord> = Vec::new();
    for stream in streams(dataset, filter, before, limit) {
        found.extend(stream.rows(conn, LIST, record)?);
    }
    found.sort_by_key(|run| std::cmp::Reverse(run.id));
    let (mut runs, more) = answer::page(found.into_iter().map(Ok::<_, Fail>), limit)?;
    for run in &mut runs {
        run.usage = Usage::of(&calls(conn, dataset, run.id)?);
    }
    let next = runs.last().filter(|_| more).map(|run| run.id);
    Ok(RunPage { runs, next })
}

/// The statements that serve a list, for tests of their plans.
#[cfg(test)]
pub(super) fn statements(filter: &RunFilter) -> Vec<String> {
    streams(1, filter, None, 10).iter().map(|stream| stream.text(LIST)).collect()
}

/// Each is one stretch of an index, and sorted; together they give every run of the filter once.
fn streams<'a>(dataset: i64, filter: &'a RunFilter, before: Option<RunId>, limit: u32) -> Vec<Shape<'a>> {
    let shape = || {
        let mut shape = Shape::default();
        shape.bind(":dataset_id", dataset);
        shape.bind(":before", before.map_or(i64::MAX, |run| sql_int(run.0)));
        shape.bind(":limit", i64::from(limit) + 1);
        shape
    };
    if *filter == RunFilter::default() {
        return vec![shape()];
    }
    let mut streams = Vec::new();
    for kind in filter.kinds() {
        for status in filter.statuses() {
            let mut shape = shape();
            shape.keep_with("narrowed", ":kind", text(kind.as_str()));
            shape.bind(":status", text(status.as_str()));
            match &filter.session_id {
                Some(session) => shape.keep_with("by_session", ":session_id", text(session)),
                None => shape.keep("by_kind"),
            }
            streams.push(shape);
        }
    }
    streams
}

/// One run with its stages and calls of models.
pub(super) fn get(conn: &Connection, dataset: i64, run: RunId) -> Outcome<Option<Trajectory>> {
    datasets::get(conn, dataset)?;
    let key = params![dataset, sql_int(run.0)];
    let Some(mut run) = rows::row(conn, include_str!("sql/get_run.sql"), key, record)? else { return Ok(None) };
    let stages = stages(conn, dataset, run.id)?;
    let calls = calls(conn, dataset, run.id)?;
    run.usage = Usage::of(&calls);
    Ok(Some(Trajectory { run, stages, calls }))
}

/// The last questions of a session and their answers, oldest first.
pub(super) fn turns(conn: &Connection, dataset: i64, session_id: &str, limit: u32) -> Outcome<Vec<Turn>> {
    datasets::get(conn, dataset)?;
    let values = params![dataset, session_id, limit];
    let turn = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
    let mut turns = rows::rows(conn, include_str!("sql/list_turns.sql"), values, turn)?;
    turns.reverse();
    Ok(turns.into_iter().filter_map(|(params, answer)| log::turn(&params, answer)).collect())
}

/// The stages of a run, in order.
pub(super) fn stages(conn: &Connection, dataset: i64, run: RunId) -> Outcome<Vec<Stage>> {
    let read =
        |row: &Row<'_>| Ok(Stage { name: row.get(0)?, label: row.get(1)?, output: row.get(2)?, error: row.get(3)? });
    Ok(rows::rows(conn, include_str!("sql/list_stages.sql"), params![dataset, sql_int(run.0)], read)?)
}

/// The calls of models of a run, in order.
pub(super) fn calls(conn: &Connection, dataset: i64, run: RunId) -> Outcome<Vec<ModelCall>> {
    let read = |row: &Row<'_>| {
        Ok(ModelCall {
            stage: row.get(0)?,
            model: row.get(1)?,
            provider: row.get(2)?,
            reasoning: row.get(3)?,
            tokens_in: row.get(4)?,
            tokens_out: row.get(5)?,
            cost_usd: row.get(6)?,
            latency_ms: row.get(7)?,
            attempts: row.get(8)?,
            error: row.get(9)?,
        })
    };
    Ok(rows::rows(conn, include_str!("sql/list_model_calls.sql"), params![dataset, sql_int(run.0)], read)?)
}

/// Reads a run without what it took of models.
fn record(row: &Row<'_>) -> rusqlite::Result<RunRecord> {
    Ok(RunRecord {
        id: RunId(row.get(0)?),
        kind: rows::word(row, 1, RunKind::from_word)?,
        status: rows::word(row, 2, RunStatus::from_word)?,
        params: row.get(3)?,
        session_id: row.get(4)?,
        started_at: Micros(row.get(5)?),
        ended_at: row.get::<_, Option<i64>>(6)?.map(Micros),
        seq: row.get(7)?,
        error: row.get(8)?,
        usage: Usage::default(),
    })
}
