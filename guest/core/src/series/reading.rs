//! Reading a part of a series: what may be asked, and the pages of a store put together.

use super::bucket::{Aggregate, Bucket, BucketRow, Buckets};
use super::points::{FIRST_TIME, LAST_TIME};
use super::window::Period;
use super::{Accumulator, Point, Stats};
use crate::check::limit;
use crate::model::Failure;
use crate::storage::PointPage;
use crate::time::Micros;

/// Most points or buckets of one answer, and most points of a page.
pub const MAX_ROWS: u32 = 100_000;

/// How many points or buckets are given when nobody says.
pub const DEFAULT_ROWS: u32 = 1_000;

/// What is asked of a series.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadRequest {
    /// First time inside; `None`: from the first point.
    pub from: Option<Micros>,
    /// Last time inside; `None`: to the last point.
    pub to: Option<Micros>,
    /// 1 to 100,000 points, or buckets; `None`: 1,000.
    pub limit: Option<u32>,
    /// As known at a transaction time; `None`: as of the snapshot.
    pub known_at: Option<Micros>,
    /// Points put together by these periods; `None`: every point.
    pub bucket: Option<Bucket>,
    /// What is told of a bucket; `None`: the mean.
    pub aggregate: Option<Aggregate>,
    /// Where an answer said that the rest begins.
    pub cursor: Option<String>,
}

/// A question that can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    period: Period,
    limit: u32,
    bucket: Option<(Bucket, Aggregate)>,
    /// Whether the points are a window that somebody asked for, and not the rest of one.
    has_stats: bool,
}

/// Points or buckets.
#[derive(Debug, Clone, PartialEq)]
pub enum Rows {
    /// Oldest first.
    Points(Vec<Point>),
    /// Oldest first; periods without points are not among them.
    Buckets(Vec<BucketRow>),
}

/// A part of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadAnswer {
    /// At most as many as were asked for.
    pub rows: Rows,
    /// Where the rest begins, to be handed back; `None`: that was all.
    pub cursor: Option<String>,
    /// Of all the points between `from` and `to`, if either was given and nothing was cut off.
    pub window_stats: Option<Stats>,
}

/// Checks what is asked.
///
/// # Errors
/// The field that is malformed.
pub fn check(request: &ReadRequest) -> Result<Reading, Failure> {
    let limit = limit(request.limit.unwrap_or(DEFAULT_ROWS), MAX_ROWS)?;
    let (from, to) = (request.from.unwrap_or(FIRST_TIME), request.to.unwrap_or(LAST_TIME));
    let period = Period::new(from, to).ok_or_else(|| Failure::field("from", format!("{from} is after to, {to}")))?;
    let bucket = match (request.bucket, request.aggregate) {
        (Some(bucket), aggregate) => Some((bucket, aggregate.unwrap_or(Aggregate::Mean))),
        (None, Some(_)) => return Err(Failure::field("agg", "says nothing without bucket; 1d would be one")),
        (None, None) => None,
    };
    let start = request.cursor.as_deref().map(|cursor| {
        let start = cursor.parse().ok().map(Micros).filter(|start| period.contains(*start));
        start.ok_or_else(|| Failure::field("cursor", "is no cursor of this list; hand back the one that came with it"))
    });
    let start = start.transpose()?;
    let has_stats = start.is_none() && (request.from.is_some() || request.to.is_some());
    let period = Period { from: start.unwrap_or(from), to };
    Ok(Reading { period, limit, bucket, has_stats })
}

/// Answers from the pages of a store. `page` gives points of a period, at most so many.
///
/// # Errors
/// When `page` fails.
pub fn read<E>(reading: &Reading, page: impl FnMut(Period, u32) -> Result<PointPage, E>) -> Result<ReadAnswer, E> {
    match reading.bucket {
        None => read_points(reading, page),
        Some((bucket, aggregate)) => {
            read_buckets(reading, Buckets::new(bucket, aggregate, reading.limit as usize), page)
        }
    }
}

fn read_points<E>(
    reading: &Reading,
    mut page: impl FnMut(Period, u32) -> Result<PointPage, E>,
) -> Result<ReadAnswer, E> {
    let mut points = Vec::new();
    let mut rest = Some(reading.period);
    let mut wanted = reading.limit;
    while let Some(period) = rest.filter(|_| wanted > 0) {
        let found = page(period, wanted)?;
        rest = after(&found, period);
        wanted = wanted.saturating_sub(u32::try_from(found.points.len()).unwrap_or(u32::MAX));
        points.extend(found.points);
    }
    let window_stats = Stats::of(&points).filter(|_| reading.has_stats && rest.is_none());
    Ok(ReadAnswer { rows: Rows::Points(points), cursor: rest.map(|rest| rest.from.0.to_string()), window_stats })
}

