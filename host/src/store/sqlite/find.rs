//! Finding edges: which statement and which index serve a query.
//!
//! Now-reads and reads of a past transaction time share one statement over `gb_edges`: most edges have not changed
//! since. What has is in the log, whose versions of the past are indexed the same way. Each stream comes sorted from
//! its index, and at most four of them are merged: two ends of an edge, two places.

use gligabao_core::model::{Direction, Edge, EntityId, Position};
use gligabao_core::storage::rules::{LAST_INSTANT, check_page};
use gligabao_core::storage::{EdgeFilter, EdgeOrder, EdgePage, EdgeQuery, Standing, TargetKey, Validity, answer};
use gligabao_core::time::{Instant, Micros};
use rusqlite::Connection;
use rusqlite::types::ToSqlOutput;

use super::fail::{Fail, Outcome};
use super::rows::{self, sql_int};
use super::shape::{Shape, text};

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

/// A transaction time before the last change.
#[derive(Clone, Copy)]
pub(super) struct Past {
    pub(super) known_at: Micros,
    /// The next free edge of then: what was told later is skipped within an index.
    pub(super) next_edge: i64,
}

impl Past {
    /// `None` before the first change.
    fn at(conn: &Connection, dataset: i64, known_at: Micros) -> Outcome<Option<Self>> {
        let sql = include_str!("sql/find_next_edge.sql");
        let next_edge = rows::row(conn, sql, [dataset, known_at.0], |row| row.get(0))?;
        Ok(next_edge.map(|next_edge| Self { known_at, next_edge }))
    }
}

/// One page of edges of a dataset whose last change was at `last_at`.
pub(super) fn find_edges(conn: &Connection, dataset: i64, last_at: Micros, query: &EdgeQuery) -> Outcome<EdgePage> {
    check_page(query.page)?;
    if let Validity::Meets((Some(from), Some(until))) = query.filter.validity
        && from > until
    {
        return Ok(EdgePage { edges: Vec::new(), next: None });
    }
    let past = match query.filter.known_at.filter(|known_at| *known_at < last_at) {
        None => None,
        Some(known_at) => match Past::at(conn, dataset, known_at)? {
            Some(past) => Some(past),
            None => return Ok(EdgePage { edges: Vec::new(), next: None }),
        },
    };
    let mut edges = Vec::new();
    for end in ends(&query.filter) {
        edges.extend(current(dataset, end, past, query).rows(conn, CURRENT, rows::edge)?);
        if let Some(past) = past {
            edges.extend(versions(dataset, end, past, query).rows(conn, VERSIONS, rows::edge)?);
        }
    }
    page(edges, query)
}

/// The statements that serve a query, for tests of their plans.
#[cfg(test)]
pub(super) fn statements(dataset: i64, past: Option<Past>, query: &EdgeQuery) -> Vec<String> {
    let mut statements = Vec::new();
    for end in ends(&query.filter) {
        statements.push(current(dataset, end, past, query).text(CURRENT));
        statements.extend(past.map(|past| versions(dataset, end, past, query).text(VERSIONS)));
    }
    statements
}

/// The ends that a filter looks at; together they give every edge once.
fn ends(filter: &EdgeFilter) -> impl Iterator<Item = End> + use<> {
    let (one, other) = match (filter.entity, filter.direction) {
        (None, _) => (End::Free, None),
        (Some(entity), Direction::Outgoing) => (End::Source(entity), None),
        (Some(entity), Direction::Incoming) => (End::Target(entity), None),
        (Some(entity), Direction::Both) => (End::Source(entity), Some(End::TargetOnly(entity))),
    };
    std::iter::once(one).chain(other)
}

