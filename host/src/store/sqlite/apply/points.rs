//! Applying what a plan says of points: where they go, and what they replace.

use gligabao_core::model::SeriesId;
use gligabao_core::series::Point;
use gligabao_core::series::merge::Known;
use gligabao_core::storage::{DeletePoints, PutPoints};
use gligabao_core::time::Micros;
use rusqlite::params;

use super::Apply;
use crate::store::sqlite::chunk::Chunk;
use crate::store::sqlite::fail::Outcome;
use crate::store::sqlite::points::{self, Stretch};
use crate::store::sqlite::rows::{self, sql_int};

/// Stored points with written ones over them.
struct Overlay {
    points: Vec<Known>,
    /// The stored ones that others replace.
    replaced: Vec<Known>,
    /// How many there are more.
    added: i64,
}

impl Overlay {
    /// Puts points over stored ones; both ascend.
    fn new(stored: &[Known], sent: &[Point], now: Micros) -> Self {
        let mut overlay =
            Self { points: Vec::with_capacity(stored.len() + sent.len()), replaced: Vec::new(), added: 0 };
        let mut stored = stored.iter().copied().peekable();
        for &point in sent {
            while let Some(before) = stored.next_if(|before| before.point.at < point.at) {
                overlay.points.push(before);
            }
            match stored.next_if(|before| before.point.at == point.at) {
                Some(before) if before.point.is_same(point) => {
                    overlay.points.push(before);
                    continue;
                }
                Some(before) => overlay.replaced.push(before),
                None => overlay.added += 1,
            }
            overlay.points.push(Known { point, since: now });
        }
        overlay.points.extend(stored);
        overlay
    }

    fn changes_nothing(&self) -> bool {
        self.added == 0 && self.replaced.is_empty()
    }
}

