//! What must hold of the bounds of edges, by themselves and after those that they follow.

use super::{LAST_INSTANT, ensure, invalid};
use crate::model::{Bounds, Moment, StartSource};
use crate::storage::StorageResult;
use crate::time::{Instant, UNKNOWN_START};

/// When an edge was closed by a rule and when it was taken out of belief; [`Moment::Now`] where that is in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Closings {
    expired_at: Option<Moment>,
    retracted_at: Option<Moment>,
}

impl Closings {
    /// Those of stored or planned bounds.
    pub(super) fn of(bounds: &Bounds) -> Self {
        Self { expired_at: bounds.expired_at, retracted_at: bounds.retracted_at }
    }

    /// Those of the bounds that follow: a plan says `now` where it closes or retracts, and repeats what is there.
    pub(super) fn followed_by(self, after: &Bounds) -> StorageResult<Self> {
        check_moment("expired_at", self.expired_at, after.expired_at)?;
        check_moment("retracted_at", self.retracted_at, after.retracted_at)?;
        Ok(Self::of(after))
    }
}

fn check_moment(field: &str, before: Option<Moment>, after: Option<Moment>) -> StorageResult<()> {
    match (before, after) {
        (_, None) | (None, Some(Moment::Now)) => Ok(()),
        (Some(before), Some(after)) if before == after => Ok(()),
        (Some(before), Some(after)) => {
            invalid(format!("{field}: it is {before} already, so repeat that and not {after}"))
        }
        (None, Some(after @ Moment::At(_))) => {
            invalid(format!("{field}: it is not set yet, so say NOW and not {after}"))
        }
    }
}

/// Checks what must hold of bounds wherever they are.
pub(super) fn check_bounds(bounds: &Bounds) -> StorageResult<()> {
    check_instant("valid_at", bounds.valid_at.at)?;
    let ends = [
        ("stated_end", bounds.stated_end),
        ("contradicted_at", bounds.contradicted_at),
        ("invalid_at", bounds.invalid_at),
    ];
    for (field, date) in ends {
        date.map_or(Ok(()), |date| check_instant(field, date.at))?;
    }
    ensure(bounds.contradicted_at.is_none_or(|cut| bounds.invalid_at.is_some_and(|end| end.at <= cut.at)), || {
        "invalid_at: after contradicted_at".to_owned()
    })?;
    ensure(bounds.start_source != StartSource::Unknown || bounds.valid_at.at == UNKNOWN_START, || {
        format!("valid_at: an unknown start is stored as {UNKNOWN_START}, not {}", bounds.valid_at.at)
    })?;
    let limited = match (bounds.invalid_at, bounds.stated_end) {
        (None, Some(_)) => return invalid("invalid_at: a stated end holds unless a rule ends it earlier".to_owned()),
        (Some(end), Some(stated)) => {
            ensure(end.at <= stated.at, || format!("invalid_at: {end} is after the stated end {stated}"))?;
            end.at < stated.at
        }
        (end, None) => end.is_some(),
    };
    ensure(limited == bounds.expired_at.is_some(), || {
        "expired_at: set exactly while a rule's limit lies before the stated end".to_owned()
    })
}

pub(super) fn check_instant(field: &str, at: Instant) -> StorageResult<()> {
    ensure((UNKNOWN_START..=LAST_INSTANT).contains(&at), || {
        format!("{field}: {} s is not in the years 1 to 9999", at.0)
    })
}