/// Merges what the streams gave.
fn page(mut edges: Vec<Edge>, query: &EdgeQuery) -> Outcome<EdgePage> {
    let key = |edge: &Edge| match query.order {
        EdgeOrder::OldestValid | EdgeOrder::LatestValid => (edge.bounds.valid_at.at.0, edge.id.0),
        EdgeOrder::NewestTold => (0, edge.id.0),
    };
    match query.order {
        EdgeOrder::OldestValid => edges.sort_by_key(key),
        EdgeOrder::LatestValid | EdgeOrder::NewestTold => edges.sort_by_key(|edge| std::cmp::Reverse(key(edge))),
    }
    let (edges, more) = answer::page(edges.into_iter().map(Ok::<Edge, Fail>), query.page.limit)?;
    let next = edges.last().filter(|_| more).map(|edge| {
        let (at, id) = key(edge);
        Position { at, id }
    });
    Ok(EdgePage { edges, next })
}

/// The statement for edges with the bounds that they have now, and had in the past already.
fn current(dataset: i64, end: End, past: Option<Past>, query: &EdgeQuery) -> Shape<'_> {
    let mut shape = Shape::default();
    let index = current_index(end, query);
    shape.keep(index);
    if let Some(past) = past {
        shape.keep_with("known_at", ":known_at", past.known_at.0);
        shape.bind(":next_edge_id", past.next_edge);
    }
    // The indexes by telling hold whether a row is live; the others hold nothing else.
    let by_telling = matches!(index, "source_told" | "target_told");
    narrow(&mut shape, dataset, end, if by_telling { "live_told" } else { "live" }, query);
    shape
}

/// The statement for edges that changed since, with the bounds of then.
fn versions(dataset: i64, end: End, past: Past, query: &EdgeQuery) -> Shape<'_> {
    let mut shape = Shape::default();
    shape.keep(match (end, &query.filter) {
        (End::Source(_), _) => "source_valid",
        (End::Target(_) | End::TargetOnly(_), _) | (End::Free, EdgeFilter { target: Some(_), .. }) => "target_valid",
        (End::Free, EdgeFilter { relation: Some(_), .. }) => "relation_valid",
        (End::Free, _) => "valid",
    });
    shape.bind(":known_at", past.known_at.0);
    narrow(&mut shape, dataset, end, "live", query);
    shape
}

/// The index that serves a query with the fewest rows looked at.
fn current_index(end: End, query: &EdgeQuery) -> &'static str {
    let source = matches!(end, End::Source(_));
    let target = query.filter.target.is_some() || matches!(end, End::Target(_) | End::TargetOnly(_));
    let relation = query.filter.relation.is_some();
    let told = query.order == EdgeOrder::NewestTold;
    let live = query.filter.standing == Standing::Live;
    match (source, target, relation) {
        (true, true, _) => "source_target",
        (true, false, _) if told => "source_told",
        (true, false, _) if live => "source_live",
        (true, false, true) => "source_relation",
        (true, false, false) => "source_valid",
        (false, true, _) if told => "target_told",
        (false, true, _) if live => "target_live",
        (false, true, _) => "target_valid",
        (false, false, true) => "relation_valid",
        (false, false, false) if told => "told",
        (false, false, false) => "valid",
    }
}

/// What both statements have in common; `live` is the line that keeps live rows.
fn narrow<'a>(shape: &mut Shape<'a>, dataset: i64, end: End, live: &'static str, query: &'a EdgeQuery) {
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
            shape.keep_with("from", ":from", before_the_end(at));
        }
        Validity::Meets((from, until)) => {
            shape.keep("not_empty");
            if let Some(until) = until {
                shape.keep_with("until", ":until", until.0);
            }
            if let Some(from) = from {
                shape.keep_with("from", ":from", before_the_end(from));
            }
        }
    }
    match filter.standing {
        Standing::Any => {}
        Standing::Believed => shape.keep("believed"),
        Standing::Live => shape.keep(live),
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

/// An open interval ends with the last integer, which an instant that is asked about must not reach.
fn before_the_end(at: Instant) -> i64 {
    at.min(LAST_INSTANT).0
}

fn target_key(key: &TargetKey) -> ToSqlOutput<'_> {
    match key {
        TargetKey::Entity(id) => sql_int(id.0).into(),
        TargetKey::Text(normalized) => text(normalized),
    }
}
