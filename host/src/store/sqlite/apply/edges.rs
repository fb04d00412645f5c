//! Applying what a plan says of edges, and their log.

use gligabao_core::model::{ArtifactId, Bounds, EdgeEventKind, EdgeId, EntityId, Target};
use gligabao_core::storage::rules::resolve_bounds;
use gligabao_core::storage::{AddEdge, AddEvent, StorageError, TargetKey};
use rusqlite::types::Value;
use rusqlite::{ToSql, params, params_from_iter};

use super::Apply;
use crate::store::sqlite::fail::Outcome;
use crate::store::sqlite::rows::{self, KeyColumn, sql_int};

/// One line of the log of an edge.
struct Event<'a> {
    edge: EdgeId,
    kind: EdgeEventKind,
    artifact: Option<ArtifactId>,
    cause: Option<EdgeId>,
    /// `seq` and number of the edge's event before.
    before: Option<(i64, i64)>,
    source: i64,
    relation: &'a str,
    target_key: &'a dyn ToSql,
}

impl Apply<'_> {
    pub(super) fn add_edge(&mut self, add: &AddEdge) -> Outcome<()> {
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
            sql_int(self.committed.seq),
            self.edge_events,
            edge.artifact.map(|id| sql_int(id.0)),
            edge.model,
            edge.confidence,
            edge.wing,
            edge.raw_text,
        ];
        self.execute_with_bounds(include_str!("../sql/insert_edge.sql"), values, &bounds, &[])?;
        self.insert_event(
            &Event {
                edge: edge.id,
                kind: EdgeEventKind::Created,
                artifact: edge.artifact,
                cause: None,
                before: None,
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

    pub(super) fn add_event(&mut self, add: &AddEvent) -> Outcome<()> {
        let after = resolve_bounds(add.after, self.committed.at);
        let edge = sql_int(add.edge.0);
        let sql = include_str!("../sql/get_edge_state.sql");
        let before = rows::row(self.conn, sql, [self.dataset, edge], rows::edge_state)?
            .ok_or_else(|| StorageError::Invalid(format!("there is no edge {}", add.edge)))?;
        let (at, seq) = (self.committed.at.0, sql_int(self.committed.seq));
        rows::execute(
            self.conn,
            include_str!("../sql/follow_event.sql"),
            [at, self.dataset, before.last.0, before.last.1],
        )?;
        self.execute_with_bounds(
            include_str!("../sql/set_edge.sql"),
            params![at, seq, self.edge_events],
            &after,
            params![self.dataset, edge],
        )?;
        self.insert_event(
            &Event {
                edge: add.edge,
                kind: add.kind,
                artifact: add.artifact,
                cause: add.cause,
                before: Some(before.last),
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

    fn insert_event(&mut self, event: &Event<'_>, after: &Bounds) -> Outcome<()> {
        let values = params![
            self.dataset,
            sql_int(self.committed.seq),
            self.edge_events,
            sql_int(event.edge.0),
            event.kind.as_str(),
            self.committed.at.0,
            event.before.map(|(seq, _)| seq),
            event.before.map(|(_, number)| number),
            sql_int(self.run.0),
            event.artifact.map(|id| sql_int(id.0)),
            event.cause.map(|id| sql_int(id.0)),
            event.source,
            event.relation,
            event.target_key,
        ];
        self.execute_with_bounds(include_str!("../sql/insert_event.sql"), values, after, &[])?;
        self.edge_events += 1;
        Ok(())
    }

    fn count_edge(&self, entity: EntityId) -> Outcome<()> {
        rows::execute(self.conn, include_str!("../sql/count_edge.sql"), [self.dataset, sql_int(entity.0)])?;
        Ok(())
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
