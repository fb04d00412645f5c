//! Applying a plan, in a transaction that the writer holds.

mod edges;
mod points;
mod series;

use gligabao_core::model::{AnchorTarget, ArtifactId, Bounds, EdgeId, EntityEventKind, EntityId, RunId, SeriesId};
use gligabao_core::storage::rules::{self, Reference, Stored};
use gligabao_core::storage::{
    AddArtifact, AddEntity, AddEntityEvent, Change, Committed, Plan, SeriesKey, SetDataset, StorageResult,
};
use gligabao_core::time::Micros;
use rusqlite::{Connection, params};

use super::chunk::Sizes;
use super::fail::{Fail, Outcome};
use super::rows::{self, sql_int};
use super::runs::{self, Ended};
use super::{datasets, series as stored_series};
use crate::store::{DatasetSummary, ModelCall, run_is_not_open};

/// Checks and applies a plan and ends its run.
pub(super) fn commit(
    conn: &Connection,
    dataset: i64,
    run: RunId,
    plan: &Plan,
    calls: &[ModelCall],
    clock: Micros,
    sizes: Sizes,
) -> Outcome<Committed> {
    let summary = datasets::get(conn, dataset)?;
    if !runs::is_open(conn, dataset, run)? {
        return Err(run_is_not_open(run).into());
    }
    rules::check_plan(plan, &summary.head, &mut Held { conn, dataset })?;
    let committed = Committed { seq: summary.head.seq + 1, at: rules::next_at(clock, summary.head.last_at) };
    let mut apply = Apply { conn, dataset, run, committed, sizes, summary, entity_events: 0, edge_events: 0 };
    for change in &plan.changes {
        apply.change(change)?;
    }
    if plan.changes.iter().any(|change| matches!(change, Change::SetDataset(_))) {
        datasets::log_head(conn, dataset, run, committed, &apply.summary.head)?;
    }
    let head = &mut apply.summary.head;
    head.seq = committed.seq;
    head.version = committed.seq;
    head.last_at = committed.at;
    datasets::set(conn, dataset, &apply.summary)?;
    let changed = Some((committed.at, apply.summary.head.next));
    let (seq, stages) = (committed.seq, &plan.stages);
    let ended = Ended { at: clock, seq, changed, error: None, stages, calls, answer: None };
    runs::end(conn, dataset, run, &ended)?;
    Ok(committed)
}

/// What a dataset holds before a plan.
struct Held<'a> {
    conn: &'a Connection,
    dataset: i64,
}

impl Stored for Held<'_> {
    fn holds(&mut self, reference: Reference) -> StorageResult<bool> {
        let (sql, id) = match reference {
            Reference::Artifact(id) => (include_str!("sql/has_artifact.sql"), id.0),
            Reference::Entity(id) => (include_str!("sql/has_entity.sql"), id.0),
            Reference::Edge(id) => (include_str!("sql/has_edge.sql"), id.0),
            Reference::Series(id) => (include_str!("sql/has_series.sql"), id.0),
        };
        let answer = rows::row(self.conn, sql, params![self.dataset, sql_int(id)], |row| row.get(0));
        Ok(answer.map_err(Fail::from)?.unwrap_or(false))
    }

    fn bounds(&mut self, edge: EdgeId) -> StorageResult<Option<Bounds>> {
        let sql = include_str!("sql/get_edge_state.sql");
        let state = rows::row(self.conn, sql, params![self.dataset, sql_int(edge.0)], rows::edge_state);
        Ok(state.map_err(Fail::from)?.map(|state| state.bounds))
    }

    fn series(&mut self, key: &SeriesKey) -> StorageResult<Option<SeriesId>> {
        stored_series::id_of(self.conn, self.dataset, key).map_err(Fail::into)
    }

    fn key(&mut self, series: SeriesId) -> StorageResult<Option<SeriesKey>> {
        let sql = include_str!("sql/get_series_key.sql");
        let key = rows::row(self.conn, sql, params![self.dataset, sql_int(series.0)], rows::series_key);
        Ok(key.map_err(Fail::from)?)
    }

    fn is_anchored(&mut self, series: SeriesId, target: AnchorTarget) -> StorageResult<bool> {
        stored_series::is_anchored(self.conn, self.dataset, series, target).map_err(Fail::into)
    }
}

struct Apply<'a> {
    conn: &'a Connection,
    dataset: i64,
    run: RunId,
    committed: Committed,
    sizes: Sizes,
    /// The row of the dataset, written back once at the end.
    summary: DatasetSummary,
    /// Events of entities in this commit so far.
    entity_events: u32,
    /// Events of edges in this commit so far.
    edge_events: u32,
}

/// One line of the log of an entity.
struct EntityEvent<'a> {
    entity: EntityId,
    kind: EntityEventKind,
    artifact: Option<ArtifactId>,
    r#type: &'a str,
    description: &'a str,
}

