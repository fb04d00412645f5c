//! Sealed points: stretches of a series, each compressed into one row.

use gligabao_core::model::SeriesId;
use gligabao_core::series::Point;
use gligabao_core::series::merge::Known;
use gligabao_core::storage::StorageError;
use gligabao_core::time::Micros;
use pco::ChunkConfig;
use pco::data_types::Number;
use pco::standalone::{simple_compress, simple_decompress_into};
use rusqlite::Row;

use super::fail::Outcome;

/// How many points are kept how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Most points of a chunk.
    pub(super) chunk: usize,
    /// Points after the last chunk at which they are sealed.
    pub(super) loose: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { chunk: 4_096, loose: 128 }
    }
}

/// The codec of every chunk: each column of numbers is a file of pco.
const PCO: i64 = 1;

/// More takes two to eight times as long for at most 4 % less.
const LEVEL: usize = 4;

/// No chunk has as many points: a row that says so is damaged.
const IMPOSSIBLE: usize = 1 << 16;

/// A stretch of a series as its row has it. It has at least one point.
pub(super) struct Chunk {
    pub(super) series: SeriesId,
    pub(super) first: Micros,
    pub(super) last: Micros,
    pub(super) points: usize,
    pub(super) codec: i64,
    pub(super) checksum: u32,
    pub(super) times: Vec<u8>,
    /// Their values.
    pub(super) numbers: Vec<u8>,
    /// How many points in a row are known since the same time.
    pub(super) run_lengths: Vec<u8>,
    /// Since when.
    pub(super) run_sinces: Vec<u8>,
}

impl Chunk {
    /// Compresses points, which ascend and of which there is at least one.
    pub(super) fn seal(series: SeriesId, points: &[Known]) -> Outcome<Self> {
        let times: Vec<i64> = points.iter().map(|known| known.point.at.0).collect();
        let numbers: Vec<f64> = points.iter().map(|known| known.point.value).collect();
        let runs = points.chunk_by(|a, b| a.since == b.since);
        let (lengths, sinces): (Vec<u32>, Vec<i64>) =
            runs.map(|run| (u32::try_from(run.len()).unwrap_or(u32::MAX), run[0].since.0)).unzip();
        let mut chunk = Self {
            series,
            first: points[0].point.at,
            last: points[points.len() - 1].point.at,
            points: points.len(),
            codec: PCO,
            checksum: 0,
            times: compress(&times)?,
            numbers: compress(&numbers)?,
            run_lengths: compress(&lengths)?,
            run_sinces: compress(&sinces)?,
        };
        chunk.checksum = chunk.sum();
        Ok(chunk)
    }

    /// Reads the row of a chunk.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            series: SeriesId(row.get(0)?),
            first: Micros(row.get(1)?),
            last: Micros(row.get(2)?),
            points: row.get(3)?,
            codec: row.get(4)?,
            checksum: row.get(5)?,
            times: row.get(6)?,
            numbers: row.get(7)?,
            run_lengths: row.get(8)?,
            run_sinces: row.get(9)?,
        })
    }

    /// Its points, of those of a time that was known by then if one is given.
    pub(super) fn points(&self, known_at: Option<Micros>) -> Outcome<Vec<Point>> {
        let Some(known_at) = known_at else { return self.all() };
        let runs = self.runs()?;
        if runs.iter().all(|(_, since)| *since > known_at) {
            return Ok(Vec::new());
        }
        let all = self.all()?;
        let known = runs.iter().flat_map(|(length, since)| std::iter::repeat_n(*since <= known_at, *length));
        Ok(all.into_iter().zip(known).filter(|(_, known)| *known).map(|(point, _)| point).collect())
    }

    /// Its points and since when each is known.
    pub(super) fn known(&self) -> Outcome<Vec<Known>> {
        let sinces = self.runs()?.into_iter().flat_map(|(length, since)| std::iter::repeat_n(since, length));
        Ok(self.all()?.into_iter().zip(sinces).map(|(point, since)| Known { point, since }).collect())
    }

    fn all(&self) -> Outcome<Vec<Point>> {
        self.check()?;
        let (times, numbers): (Vec<i64>, Vec<f64>) = (self.column(&self.times)?, self.column(&self.numbers)?);
        if times.len() != self.points || numbers.len() != self.points {
            return Err(self.damaged().into());
        }
        Ok(times.into_iter().zip(numbers).map(|(at, value)| Point::new(Micros(at), value)).collect())
    }

    /// How many points in a row are known since when.
    fn runs(&self) -> Outcome<Vec<(usize, Micros)>> {
        self.check()?;
        let (lengths, sinces): (Vec<u32>, Vec<i64>) = (self.column(&self.run_lengths)?, self.column(&self.run_sinces)?);
        let points: usize = lengths.iter().map(|length| *length as usize).sum();
        if points != self.points || lengths.len() != sinces.len() {
            return Err(self.damaged().into());
        }
        Ok(lengths.into_iter().zip(sinces).map(|(length, since)| (length as usize, Micros(since))).collect())
    }

    /// Nothing of a row is taken apart that is not as it was written.
    fn check(&self) -> Outcome<()> {
        if self.codec != PCO {
            let what = format!("series {}: its points have codec {}; update gligabao", self.series, self.codec);
            return Err(StorageError::Unavailable(what).into());
        }
        let sound = self.points < IMPOSSIBLE && self.checksum == self.sum();
        if sound { Ok(()) } else { Err(self.damaged().into()) }
    }

    fn column<T: Number + Default>(&self, bytes: &[u8]) -> Outcome<Vec<T>> {
        let mut column = vec![T::default(); self.points];
        let progress = simple_decompress_into(bytes, &mut column).map_err(|_| self.damaged())?;
        if !progress.finished {
            return Err(self.damaged().into());
        }
        column.truncate(progress.n_processed);
        Ok(column)
    }

    fn sum(&self) -> u32 {
        let mut sum = crc32fast::Hasher::new();
        for bytes in [&self.times, &self.numbers, &self.run_lengths, &self.run_sinces] {
            sum.update(bytes);
        }
        sum.finalize()
    }

    fn damaged(&self) -> StorageError {
        StorageError::Unavailable(format!(
            "series {}: its points from {} to {} are damaged; restore the database from a backup, or delete them",
            self.series, self.first, self.last
        ))
    }
}

fn compress<T: Number>(numbers: &[T]) -> Outcome<Vec<u8>> {
    let config = ChunkConfig::default().with_compression_level(LEVEL);
    simple_compress(numbers, &config)
        .map_err(|error| StorageError::Unavailable(format!("points could not be compressed: {error}")).into())
}
