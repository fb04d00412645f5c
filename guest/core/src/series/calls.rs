//! Reads of series, and taking away.

use super::answer::{SeriesAnswer, SeriesList};
use super::reading::ReadRequest;
use crate::model::{AnchorTarget, Call, Failure, FailureCode, SeriesId};
use crate::storage::{Dataset, Snapshot};
use crate::time::Micros;

fn later<T>() -> Result<T, Failure> {
    Err(Failure::new(FailureCode::Unavailable, "not built yet"))
}

/// A list of series: of those that are anchored to a target, or of all. `limit` is 1 to 1,000.
///
/// # Errors
/// When the request is malformed, there is no such target or storage fails.
pub fn list_series<S: Snapshot>(
    _snapshot: &S,
    _target: Option<AnchorTarget>,
    _limit: u32,
    _cursor: Option<&str>,
) -> Result<SeriesList, Failure> {
    later()
}

/// One series and a part of its points.
///
/// # Errors
/// When the request is malformed, there is no such series or storage fails.
pub fn get_series<S: Snapshot>(_snapshot: &S, _id: SeriesId, _request: &ReadRequest) -> Result<SeriesAnswer, Failure> {
    later()
}

/// Deletes a series with its points and anchors. Texts that told it stay.
///
/// # Errors
/// When there is no such series or storage fails.
pub fn delete_series<D: Dataset>(_dataset: &D, _call: &Call, _id: SeriesId) -> Result<(), Failure> {
    later()
}

/// Erases the points between two times, both inside, and what they replaced. How many points there were.
///
/// # Errors
/// When the times are not in order, there is no such series or storage fails.
pub fn delete_points<D: Dataset>(
    _dataset: &D,
    _call: &Call,
    _id: SeriesId,
    _from: Option<Micros>,
    _to: Option<Micros>,
) -> Result<u64, Failure> {
    later()
}

/// Takes an anchor away.
///
/// # Errors
/// When there is no such series or anchor or storage fails.
pub fn delete_anchor<D: Dataset>(
    _dataset: &D,
    _call: &Call,
    _id: SeriesId,
    _target: AnchorTarget,
) -> Result<(), Failure> {
    later()
}
