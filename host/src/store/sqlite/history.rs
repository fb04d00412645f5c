//! The past: what commits changed, as it was told, and the calls that made them.

use std::iter::Peekable;

use gligabao_core::model::{
    ArtifactId, EdgeId, EntityEventKind, EntityId, Page, Run, RunId, RunKind, SeriesId, Target,
};
use gligabao_core::storage::answer::page;
use gligabao_core::storage::rules::check_page;
use gligabao_core::storage::{
    AddArtifact, AddEdge, AddEntity, AddEntityEvent, AddEvent, AddParent, Change, CommitLog, CommitPage, Mention,
    RunPage, SetDataset,
};
use gligabao_core::time::Micros;
use rusqlite::{Connection, Row, params};

use super::fail::Outcome;
use super::rows::{self, sql_int};
use super::runs;

/// Reads a change; the `seq` of its commit is the last column.
type Read = fn(&Row<'_>) -> rusqlite::Result<Change>;

/// The changes of every commit, by kind and in the order in which they are told; each statement is one stretch of an
/// index that goes on as far as it is read.
const KINDS: [(&str, Read); 10] = [
    (include_str!("sql/list_told_artifacts.sql"), artifact),
    (include_str!("sql/list_told_parents.sql"), parent),
    (include_str!("sql/list_told_entities.sql"), entity),
    (include_str!("sql/list_told_entity_events.sql"), entity_event),
    (include_str!("sql/list_told_mentions.sql"), mention),
    (include_str!("sql/list_told_edges.sql"), edge),
    (include_str!("sql/list_told_statements.sql"), statement),
    (include_str!("sql/list_told_events.sql"), event),
    (include_str!("sql/list_told_predicates.sql"), predicate),
    (include_str!("sql/list_told_datasets.sql"), set_dataset),
];

/// The commits after a `seq`.
pub(super) fn commits(conn: &Connection, dataset: i64, after: u64, limit: u32) -> Outcome<CommitPage> {
    check_page(Page { limit, after: None })?;
    let first_artifact = next_artifact(conn, dataset, after)?;
    let after = sql_int(after);
    let mut statements = KINDS.iter().map(|(sql, _)| conn.prepare_cached(sql)).collect::<rusqlite::Result<Vec<_>>>()?;
    let mut kinds = Vec::new();
    for (number, (statement, (_, read))) in statements.iter_mut().zip(KINDS).enumerate() {
        // Artifacts are found by ID, everything else by `seq`.
        let from = if number == 0 { first_artifact } else { after };
        let change = move |row: &Row<'_>| Ok((row.get::<_, u64>(row.as_ref().column_count() - 1)?, read(row)?));
        kinds.push(statement.query_map([dataset, from], change)?.peekable());
    }
    let mut touched = conn.prepare_cached(include_str!("sql/list_series_commits.sql"))?;
    let touched = touched.query_map([dataset, after], |row| Ok((row.get::<_, u64>(0)?, SeriesId(row.get(1)?))))?;
    let mut touched = touched.peekable();
    let mut commits = conn.prepare_cached(include_str!("sql/list_commits.sql"))?;
    let commits = commits.query_map([dataset, after], |row| Ok((row.get::<_, u64>(0)?, Micros(row.get(1)?))))?;
    let logs = commits.map(|commit| {
        let (seq, at) = commit?;
        let mut changes = Vec::new();
        for kind in &mut kinds {
            take(kind, seq, &mut changes)?;
        }
        let mut series = Vec::new();
        take(&mut touched, seq, &mut series)?;
        Ok::<_, rusqlite::Error>(CommitLog { seq, at, changes, series })
    });
    let (commits, more) = page(logs, limit)?;
    Ok(CommitPage { commits, more })
}

/// Takes the items of one commit from the front of a list by `seq`.
fn take<T>(
    list: &mut Peekable<impl Iterator<Item = rusqlite::Result<(u64, T)>>>,
    seq: u64,
    taken: &mut Vec<T>,
) -> rusqlite::Result<()> {
    while let Some(item) = list.next_if(|item| item.as_ref().map_or(true, |(of, _)| *of <= seq)) {
        taken.push(item?.1);
    }
    Ok(())
}

/// The runs that ended after a `seq`.
pub(super) fn ended_runs(conn: &Connection, dataset: i64, after: u64, limit: u32) -> Outcome<RunPage> {
    check_page(Page { limit, after: None })?;
    let mut statement = conn.prepare_cached(include_str!("sql/list_ended_runs.sql"))?;
    let ended = statement.query_map(params![dataset, sql_int(after)], run)?.map(|run| {
        let run = run?;
        let (stages, model_calls) = (runs::stages(conn, dataset, run.id)?, runs::calls(conn, dataset, run.id)?);
        Ok::<_, super::Fail>(Run { stages, model_calls, ..run })
    });
    let (runs, more) = page(ended, limit)?;
    Ok(RunPage { runs, more })
}

/// The next free artifact after the commits up to a `seq`.
pub(super) fn next_artifact(conn: &Connection, dataset: i64, seq: u64) -> Outcome<i64> {
    let sql = include_str!("sql/find_next_artifact.sql");
    Ok(rows::row(conn, sql, params![dataset, sql_int(seq)], |row| row.get(0))?.unwrap_or(1))
}

fn artifact(row: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change::AddArtifact(AddArtifact { artifact: rows::artifact(row)?, text: row.get(10)? }))
}

