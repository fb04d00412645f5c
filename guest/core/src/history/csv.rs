//! The points of a series as a file.

use std::fmt::Write as _;

use crate::commit::Trouble;
use crate::model::{Failure, FailureCode, SeriesId};
use crate::storage::{PointFilter, Snapshot};
use crate::time::Micros;

/// Points that are read at once.
const POINTS: u32 = 10_000;

/// Most bytes of the series of one commit.
const LIMIT: usize = 64 << 20;

/// The points of a series as they were known at a time, oldest first. `taken` bytes of the commit are taken by other
/// series.
pub(super) fn file<S: Snapshot>(
    snapshot: &S,
    id: SeriesId,
    known_at: Micros,
    taken: usize,
) -> Result<Vec<u8>, Trouble> {
    let mut csv = "at,value\n".to_owned();
    let mut filter = PointFilter { known_at: Some(known_at), ..PointFilter::default() };
    loop {
        let page = snapshot.list_points(id, filter, POINTS)?;
        for point in &page.points {
            let _ = writeln!(csv, "{},{:?}", point.at, point.value);
        }
        if taken + csv.len() > LIMIT {
            let message = format!(
                "series {id} has more points than a file can take: {LIMIT} bytes; export the dataset without series"
            );
            return Err(Failure::new(FailureCode::TooLarge, message).about("series").into());
        }
        let Some(rest) = page.rest() else { return Ok(csv.into_bytes()) };
        filter.from = Some(rest);
    }
}