impl Apply<'_> {
    pub(super) fn put_points(&mut self, put: &PutPoints) -> Outcome<()> {
        let sealed = points::last_sealed(self.conn, self.dataset, put.series)?;
        let (within, after) = put.points.split_at(put.points.partition_point(|point| Some(point.at) <= sealed));
        let inserted = self.insert(put.series, within)?;
        let (appended, loose) = self.append(put.series, after)?;
        self.count(put.series, inserted + appended, loose)?;
        self.touch(put.series)
    }

    pub(super) fn delete_points(&mut self, delete: &DeletePoints) -> Outcome<()> {
        let (conn, dataset, id) = (self.conn, self.dataset, sql_int(delete.series.0));
        let stretch = Stretch::between(delete.from, delete.to);
        let bounds = [dataset, id, stretch.from, stretch.to];
        let deleted = rows::rows(conn, include_str!("../sql/delete_chunks_inside.sql"), bounds, |row| row.get(0))?;
        let mut deleted: i64 = deleted.iter().sum();
        // What is left has points outside too.
        for chunk in points::chunks(conn, dataset, delete.series, stretch)? {
            let mut points = chunk.known()?;
            let before = points.len();
            points.retain(|known| !stretch.contains(known.point.at));
            if points.len() < before {
                deleted += (before - points.len()) as i64;
                self.replace(&chunk, &points)?;
            }
        }
        let loose = rows::execute(conn, include_str!("../sql/delete_points_inside.sql"), bounds)? as i64;
        rows::execute(conn, include_str!("../sql/delete_revisions_inside.sql"), bounds)?;
        self.count(delete.series, -deleted - loose, -loose)?;
        self.touch(delete.series)
    }

    /// Writes points of the time of the chunks; how many are new.
    fn insert(&self, series: SeriesId, mut points: &[Point]) -> Outcome<i64> {
        let (conn, dataset) = (self.conn, self.dataset);
        let mut added = 0;
        while let Some(first) = points.first() {
            let Some(chunk) = points::chunk_of(conn, dataset, series, first.at)? else { break };
            let sql = include_str!("../sql/find_next_chunk.sql");
            let next = rows::row(conn, sql, params![dataset, sql_int(series.0), chunk.first.0], |row| row.get(0))?;
            let within = points.partition_point(|point| next.is_none_or(|next: i64| point.at.0 < next));
            let (mine, others) = points.split_at(within);
            let overlay = Overlay::new(&chunk.known()?, mine, self.committed.at);
            if !overlay.changes_nothing() {
                self.revise(series, &overlay.replaced)?;
                self.replace(&chunk, &overlay.points)?;
                added += overlay.added;
            }
            points = others;
        }
        Ok(added)
    }

    /// Writes points after the last chunk: few stay loose, many are sealed. How many are new, and how many more are loose.
    fn append(&self, series: SeriesId, points: &[Point]) -> Outcome<(i64, i64)> {
        if points.is_empty() {
            return Ok((0, 0));
        }
        let (conn, dataset, id) = (self.conn, self.dataset, sql_int(series.0));
        let loose: usize =
            rows::row(conn, include_str!("../sql/get_loose.sql"), [dataset, id], |row| row.get(0))?.unwrap_or(0);
        let (first, last) = (points[0].at, points[points.len() - 1].at);
        let seals = loose + points.len() >= self.sizes.loose;
        let stretch = if seals { Stretch::between(None, None) } else { Stretch { from: first.0, to: last.0 } };
        let stored = points::loose(conn, dataset, series, stretch)?;
        let overlay = Overlay::new(&stored, points, self.committed.at);
        self.revise(series, &overlay.replaced)?;
        if seals && !overlay.changes_nothing() {
            rows::execute(
                conn,
                include_str!("../sql/delete_points_inside.sql"),
                [dataset, id, stretch.from, stretch.to],
            )?;
            self.seal(series, overlay.points)?;
            return Ok((overlay.added, -(loose as i64)));
        }
        for known in overlay.points.iter().filter(|known| known.since == self.committed.at) {
            let (at, bits) = (known.point.at.0, known.point.value.to_bits().cast_signed());
            let values = [dataset, id, at, bits, known.since.0];
            rows::execute(conn, include_str!("../sql/put_point.sql"), values)?;
        }
        Ok((overlay.added, overlay.added))
    }

    /// Seals points after the last chunk. One that has room takes the first of them.
    fn seal(&self, series: SeriesId, points: Vec<Known>) -> Outcome<()> {
        let last = points::last_chunk(self.conn, self.dataset, series)?;
        let points = match last.filter(|last| last.points < self.sizes.chunk) {
            Some(last) => {
                self.delete_chunk(&last)?;
                let mut all = last.known()?;
                all.extend(points);
                all
            }
            None => points,
        };
        self.insert_chunks(series, &points, self.sizes.chunk)
    }

    /// Replaces the points of a chunk, in as many equal ones as it takes.
    fn replace(&self, chunk: &Chunk, points: &[Known]) -> Outcome<()> {
        self.delete_chunk(chunk)?;
        let chunks = points.len().div_ceil(self.sizes.chunk).max(1);
        self.insert_chunks(chunk.series, points, points.len().div_ceil(chunks).max(1))
    }

    fn insert_chunks(&self, series: SeriesId, points: &[Known], size: usize) -> Outcome<()> {
        for points in points.chunks(size) {
            let chunk = Chunk::seal(series, points)?;
            let values = params![
                self.dataset,
                sql_int(series.0),
                chunk.first.0,
                chunk.last.0,
                chunk.points,
                chunk.codec,
                chunk.checksum,
                chunk.times,
                chunk.numbers,
                chunk.run_lengths,
                chunk.run_sinces,
            ];
            rows::execute(self.conn, include_str!("../sql/insert_chunk.sql"), values)?;
        }
        Ok(())
    }

    fn delete_chunk(&self, chunk: &Chunk) -> Outcome<()> {
        let key = [self.dataset, sql_int(chunk.series.0), chunk.first.0];
        rows::execute(self.conn, include_str!("../sql/delete_chunk.sql"), key)?;
        Ok(())
    }

    /// Keeps values that others replace. What the same commit replaces was never known.
    fn revise(&self, series: SeriesId, replaced: &[Known]) -> Outcome<()> {
        let (dataset, series, until) = (self.dataset, sql_int(series.0), self.committed.at);
        for Known { point, since } in replaced.iter().filter(|known| known.since < until) {
            let values = [dataset, series, point.at.0, since.0, until.0, point.value.to_bits().cast_signed()];
            rows::execute(self.conn, include_str!("../sql/insert_revision.sql"), values)?;
        }
        Ok(())
    }

    fn count(&self, series: SeriesId, points: i64, loose: i64) -> Outcome<()> {
        let values = [points, loose, self.dataset, sql_int(series.0)];
        rows::execute(self.conn, include_str!("../sql/count_points.sql"), values)?;
        Ok(())
    }
}
