//! What an overlay asks storage for.

use super::{FactKey, SAME_FACT_ROWS, Side, ValueKey};
use crate::model::{Direction, Page, Position};
use crate::reconcile::told::Told;
use crate::storage::{EdgeFilter, EdgeOrder, EdgePage, EdgeQuery, Standing, TargetKey, Validity};
use crate::time::Instant;

/// How many rows a page lacks; `None` when it is full.
pub(super) fn left(query: &EdgeQuery, page: &EdgePage) -> Option<u32> {
    let given = u32::try_from(page.edges.len()).unwrap_or(u32::MAX);
    query.page.limit.checked_sub(given).filter(|left| *left > 0)
}

pub(super) fn outgoing(value: &ValueKey, target: Option<TargetKey>, unknown_start: bool) -> EdgeFilter {
    EdgeFilter {
        entity: Some(value.source),
        direction: Direction::Outgoing,
        relation: Some(value.relation.clone()),
        target,
        validity: Validity::Any,
        known_at: None,
        standing: Standing::Believed,
        unknown_start,
        wing: None,
    }
}

/// The newest rows that start before the told fact ends, in any reading of its end, and before the limit.
pub(super) fn same_fact(key: &FactKey, told: &Told, limit: Option<Instant>) -> EdgeQuery {
    let filter = outgoing(&key.value, Some(key.target.clone()), true);
    let end = told.end.map(|end| end.period_end().max(end.at));
    let before = [end, limit].into_iter().flatten().min();
    let after = before.map(|before| Position { at: before.0, id: 0 });
    EdgeQuery { filter, order: EdgeOrder::LatestValid, page: Page { limit: SAME_FACT_ROWS, after } }
}

pub(super) fn chain(key: &ValueKey, side: Side, place: Position) -> EdgeQuery {
    let order = match side {
        Side::Before => EdgeOrder::LatestValid,
        Side::After => EdgeOrder::OldestValid,
    };
    EdgeQuery { filter: outgoing(key, None, false), order, page: Page { limit: 1, after: Some(place) } }
}

/// The newest rows of a fact that are live.
pub(super) fn live(key: &FactKey) -> EdgeQuery {
    let filter = EdgeFilter { standing: Standing::Live, ..outgoing(&key.value, Some(key.target.clone()), true) };
    EdgeQuery { filter, order: EdgeOrder::NewestTold, page: Page { limit: SAME_FACT_ROWS, after: None } }
}
