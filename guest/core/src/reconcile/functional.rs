//! Functional relations: one target at a time for a subject.
//!
//! The rows of one (subject, relation) that are not retracted and have a known start, in the order (start, told), are a
//! chain: each holds from its start to the earlier of its stated end and the start of the next one. Of equal starts the
//! one told first gets an empty interval. So the intervals are a function of the rows, whatever the order in which
//! they were told, and only the neighbours of a row that comes, moves or goes can change.

use crate::model::{Bounds, EdgeEventKind, Moment};
use crate::time::Date;

/// The bounds of a row before which the next value starts at `limit`.
#[must_use]
pub fn limited(bounds: &Bounds, limit: Option<Date>) -> Bounds {
    let cut = limit.filter(|limit| bounds.stated_end.is_none_or(|end| limit.at < end.at));
    match cut {
        Some(limit) => {
            let expired_at = bounds.expired_at.or(Some(Moment::Now));
            Bounds { invalid_at: Some(limit), expired_at, ..*bounds }
        }
        None => Bounds { invalid_at: bounds.stated_end, expired_at: None, ..*bounds },
    }
}

/// What it is called when the limit of a row changes; `None` when it stays.
#[must_use]
pub fn change_of_limit(before: &Bounds, after: &Bounds, row_is_new: bool) -> Option<EdgeEventKind> {
    if before == after {
        return None;
    }
    let end = |bounds: &Bounds| bounds.invalid_at.map(|end| end.at);
    Some(match (before.expired_at, after.expired_at) {
        (Some(_), None) => EdgeEventKind::Reopened,
        _ if row_is_new => EdgeEventKind::Superseded,
        (Some(_), Some(_)) if end(after) > end(before) => EdgeEventKind::Revised,
        _ => EdgeEventKind::Invalidated,
    })
}
