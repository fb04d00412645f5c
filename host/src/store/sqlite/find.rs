//! Finding edges: which statement and which index serve a query.
//!
//! Now-reads and reads of a past transaction time share one statement over `gb_edges`: most edges have not changed
//! since. What has is in the log, whose versions of the past are indexed the same way. Each stream comes sorted from
//! its index, and at most four of them are merged: two ends of an edge, two places.

use gligabao_core::model::{Direction, Edge, EntityId, Position};
use gligabao_core::storage::rules::check_page;
use gligabao_core::storage::{EdgeFilter, EdgeOrder, EdgePage, EdgeQuery, Validity};
use gligabao_core::time::Micros;
use rusqlite::Connection;
use rusqlite::types::{ToSqlOutput, ValueRef};

use super::fail::Outcome;
use super::rows::{self, sql_int};
use super::shape::Shape;
use gligabao_core::storage::TargetKey;

const CURRENT: &str = include_str!("sql/find_edges.sql");
const VERSIONS: &str = include_str!("sql/find_edge_versions.sql");

/// Which end of the edges is anchored at the entity of the filter.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// None is: there is no such entity.
    Free,
    Source(EntityId),
    Target(EntityId),
    /// The target, without the loops that the source gives already.
    TargetOnly(EntityId),
}

/// One page of edges of a dataset whose last change was at `last_at`.
pub(super) fn find_edges(conn: &Connection, dataset: i64, last_at: Micros, query: &EdgeQuery) -> Outcome<EdgePage> {
    check_page(query.page)?;
    if let Validity::Meets((Some(from), Some(until))) = query.filter.validity
        && from > until
    {
        return Ok(EdgePage { edges: Vec::new(), next: None });
    }
    let ends: &[End] = match (query.filter.entity, query.filter.direction) {
        (None, _) => &[End::Free],
        (Some(entity), Direction::Outgoing) => &[End::Source(entity)],
        (Some(entity), Direction::Incoming) => &[End::Target(entity)],
        (Some(entity), Direction::Both) => &[End::Source(entity), End::TargetOnly(entity)],
    };
    let known_at = query.filter.known_at.filter(|known_at| *known_at < last_at);
    let mut edges = Vec::new();
    for end in ends {
        edges.extend(current(dataset, *end, known_at, query).rows(conn, CURRENT, rows::edge)?);
        if let Some(known_at) = known_at {
            edges.extend(versions(dataset, *end, known_at, query).rows(conn, VERSIONS, rows::edge)?);
        }
    }
    Ok(page(edges, query))
}

/// Merges what the streams gave.
fn page(mut edges: Vec<Edge>, query: &EdgeQuery) -> EdgePage {
    let key = |edge: &Edge| match query.order {
        EdgeOrder::OldestValid | EdgeOrder::LatestValid => (edge.bounds.valid_at.at.0, edge.id.0),
        EdgeOrder::NewestTold => (0, edge.id.0),
    };
    match query.order {
        EdgeOrder::OldestValid => edges.sort_by_key(key),
        EdgeOrder::LatestValid | EdgeOrder::NewestTold => edges.sort_by_key(|edge| std::cmp::Reverse(key(edge))),
    }
    let more = edges.len() > query.page.limit as usize;
    edges.truncate(query.page.limit as usize);
    let next = edges.last().filter(|_| more).map(|edge| {
        let (at, id) = key(edge);
        Position { at, id }
    });
    EdgePage { edges, next }
}

/// The statement for edges with the bounds that they have now, and had at `known_at` already.
fn current(dataset: i64, end: End, known_at: Option<Micros>, query: &EdgeQuery) -> Shape<'_> {
    let mut shape = Shape::default();
    if let Some(index) = current_index(end, query) {
        shape.keep(index);
    }
    if let Some(known_at) = known_at {
        shape.keep_with("known_at", ":known_at", known_at.0);
    }
    narrow(&mut shape, dataset, end, query);
    shape
}