fn read_buckets<E>(
    reading: &Reading,
    mut buckets: Buckets,
    mut page: impl FnMut(Period, u32) -> Result<PointPage, E>,
) -> Result<ReadAnswer, E> {
    let mut all = Accumulator::default();
    let mut rest = Some(reading.period);
    while let Some(period) = rest {
        let found = page(period, MAX_ROWS)?;
        all.extend(&found.points);
        let wants_more = buckets.push(&found.points);
        rest = after(&found, period).filter(|_| wants_more);
    }
    let found = buckets.finish();
    let window_stats = all.stats().filter(|_| reading.has_stats && found.next.is_none());
    Ok(ReadAnswer { rows: Rows::Buckets(found.rows), cursor: found.next.map(|next| next.0.to_string()), window_stats })
}

/// What is left of a period after a page of it.
fn after(page: &PointPage, period: Period) -> Option<Period> {
    Period::new(page.rest()?, period.to)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: i64 = 3_600_000_000;

    fn series(count: i64) -> Vec<Point> {
        (0..count).map(|hour| Point::new(Micros(hour * HOUR), hour as f64)).collect()
    }

    /// A store that gives at most `most` points a page.
    fn pages(points: &[Point], most: usize) -> impl FnMut(Period, u32) -> Result<PointPage, Failure> {
        move |period, limit| {
            let inside: Vec<Point> = points.iter().copied().filter(|point| period.contains(point.at)).collect();
            let size = inside.len().min(limit as usize).min(most);
            Ok(PointPage { points: inside[..size].to_vec(), more: size < inside.len() })
        }
    }

    /// All the parts of an answer, by its cursors.
    fn parts(request: &ReadRequest, points: &[Point], most: usize) -> Vec<ReadAnswer> {
        let mut request = request.clone();
        let mut parts = Vec::new();
        loop {
            let reading = check(&request).expect("well formed");
            let answer = read(&reading, pages(points, most)).expect("the store answers");
            request.cursor.clone_from(&answer.cursor);
            parts.push(answer);
            if request.cursor.is_none() {
                return parts;
            }
        }
    }

    #[test]
    fn what_is_malformed_is_named() {
        let good = ReadRequest::default();
        for (request, field) in [
            (ReadRequest { limit: Some(0), ..good.clone() }, "limit"),
            (ReadRequest { limit: Some(100_001), ..good.clone() }, "limit"),
            (ReadRequest { from: Some(Micros(2)), to: Some(Micros(1)), ..good.clone() }, "from"),
            (ReadRequest { aggregate: Some(Aggregate::Max), ..good.clone() }, "agg"),
            (ReadRequest { cursor: Some("soon".to_owned()), ..good.clone() }, "cursor"),
            (ReadRequest { cursor: Some("9".to_owned()), to: Some(Micros(1)), ..good.clone() }, "cursor"),
        ] {
            assert_eq!(check(&request).expect_err("it is malformed").field.as_deref(), Some(field));
        }
        assert!(check(&good).is_ok());
    }

    #[test]
    fn a_window_has_stats_unless_it_was_cut_off() {
        let points = series(10);
        let window = ReadRequest { from: Some(Micros(HOUR)), to: Some(Micros(3 * HOUR)), ..ReadRequest::default() };
        for bucket in [None, Some(Bucket::Hour)] {
            let whole = parts(&ReadRequest { bucket, ..window.clone() }, &points, 2);
            assert_eq!(whole[0].window_stats, Stats::of(&points[1..4]));
            let cut = parts(&ReadRequest { bucket, limit: Some(2), ..window.clone() }, &points, 100);
            assert_eq!(cut.iter().map(|part| part.window_stats).collect::<Vec<_>>(), [None, None]);
            let all = parts(&ReadRequest { bucket, ..ReadRequest::default() }, &points, 100);
            assert_eq!(all[0].window_stats, None, "the stats of the series say it");
        }
    }

    #[test]
    fn a_last_page_that_fills_the_limit_has_no_rest() {
        let answer = parts(&ReadRequest { limit: Some(10), ..ReadRequest::default() }, &series(10), 100);
        assert_eq!((answer.len(), &answer[0].cursor), (1, &None));
    }

    proptest! {
        #[test]
        fn parts_put_together_are_the_whole(count in 0i64..60, limit in 1u32..20, most in 1usize..30, days in any::<bool>()) {
            let points = series(count);
            let bucket = days.then_some(Bucket::Day);
            let whole = parts(&ReadRequest { bucket, limit: Some(MAX_ROWS), ..ReadRequest::default() }, &points, usize::MAX);
            let parts = parts(&ReadRequest { bucket, limit: Some(limit), ..ReadRequest::default() }, &points, most);
            let (mut found, mut rows) = (Vec::new(), Vec::new());
            for part in parts {
                match part.rows {
                    Rows::Points(points) => { prop_assert!(points.len() <= limit as usize); found.extend(points); }
                    Rows::Buckets(buckets) => { prop_assert!(buckets.len() <= limit as usize); rows.extend(buckets); }
                }
            }
            let together = if days { Rows::Buckets(rows) } else { Rows::Points(found) };
            prop_assert_eq!(&together, &whole[0].rows);
        }
    }
}