impl Apply<'_> {
    fn change(&mut self, change: &Change) -> Outcome<()> {
        let (conn, dataset, seq) = (self.conn, self.dataset, sql_int(self.committed.seq));
        match change {
            Change::AddArtifact(add) => self.add_artifact(add)?,
            Change::AddEntity(add) => self.add_entity(add)?,
            Change::AddEntityEvent(event) => self.add_entity_event(event)?,
            Change::AddMention(mention) => {
                let (entity, artifact) = (sql_int(mention.entity.0), sql_int(mention.artifact.0));
                let values = params![dataset, entity, artifact, seq, mention.description];
                rows::execute(conn, include_str!("sql/insert_mention.sql"), values)?;
            }
            Change::AddEdge(add) => self.add_edge(add)?,
            Change::AddStatement(statement) => {
                let (edge, artifact) = (sql_int(statement.edge.0), sql_int(statement.artifact.0));
                let values = params![dataset, edge, artifact, seq, statement.description, statement.raw_text];
                rows::execute(conn, include_str!("sql/insert_statement.sql"), values)?;
            }
            Change::AddEvent(add) => self.add_event(add)?,
            Change::PutPredicate(predicate) => {
                let values = params![dataset, predicate.name, seq, predicate.functional, predicate.description];
                rows::execute(conn, include_str!("sql/put_predicate.sql"), values)?;
            }
            Change::SetDataset(set) => self.set_dataset(set),
            Change::AddParent(add) => {
                let values = params![dataset, sql_int(add.parent.0), sql_int(add.artifact.0), seq];
                rows::execute(conn, include_str!("sql/insert_parent.sql"), values)?;
            }
            Change::PutSeries(put) => self.put_series(put)?,
            Change::PutPoints(put) => self.put_points(put)?,
            Change::DeletePoints(delete) => self.delete_points(delete)?,
            Change::PutAnchor(anchor) => self.put_anchor(anchor)?,
            Change::DeleteAnchor(delete) => self.delete_anchor(delete.series, delete.target)?,
            Change::DeleteSeries(id) => self.delete_series(*id)?,
        }
        Ok(())
    }

    fn add_artifact(&mut self, add: &AddArtifact) -> Outcome<()> {
        let artifact = &add.artifact;
        let id = sql_int(artifact.id.0);
        let values = params![
            self.dataset,
            id,
            artifact.parent.map(|id| sql_int(id.0)),
            artifact.series.map(|id| sql_int(id.0)),
            artifact.kind.as_str(),
            artifact.bytes,
            artifact.title,
            artifact.session_id,
            artifact.wing,
            artifact.valid_at.0,
            self.committed.at.0,
            sql_int(self.committed.seq),
        ];
        rows::execute(self.conn, include_str!("sql/insert_artifact.sql"), values)?;
        rows::execute(self.conn, include_str!("sql/insert_text.sql"), params![self.dataset, id, add.text])?;
        self.summary.head.next.artifact = ArtifactId(artifact.id.0 + 1);
        self.summary.artifacts += 1;
        Ok(())
    }

    fn add_entity(&mut self, add: &AddEntity) -> Outcome<()> {
        let entity = &add.entity;
        let id = sql_int(entity.id.0);
        let values = params![
            self.dataset,
            id,
            entity.name,
            add.normalized_name,
            entity.r#type,
            entity.description,
            entity.model,
            self.committed.at.0,
            sql_int(self.committed.seq),
        ];
        rows::execute(self.conn, include_str!("sql/insert_entity.sql"), values)?;
        let values = params![self.dataset, add.normalized_name, id, true];
        rows::execute(self.conn, include_str!("sql/insert_alias.sql"), values)?;
        self.log_entity(&EntityEvent {
            entity: entity.id,
            kind: EntityEventKind::Created,
            artifact: None,
            r#type: &entity.r#type,
            description: &entity.description,
        })?;
        self.summary.head.next.entity = EntityId(entity.id.0 + 1);
        self.summary.entities += 1;
        Ok(())
    }

    fn add_entity_event(&mut self, add: &AddEntityEvent) -> Outcome<()> {
        let AddEntityEvent { entity, kind, artifact, r#type, description } = add;
        let values = params![r#type, description, self.dataset, sql_int(entity.0)];
        rows::execute(self.conn, include_str!("sql/set_entity.sql"), values)?;
        self.log_entity(&EntityEvent { entity: *entity, kind: *kind, artifact: *artifact, r#type, description })
    }

    fn log_entity(&mut self, event: &EntityEvent<'_>) -> Outcome<()> {
        let values = params![
            self.dataset,
            sql_int(self.committed.seq),
            self.entity_events,
            sql_int(event.entity.0),
            event.kind.as_str(),
            self.committed.at.0,
            sql_int(self.run.0),
            event.artifact.map(|id| sql_int(id.0)),
            event.r#type,
            event.description,
        ];
        rows::execute(self.conn, include_str!("sql/insert_entity_event.sql"), values)?;
        self.entity_events += 1;
        Ok(())
    }

    fn set_dataset(&mut self, set: &SetDataset) {
        let head = &mut self.summary.head;
        if let Some(description) = &set.description {
            head.description.clone_from(description);
        }
        if let Some(tags) = &set.tags {
            head.tags.clone_from(tags);
        }
    }
}
