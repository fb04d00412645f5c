//! Reading the points of a series: those of its chunks, then those that are loose.

use gligabao_core::model::SeriesId;
use gligabao_core::series::Point;
use gligabao_core::series::merge::{Known, overlaid};
use gligabao_core::storage::rules::{check_points_limit, check_times};
use gligabao_core::storage::{PointFilter, PointPage};
use gligabao_core::time::Micros;
use rusqlite::{Connection, Row, params};

use super::chunk::Chunk;
use super::fail::Outcome;
use super::rows::{self, sql_int};

/// A stretch of time, both bounds inside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) from: i64,
    pub(super) to: i64,
}

impl Stretch {
    /// Between these bounds; an open side is unbounded.
    pub(super) fn between(from: Option<Micros>, to: Option<Micros>) -> Self {
        Self { from: from.map_or(i64::MIN, |from| from.0), to: to.map_or(i64::MAX, |to| to.0) }
    }

    pub(super) fn contains(self, at: Micros) -> bool {
        (self.from..=self.to).contains(&at.0)
    }
}

/// A part of the points of a series, by time.
pub(super) fn list(
    conn: &Connection,
    dataset: i64,
    series: SeriesId,
    filter: PointFilter,
    limit: u32,
) -> Outcome<PointPage> {
    check_points_limit(limit)?;
    let stretch = Stretch::between(filter.from, filter.to);
    // One more than the page holds, to see whether there are more.
    let wanted = limit as usize + 1;
    let mut points = stored(conn, dataset, series, stretch, filter.known_at, wanted)?;
    if let Some(known_at) = filter.known_at {
        // Both lists reach as far as the page.
        let values = params![dataset, sql_int(series.0), stretch.from, stretch.to, known_at.0, i64::from(limit) + 1];
        let replaced = rows::rows(conn, include_str!("sql/list_revisions.sql"), values, point)?;
        points = overlaid(&replaced, &points);
    }
    let more = points.len() > limit as usize;
    points.truncate(limit as usize);
    Ok(PointPage { points, more })
}

/// Points that are stored, and were by `known_at` if that is given: as many as are wanted, or some more.
fn stored(
    conn: &Connection,
    dataset: i64,
    series: SeriesId,
    stretch: Stretch,
    known_at: Option<Micros>,
    wanted: usize,
) -> Outcome<Vec<Point>> {
    let mut points = Vec::new();
    let mut chunks = conn.prepare_cached(include_str!("sql/list_chunks.sql"))?;
    let mut chunks = chunks.query(params![dataset, sql_int(series.0), stretch.from, stretch.to])?;
    while let Some(row) = chunks.next()? {
        let of_chunk = Chunk::read(row)?.points(known_at)?;
        points.extend(of_chunk.into_iter().filter(|point| stretch.contains(point.at)));
        if points.len() >= wanted {
            return Ok(points);
        }
    }
    let loose = loose(conn, dataset, series, stretch)?;
    let loose = loose.into_iter().filter(|known| known_at.is_none_or(|known_at| known.since <= known_at));
    points.extend(loose.map(|known| known.point));
    Ok(points)
}

/// The points of a series at any of these times.
pub(super) fn get(conn: &Connection, dataset: i64, series: SeriesId, times: &[Micros]) -> Outcome<Vec<Point>> {
    check_times(times)?;
    let sealed = last_sealed(conn, dataset, series)?;
    let (mut sealed, rest) = times.split_at(times.partition_point(|at| Some(*at) <= sealed));
    let mut found = Vec::new();
    while let Some(at) = sealed.first() {
        let Some(chunk) = chunk_of(conn, dataset, series, *at)? else { break };
        let within = sealed.partition_point(|at| *at <= chunk.last);
        let (mine, others) = sealed.split_at(within.max(1));
        if within > 0 {
            pick(chunk.points(None)?, mine, &mut found);
        }
        sealed = others;
    }
    if let [first, .., last] | [first @ last] = rest {
        let loose = loose(conn, dataset, series, Stretch { from: first.0, to: last.0 })?;
        pick(loose.into_iter().map(|known| known.point), rest, &mut found);
    }
    Ok(found)
}

/// Picks the points at some times, both ascending.
fn pick(points: impl IntoIterator<Item = Point>, times: &[Micros], found: &mut Vec<Point>) {
    let mut times = times.iter().peekable();
    for point in points {
        while times.next_if(|at| **at < point.at).is_some() {}
        if times.next_if(|at| **at == point.at).is_some() {
            found.push(point);
        }
    }
}

/// The chunk that a time falls into; `None` when there is no chunk.
pub(super) fn chunk_of(conn: &Connection, dataset: i64, series: SeriesId, at: Micros) -> Outcome<Option<Chunk>> {
    let sql = include_str!("sql/get_chunk.sql");
    Ok(rows::row(conn, sql, params![dataset, sql_int(series.0), at.0], Chunk::read)?)
}

/// The last chunk of a series.
pub(super) fn last_chunk(conn: &Connection, dataset: i64, series: SeriesId) -> Outcome<Option<Chunk>> {
    let sql = include_str!("sql/get_last_chunk.sql");
    Ok(rows::row(conn, sql, params![dataset, sql_int(series.0)], Chunk::read)?)
}

/// The chunks that have points of a stretch.
pub(super) fn chunks(conn: &Connection, dataset: i64, series: SeriesId, stretch: Stretch) -> Outcome<Vec<Chunk>> {
    let values = params![dataset, sql_int(series.0), stretch.from, stretch.to];
    let mut chunks = rows::rows(conn, include_str!("sql/list_chunks.sql"), values, Chunk::read)?;
    chunks.retain(|chunk| chunk.last.0 >= stretch.from);
    Ok(chunks)
}

/// The time of the last point in a chunk: every loose one is later.
pub(super) fn last_sealed(conn: &Connection, dataset: i64, series: SeriesId) -> Outcome<Option<Micros>> {
    let sql = include_str!("sql/find_last_sealed.sql");
    Ok(rows::row(conn, sql, params![dataset, sql_int(series.0)], |row| Ok(Micros(row.get(0)?)))?)
}

/// Loose points of a stretch.
pub(super) fn loose(conn: &Connection, dataset: i64, series: SeriesId, stretch: Stretch) -> Outcome<Vec<Known>> {
    let values = params![dataset, sql_int(series.0), stretch.from, stretch.to];
    let known = |row: &Row<'_>| Ok(Known { point: point(row)?, since: Micros(row.get(2)?) });
    Ok(rows::rows(conn, include_str!("sql/list_points.sql"), values, known)?)
}

/// Reads a point from the columns `at`, `bits`.
fn point(row: &Row<'_>) -> rusqlite::Result<Point> {
    let bits: i64 = row.get(1)?;
    Ok(Point::new(Micros(row.get(0)?), f64::from_bits(bits.cast_unsigned())))
}
