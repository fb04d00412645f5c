//! Applying a plan, in a transaction that the writer holds.

use gligabao_core::model::{Artifact, ArtifactId, Bounds, EdgeEventKind, EdgeId, EntityId, RunId, Target};
use gligabao_core::storage::rules::{self, Reference, resolve_bounds};
use gligabao_core::storage::{
    AddEdge, AddEntity, AddEvent, Change, Committed, Plan, SetDataset, StorageError, StorageResult, TargetKey,
};
use gligabao_core::time::Micros;
use rusqlite::types::Value;
use rusqlite::{Connection, ToSql, params, params_from_iter};

use super::datasets::{self, Ended};
use super::fail::{Fail, Outcome};
use super::rows::{self, KeyColumn, sql_int};
use crate::store::{DatasetSummary, run_is_not_open};

/// Checks and applies a plan and ends its run.
pub(super) fn commit(conn: &Connection, dataset: i64, run: RunId, plan: &Plan, clock: Micros) -> Outcome<Committed> {
    let summary = datasets::get(conn, dataset)?;
    if !datasets::is_open(conn, dataset, run)? {
        return Err(run_is_not_open(run).into());
    }
    rules::check_plan(plan, &summary.head, &mut |reference| holds(conn, dataset, reference))?;
    let committed = Committed { seq: summary.head.seq + 1, at: rules::next_at(clock, summary.head.last_at) };
    let mut apply = Apply { conn, dataset, run, committed, summary };
    for change in &plan.changes {
        apply.change(change)?;
    }
    let head = &mut apply.summary.head;
    head.seq = committed.seq;
    head.version = committed.seq;
    head.last_at = committed.at;
    datasets::set(conn, dataset, &apply.summary)?;
    let changed = Some((committed.at, apply.summary.head.next.edge));
    let ended = Ended { at: clock, seq: committed.seq, changed, error: None };
    datasets::log_end(conn, dataset, run, &ended)?;
    Ok(committed)
}

fn holds(conn: &Connection, dataset: i64, reference: Reference) -> StorageResult<bool> {
    let (sql, id) = match reference {
        Reference::Artifact(id) => (include_str!("sql/has_artifact.sql"), id.0),
        Reference::Entity(id) => (include_str!("sql/has_entity.sql"), id.0),
        Reference::Edge(id) => (include_str!("sql/has_edge.sql"), id.0),
    };
    let answer = rows::row(conn, sql, params![dataset, sql_int(id)], |row| row.get(0));
    Ok(answer.map_err(Fail::from)?.unwrap_or(false))
}

struct Apply<'a> {
    conn: &'a Connection,
    dataset: i64,
    run: RunId,
    committed: Committed,
    /// The row of the dataset, written back once at the end.
    summary: DatasetSummary,
}

/// One line of the log of an edge.
struct Event<'a> {
    edge: EdgeId,
    number: i64,
    kind: EdgeEventKind,
    artifact: Option<ArtifactId>,
    cause: Option<EdgeId>,
    source: i64,
    relation: &'a str,
    target_key: &'a dyn ToSql,
}