/// The statement for edges that changed after `known_at`, with the bounds of then.
fn versions(dataset: i64, end: End, known_at: Micros, query: &EdgeQuery) -> Shape<'_> {
    let mut shape = Shape::default();
    shape.keep(match (end, &query.filter) {
        (End::Source(_), _) => "source_valid",
        (End::Target(_) | End::TargetOnly(_), _) | (End::Free, EdgeFilter { target: Some(_), .. }) => "target_valid",
        (End::Free, EdgeFilter { relation: Some(_), .. }) => "relation_valid",
        (End::Free, _) => "valid",
    });
    shape.bind(":known_at", known_at.0);
    narrow(&mut shape, dataset, end, query);
    shape
}

/// The index that serves a query with the fewest rows looked at; none: the primary key does.
fn current_index(end: End, query: &EdgeQuery) -> Option<&'static str> {
    let source = matches!(end, End::Source(_));
    let target = query.filter.target.is_some() || matches!(end, End::Target(_) | End::TargetOnly(_));
    let relation = query.filter.relation.is_some();
    let told = query.order == EdgeOrder::NewestTold;
    match (source, target, relation) {
        (true, true, _) => Some("source_target"),
        (true, false, _) if told => Some("source_told"),
        (true, false, true) => Some("source_relation"),
        (true, false, false) => Some("source_valid"),
        (false, true, _) => Some(if told { "target_told" } else { "target_valid" }),
        (false, false, true) => Some("relation_valid"),
        (false, false, false) => (!told).then_some("valid"),
    }
}

/// What both statements have in common.
fn narrow<'a>(shape: &mut Shape<'a>, dataset: i64, end: End, query: &'a EdgeQuery) {
    let EdgeQuery { filter, order, page } = query;
    shape.bind(":dataset_id", dataset);
    match end {
        End::Free => {}
        End::Source(id) => shape.keep_with("source", ":source", sql_int(id.0)),
        End::Target(id) => shape.keep_with("target", ":target", sql_int(id.0)),
        End::TargetOnly(id) => {
            shape.keep_with("target", ":target", sql_int(id.0));
            shape.keep_with("other_source", ":other_source", sql_int(id.0));
        }
    }
    if let Some(key) = &filter.target {
        match end {
            End::Target(_) | End::TargetOnly(_) => shape.keep_with("target_too", ":target_too", target_key(key)),
            End::Free | End::Source(_) => shape.keep_with("target", ":target", target_key(key)),
        }
    }
    if let Some(relation) = &filter.relation {
        shape.keep_with("relation", ":relation", text(relation));
    }
    match filter.validity {
        Validity::Any => {}
        Validity::At(at) => {
            shape.keep_with("until", ":until", at.0);
            shape.keep_with("from", ":from", at.0);
        }
        Validity::Meets((from, until)) => {
            shape.keep("not_empty");
            if let Some(until) = until {
                shape.keep_with("until", ":until", until.0);
            }
            if let Some(from) = from {
                shape.keep_with("from", ":from", from.0);
            }
        }
    }
    if !filter.retracted {
        shape.keep("believed");
    }
    if !filter.unknown_start {
        shape.keep("known_start");
    }
    if let Some(wing) = &filter.wing {
        shape.keep_with("wing", ":wing", text(wing));
    }
    let (sorted, after) = match order {
        EdgeOrder::OldestValid => ("oldest_valid", "after_valid"),
        EdgeOrder::LatestValid => ("latest_valid", "before_valid"),
        EdgeOrder::NewestTold => ("newest_told", "before_told"),
    };
    shape.keep(sorted);
    if let Some(position) = page.after {
        shape.keep_with(after, ":after_id", sql_int(position.id));
        if *order != EdgeOrder::NewestTold {
            shape.bind(":after_at", position.at);
        }
    }
    shape.bind(":limit", i64::from(page.limit) + 1);
}

fn target_key(key: &TargetKey) -> ToSqlOutput<'_> {
    match key {
        TargetKey::Entity(id) => sql_int(id.0).into(),
        TargetKey::Text(normalized) => text(normalized),
    }
}

fn text(text: &str) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))
}
