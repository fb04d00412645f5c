//! The points of stored series, page by page, and what they amount to.

use super::merge::overlaid;
use super::points::MAX_POINTS;
use super::{Accumulator, Point, Stats};
use crate::model::SeriesId;
use crate::storage::{PointFilter, Snapshot, StorageResult, StoredSeries};
use crate::time::Micros;

/// Most points of a page.
const PAGE: u32 = MAX_POINTS as u32;

/// What was kept with a series of its points; `None` if this version of the core can't read it, or it is of other
/// points: they have to be read again.
pub(crate) fn state(stored: &StoredSeries) -> Option<Accumulator> {
    Accumulator::from_bytes(&stored.state).filter(|state| state.count() == stored.points)
}

/// The stats of all points of a series: as of the snapshot, of which a state is kept, or as known at a time, for which
/// they are read.
pub(crate) fn stats<S: Snapshot>(
    snapshot: &S,
    stored: &StoredSeries,
    known_at: Option<Micros>,
) -> StorageResult<Option<Stats>> {
    let state = match (known_at, state(stored)) {
        (None, Some(state)) => state,
        _ => accumulated(snapshot, stored.series.id, PointFilter { known_at, ..PointFilter::default() }, &[])?,
    };
    Ok(state.stats())
}

/// What the points of a period amount to, as a write leaves them.
pub(crate) fn accumulated<S: Snapshot>(
    snapshot: &S,
    series: SeriesId,
    period: PointFilter,
    writes: &[Point],
) -> StorageResult<Accumulator> {
    let mut all = Accumulator::default();
    scan(snapshot, series, period, writes, |points| all.extend(points))?;
    Ok(all)
}

/// Hands on the points of a period as a write leaves them: in parts, ascending.
pub(crate) fn scan<S: Snapshot>(
    snapshot: &S,
    series: SeriesId,
    mut period: PointFilter,
    writes: &[Point],
    mut take: impl FnMut(&[Point]),
) -> StorageResult<()> {
    let start = writes.partition_point(|write| period.from.is_some_and(|from| write.at < from));
    let end = writes.partition_point(|write| period.to.is_none_or(|to| write.at <= to));
    let mut writes = writes.get(start..end).unwrap_or_default();
    loop {
        let page = snapshot.list_points(series, period, PAGE)?;
        let Some(rest) = page.rest() else {
            take(&overlaid(&page.points, writes));
            return Ok(());
        };
        let (inside, later) = writes.split_at(writes.partition_point(|write| write.at < rest));
        take(&overlaid(&page.points, inside));
        writes = later;
        period.from = Some(rest);
    }
}