fn parent(row: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change::AddParent(AddParent { artifact: ArtifactId(row.get(0)?), parent: ArtifactId(row.get(1)?) }))
}

fn entity(row: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change::AddEntity(AddEntity { entity: rows::entity(row)?, normalized_name: row.get(6)? }))
}

fn entity_event(row: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change::AddEntityEvent(AddEntityEvent {
        entity: EntityId(row.get(0)?),
        kind: rows::word(row, 1, EntityEventKind::from_word)?,
        artifact: row.get::<_, Option<u64>>(2)?.map(ArtifactId),
        r#type: row.get(3)?,
        description: row.get(4)?,
    }))
}

fn mention(row: &Row<'_>) -> rusqlite::Result<Change> {
    let (entity, artifact) = (EntityId(row.get(0)?), ArtifactId(row.get(1)?));
    Ok(Change::AddMention(Mention { entity, artifact, description: row.get(2)? }))
}

fn edge(row: &Row<'_>) -> rusqlite::Result<Change> {
    let edge = rows::edge(row)?;
    let normalized_target = match edge.target {
        Target::Text(_) => Some(row.get(3)?),
        Target::Entity(_) => None,
    };
    Ok(Change::AddEdge(AddEdge { edge, normalized_target }))
}

fn statement(row: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change::AddStatement(rows::statement(row)?))
}

fn event(row: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change::AddEvent(AddEvent {
        edge: EdgeId(row.get(0)?),
        artifact: row.get::<_, Option<u64>>(1)?.map(ArtifactId),
        kind: rows::event_kind(row)?,
        cause: row.get::<_, Option<u64>>(3)?.map(EdgeId),
        after: rows::bounds(row, 4)?,
    }))
}

fn predicate(row: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change::PutPredicate(rows::predicate(row)?))
}

fn set_dataset(row: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change::SetDataset(SetDataset { description: Some(row.get(0)?), tags: Some(rows::tags(row, 1)?) }))
}

/// Reads a run without its stages and calls of models.
fn run(row: &Row<'_>) -> rusqlite::Result<Run> {
    Ok(Run {
        seq: row.get(0)?,
        id: RunId(row.get(1)?),
        kind: rows::word(row, 2, RunKind::from_word)?,
        params: row.get(3)?,
        session_id: row.get(4)?,
        started_at: Micros(row.get(5)?),
        ended_at: Micros(row.get(6)?),
        changed_at: row.get::<_, Option<i64>>(7)?.map(Micros),
        error: row.get(8)?,
        stages: Vec::new(),
        model_calls: Vec::new(),
    })
}
