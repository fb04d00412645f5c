//! Repeats: is a told fact one that is stored already, and what does it add to it?

use super::told::{Told, end_after};
use crate::model::{Edge, EdgeId, StartSource};
use crate::time::{Date, Instant, Interval};

/// What a told fact is, seen from the stored rows of the same source, relation and target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// None of them: a row of its own.
    New,
    /// A stored row, told again.
    Known {
        /// That row.
        edge: EdgeId,
        /// The earlier start that it has from now on.
        start: Option<(Date, StartSource)>,
        /// The end that it has from now on.
        end: Option<Date>,
        /// It had ended but holds again from this end on: a row of its own as well.
        again_from: Option<Date>,
    },
}

/// Decides which of the stored rows a told fact repeats.
///
/// `stored` are the rows of the same source, relation and target that are not retracted. `limit` is, for a functional
/// relation, the start of the next other value after the told start: the told fact counts only up to there, as the
/// stored rows count only up to their own limit. Of several rows that it overlaps the open one counts, else the latest.
#[must_use]
pub fn decide(told: &Told, stored: &[Edge], limit: Option<Instant>) -> Repeat {
    let overlapping = stored.iter().filter(|row| overlaps(told, row, limit));
    let order = |row: &&Edge| (row.bounds.invalid_at.is_none(), row.bounds.valid_at.at, row.id);
    match overlapping.max_by_key(order) {
        Some(row) => repeat_of(told, row),
        None => Repeat::New,
    }
}

fn overlaps(told: &Told, row: &Edge, limit: Option<Instant>) -> bool {
    let start = row.bounds.valid_at.at;
    let end = match told.end {
        None => None,
        Some(end) => match end_after(end, start, told.at) {
            None => return false,
            end => end.map(|end| end.at),
        },
    };
    let end = match (end, limit) {
        (Some(end), Some(limit)) => Some(end.min(limit)),
        (end, limit) => end.or(limit),
    };
    Interval::new(told.start.at, end).overlaps(row.bounds.interval())
}

fn repeat_of(told: &Told, row: &Edge) -> Repeat {
    let bounds = &row.bounds;
    let start = match bounds.start_source {
        StartSource::Fallback if told.source != StartSource::Unknown && told.start.at < bounds.valid_at.at => {
            Some((told.start, told.source))
        }
        StartSource::Unknown if told.source == StartSource::Stated => Some((told.start, told.source)),
        _ => None,
    };
    let end = match (told.end, bounds.stated_end) {
        (Some(end), None) => end_after(end, start.map_or(bounds.valid_at.at, |(start, _)| start.at), told.at),
        _ => None,
    };
    let again_from =
        bounds.stated_end.filter(|end| told.end.is_none() && bounds.expired_at.is_none() && told.at >= end.at);
    Repeat::Known { edge: row.id, start, end, again_from }
}