impl Apply<'_> {
    fn change(&mut self, change: &Change) -> Outcome<()> {
        let (conn, dataset) = (self.conn, self.dataset);
        match change {
            Change::AddArtifact(artifact) => self.add_artifact(artifact)?,
            Change::AddEntity(add) => self.add_entity(add)?,
            Change::SetEntity(set) => {
                let values = params![set.r#type, set.description, dataset, sql_int(set.id.0)];
                rows::execute(conn, include_str!("sql/set_entity.sql"), values)?;
            }
            Change::AddMention(mention) => {
                let (entity, artifact) = (sql_int(mention.entity.0), sql_int(mention.artifact.0));
                let values = params![dataset, entity, artifact, mention.description];
                rows::execute(conn, include_str!("sql/insert_mention.sql"), values)?;
            }
            Change::AddEdge(add) => self.add_edge(add)?,
            Change::AddStatement(statement) => {
                let (edge, artifact) = (sql_int(statement.edge.0), sql_int(statement.artifact.0));
                let values = params![dataset, edge, artifact, statement.description, statement.raw_text];
                rows::execute(conn, include_str!("sql/insert_statement.sql"), values)?;
            }
            Change::AddEvent(add) => self.add_event(add)?,
            Change::PutPredicate(predicate) => {
                let values = params![dataset, predicate.name, predicate.functional, predicate.description];
                rows::execute(conn, include_str!("sql/put_predicate.sql"), values)?;
            }
            Change::SetDataset(set) => self.set_dataset(set),
        }
        Ok(())
    }

    fn add_artifact(&mut self, artifact: &Artifact) -> Outcome<()> {
        let values = params![
            self.dataset,
            sql_int(artifact.id.0),
            artifact.parent.map(|id| sql_int(id.0)),
            artifact.kind.as_str(),
            artifact.text,
            artifact.title,
            artifact.session_id,
            artifact.wing,
            artifact.valid_at.0,
            self.committed.at.0,
        ];
        rows::execute(self.conn, include_str!("sql/insert_artifact.sql"), values)?;
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
            entity.r#type,
            entity.description,
            entity.model,
            self.committed.at.0
        ];
        rows::execute(self.conn, include_str!("sql/insert_entity.sql"), values)?;
        let values = params![self.dataset, add.normalized_name, id, true];
        rows::execute(self.conn, include_str!("sql/insert_alias.sql"), values)?;
        self.summary.head.next.entity = EntityId(entity.id.0 + 1);
        self.summary.entities += 1;
        Ok(())
    }

    fn add_edge(&mut self, add: &AddEdge) -> Outcome<()> {
        let edge = &add.edge;
        let bounds = resolve_bounds(edge.bounds, self.committed.at);
        let (key, text) = match (&edge.target, &add.normalized_target) {
            (Target::Text(text), Some(normalized)) => (TargetKey::Text(normalized.clone()), Some(text)),
            (Target::Entity(target), None) => (TargetKey::Entity(*target), None),
            _ => unreachable!("the plan was checked: a literal has its normalized form, an entity has none"),
        };
        let (id, source, at) = (sql_int(edge.id.0), sql_int(edge.source.0), self.committed.at.0);
        let values = params![
            self.dataset,
            id,
            source,
            edge.relation,
            KeyColumn(&key),
            text,
            edge.description,
            at,
            edge.artifact.map(|id| sql_int(id.0)),
            edge.model,
            edge.confidence,
            edge.wing,
            edge.raw_text,
        ];
        self.execute_with_bounds(include_str!("sql/insert_edge.sql"), values, &bounds, &[])?;
        self.insert_event(
            &Event {
                edge: edge.id,
                number: 1,
                kind: EdgeEventKind::Created,
                artifact: edge.artifact,
                cause: None,
                source,
                relation: &edge.relation,
                target_key: &KeyColumn(&key),
            },
            &bounds,
        )?;
        self.count_edge(edge.source)?;
        if let TargetKey::Entity(target) = key
            && target != edge.source
        {
            self.count_edge(target)?;
        }
        self.summary.head.next.edge = EdgeId(edge.id.0 + 1);
        self.summary.edges += 1;
        self.summary.live_edges += u64::from(bounds.is_live());
        Ok(())
    }

    fn add_event(&mut self, add: &AddEvent) -> Outcome<()> {
        let after = resolve_bounds(add.after, self.committed.at);
        let edge = sql_int(add.edge.0);
        let sql = include_str!("sql/get_edge_state.sql");
        let before = rows::row(self.conn, sql, [self.dataset, edge], rows::edge_state)?
            .ok_or_else(|| StorageError::Invalid(format!("there is no edge {}", add.edge)))?;
        let (at, number) = (self.committed.at.0, before.events + 1);
        rows::execute(self.conn, include_str!("sql/follow_event.sql"), [at, self.dataset, edge, before.events])?;
        self.execute_with_bounds(
            include_str!("sql/set_edge.sql"),
            params![at, number],
            &after,
            params![self.dataset, edge],
        )?;
        self.insert_event(
            &Event {
                edge: add.edge,
                number,
                kind: add.kind,
                artifact: add.artifact,
                cause: add.cause,
                source: before.source,
                relation: &before.relation,
                target_key: &before.target_key,
            },
            &after,
        )?;
        self.summary.live_edges -= u64::from(before.bounds.is_live());
        self.summary.live_edges += u64::from(after.is_live());
        Ok(())
    }

    fn insert_event(&self, event: &Event<'_>, after: &Bounds) -> Outcome<()> {
        let values = params![
            self.dataset,
            sql_int(event.edge.0),
            event.number,
            event.kind.as_str(),
            self.committed.at.0,
            sql_int(self.committed.seq),
            sql_int(self.run.0),
            event.artifact.map(|id| sql_int(id.0)),
            event.cause.map(|id| sql_int(id.0)),
            event.source,
            event.relation,
            event.target_key,
        ];
        self.execute_with_bounds(include_str!("sql/insert_event.sql"), values, after, &[])
    }

    fn count_edge(&self, entity: EntityId) -> Outcome<()> {
        rows::execute(self.conn, include_str!("sql/count_edge.sql"), [self.dataset, sql_int(entity.0)])?;
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

    /// Runs a statement whose parameters are these, then those of bounds, then these.
    fn execute_with_bounds(
        &self,
        sql: &str,
        first: &[&dyn ToSql],
        bounds: &Bounds,
        last: &[&dyn ToSql],
    ) -> Outcome<()> {
        let bounds = rows::bounds_columns(bounds);
        let bounds = bounds.iter().map(|value: &Value| value as &dyn ToSql);
        rows::execute(
            self.conn,
            sql,
            params_from_iter(first.iter().copied().chain(bounds).chain(last.iter().copied())),
        )?;
        Ok(())
    }
}
