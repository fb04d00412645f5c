//! Rows of datasets: what the writer does with them.

use gligabao_core::model::RunId;
use gligabao_core::storage::{Committed, Head, StorageError};
use gligabao_core::time::Micros;
use rusqlite::{Connection, params};

use super::fail::Outcome;
use super::rows::{self, sql_int};
use crate::store::DatasetSummary;

/// Rows of a deleted dataset that are removed in one transaction, so that others can write in between.
const SLICE: i64 = 4_000;

/// The same for texts, which have up to a mebibyte each.
const TEXTS: i64 = 16;

/// The same for outputs of stages, most of which are short.
const STAGES: i64 = 400;

/// The same for chunks of points, which have up to 64 KiB each.
const CHUNKS: i64 = 200;

/// Everything of a dataset but its own row; what refers to something comes first. Each with how many go at once.
const SLICES: [(&str, i64); 21] = [
    (include_str!("sql/delete_anchors.sql"), SLICE),
    (include_str!("sql/delete_revisions.sql"), SLICE),
    (include_str!("sql/delete_points.sql"), SLICE),
    (include_str!("sql/delete_chunks.sql"), CHUNKS),
    (include_str!("sql/delete_series_commits.sql"), SLICE),
    (include_str!("sql/delete_series.sql"), SLICE),
    (include_str!("sql/delete_artifact_parents.sql"), SLICE),
    (include_str!("sql/delete_edge_artifacts.sql"), SLICE),
    (include_str!("sql/delete_entity_artifacts.sql"), SLICE),
    (include_str!("sql/delete_edge_events.sql"), SLICE),
    (include_str!("sql/delete_entity_events.sql"), SLICE),
    (include_str!("sql/delete_dataset_events.sql"), SLICE),
    (include_str!("sql/delete_edges.sql"), SLICE),
    (include_str!("sql/delete_entity_aliases.sql"), SLICE),
    (include_str!("sql/delete_entities.sql"), SLICE),
    (include_str!("sql/delete_artifact_texts.sql"), TEXTS),
    (include_str!("sql/delete_artifacts.sql"), SLICE),
    (include_str!("sql/delete_predicates.sql"), SLICE),
    (include_str!("sql/delete_run_stages.sql"), STAGES),
    (include_str!("sql/delete_model_calls.sql"), SLICE),
    (include_str!("sql/delete_runs.sql"), SLICE),
];

/// The row of a dataset that was not deleted.
pub(super) fn get(conn: &Connection, dataset: i64) -> Outcome<DatasetSummary> {
    let summary = rows::row(conn, include_str!("sql/get_dataset.sql"), [dataset], rows::dataset)?;
    Ok(summary.ok_or(StorageError::NoDataset)?)
}

/// The user's dataset of this name.
pub(super) fn find(conn: &Connection, user: &str, name: &str) -> Outcome<Option<i64>> {
    Ok(rows::row(conn, include_str!("sql/find_dataset.sql"), [user, name], |row| row.get(0))?)
}

/// Finds or makes the user's dataset of this name.
pub(super) fn create(conn: &Connection, user: &str, name: &str, now: Micros) -> Outcome<i64> {
    let made = rows::execute(conn, include_str!("sql/insert_dataset.sql"), params![user, name, now.0])?;
    let dataset = find(conn, user, name)?.ok_or(StorageError::NoDataset)?;
    if made > 0 {
        rows::execute(conn, include_str!("sql/insert_first_dataset_event.sql"), [dataset])?;
    }
    Ok(dataset)
}

/// The user's datasets by name.
pub(super) fn list(conn: &Connection, user: &str, after: &str, limit: u32) -> Outcome<Vec<DatasetSummary>> {
    Ok(rows::rows(conn, include_str!("sql/list_datasets.sql"), params![user, after, limit], rows::dataset)?)
}

/// Writes back the row of a dataset that a commit changed.
pub(super) fn set(conn: &Connection, dataset: i64, summary: &DatasetSummary) -> Outcome<()> {
    let DatasetSummary { head, artifacts, entities, edges, live_edges } = summary;
    rows::execute(
        conn,
        include_str!("sql/set_dataset.sql"),
        params![
            head.description,
            tags(head),
            sql_int(head.seq),
            sql_int(head.version),
            head.last_at.0,
            sql_int(head.next.artifact.0),
            sql_int(head.next.entity.0),
            sql_int(head.next.edge.0),
            sql_int(head.next.series.0),
            sql_int(*artifacts),
            sql_int(*entities),
            sql_int(*edges),
            sql_int(*live_edges),
            dataset,
        ],
    )?;
    Ok(())
}

/// Logs what people say of a dataset from a commit on.
pub(super) fn log_head(conn: &Connection, dataset: i64, run: RunId, committed: Committed, head: &Head) -> Outcome<()> {
    let (seq, at) = (sql_int(committed.seq), committed.at.0);
    let values = params![dataset, seq, at, sql_int(run.0), head.description, tags(head)];
    rows::execute(conn, include_str!("sql/insert_dataset_event.sql"), values)?;
    Ok(())
}

fn tags(head: &Head) -> String {
    serde_json::to_string(&head.tags).expect("texts can be written as JSON")
}

/// Takes a dataset out of sight; its rows are removed slice by slice.
pub(super) fn mark_deleted(conn: &Connection, dataset: i64, now: Micros) -> Outcome<()> {
    let marked = rows::execute(conn, include_str!("sql/delete_dataset.sql"), params![now.0, dataset])?;
    if marked == 0 { Err(StorageError::NoDataset.into()) } else { Ok(()) }
}

/// Datasets whose removal a crash interrupted.
pub(super) fn list_deleted(conn: &Connection) -> Outcome<Vec<i64>> {
    Ok(rows::rows(conn, include_str!("sql/list_deleted_datasets.sql"), [], |row| row.get(0))?)
}

/// Removes a slice of a deleted dataset; whether that was the last one.
pub(super) fn remove_slice(conn: &Connection, dataset: i64) -> Outcome<bool> {
    for (statement, slice) in SLICES {
        if rows::execute(conn, statement, [dataset, slice])? > 0 {
            return Ok(false);
        }
    }
    rows::execute(conn, include_str!("sql/delete_deleted_dataset.sql"), [dataset])?;
    Ok(true)
}

/// Whether the database answers.
pub(super) fn ping(conn: &Connection) -> Outcome<()> {
    rows::row(conn, include_str!("sql/ping.sql"), [], |_| Ok(()))?;
    Ok(())
}
