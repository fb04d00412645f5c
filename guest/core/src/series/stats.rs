//! What the points of a series amount to.
//!
//! Stats are read off an [`Accumulator`], which takes points in the order of time and can be stored between two calls:
//! k points after the last one cost O(k), and give the bits that all points at once give. An overwrite or an insertion
//! in the middle needs a new accumulator over all points.

use serde::{Deserialize, Serialize};

use super::Point;
use super::sum::{BLOCK, LANES, Sum};
use crate::model::words;
use crate::time::Micros;

/// By how many per cent a series must change to have a trend.
const TREND_THRESHOLD: f64 = 1.0;

/// First byte of a stored accumulator: its layout and the order of its sums. Another byte means that the points have to
/// be read again.
const VERSION: u8 = 1;

words! {
    /// Where a series goes from its first value to its last.
    Trend {
        /// More than 1 % up; from 0: up at all.
        Up = "up",
        /// More than 1 % down; from 0: down at all.
        Down = "down",
        /// Neither.
        Flat = "flat",
    }
}

/// A step from one point to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Move {
    /// Time of the point before it.
    pub from: Micros,
    /// Time of the point after it.
    pub to: Micros,
    /// Value before; not 0.
    pub from_value: f64,
    /// Value after.
    pub to_value: f64,
    /// `100 (to_value - from_value) / |from_value|`; `None` when that is beyond the largest double.
    pub pct: Option<f64>,
}

/// A summary of the points of a series. Every number is finite; what would not be is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stats {
    /// How many points; at least 1.
    pub count: u64,
    /// Time of the first point.
    pub first_ts: Micros,
    /// Time of the last point.
    pub last_ts: Micros,
    /// Value of the first point.
    pub first: f64,
    /// Value of the last point.
    pub last: f64,
    /// Smallest value.
    pub min: f64,
    /// The earliest time that has it.
    pub min_ts: Micros,
    /// Largest value.
    pub max: f64,
    /// The earliest time that has it.
    pub max_ts: Micros,
    /// Mean of the values, from `min` to `max`.
    pub mean: f64,
    /// `last - first`.
    pub change: Option<f64>,
    /// `100 change / |first|`, so with the sign of the change; `None` from 0 too.
    pub pct_change: Option<f64>,
    /// By `pct_change`; by the sign of the change where there is none.
    pub trend: Trend,
    /// The step with the largest percentage either way, the earliest of equal ones; steps from 0 have none.
    pub largest_move: Option<Move>,
}

impl Stats {
    /// Stats of points in strictly ascending order of time; `None` without any.
    #[must_use]
    pub fn of(points: &[Point]) -> Option<Self> {
        let mut accumulator = Accumulator::default();
        accumulator.extend(points);
        accumulator.stats()
    }
}

/// The step with the largest percentage so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Largest {
    from: Point,
    to: Point,
    /// `|100 (to - from) / |from||`, may be infinite; -1 before there is any step.
    size: f64,
}

/// All that stats need of the points so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Accumulator {
    count: u64,
    first: Point,
    last: Point,
    min: Point,
    max: Point,
    largest: Largest,
    sum: Sum,
}

impl Default for Accumulator {
    fn default() -> Self {
        let none = Point::default();
        let largest = Largest { from: none, to: none, size: -1.0 };
        Self { count: 0, first: none, last: none, min: none, max: none, largest, sum: Sum::default() }
    }
}

impl Accumulator {
    /// How many points it has seen.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The last point that it has seen.
    #[must_use]
    pub fn last(&self) -> Option<Point> {
        (self.count > 0).then_some(self.last)
    }

    /// Takes further points. They are in strictly ascending order of time, after all points so far, and finite.
    pub fn extend(&mut self, points: &[Point]) {
        debug_assert!(points.windows(2).all(|pair| pair[0].at < pair[1].at), "points ascend");
        debug_assert!(points.iter().all(|point| point.value.is_finite()), "values are finite");
        let Some(first) = points.first() else { return };
        debug_assert!(self.count == 0 || self.last.at < first.at, "what is added comes after the rest");
        let mut rest = points;
        if self.count == 0 {
            (self.first, self.last, self.min, self.max) = (*first, *first, *first, *first);
            self.sum.add(0, first.value);
            self.count = 1;
            rest = &points[1..];
        }
        // Blocks begin at the first lane.
        let aligned = usize::try_from(self.count.wrapping_neg() % LANES as u64).expect("a lane is a small number");
        let (head, rest) = rest.split_at(aligned.min(rest.len()));
        let (blocks, tail) = rest.as_chunks::<BLOCK>();
        self.add_each(head);
        for block in blocks {
            self.add_block(block);
        }
        self.add_each(tail);
    }

    /// No value so far is larger, whatever its sign.
    fn bound(&self) -> f64 {
        self.min.value.abs().max(self.max.value.abs())
    }

    fn add_each(&mut self, points: &[Point]) {
        let mut reach = self.largest.reach();
        for &point in points {
            self.sum.add(self.count, point.value);
            self.see(point, &mut reach);
            self.count += 1;
        }
    }

    /// Adds a block by the quickest addition that looks right for it, and value by value where it was not.
    fn add_block(&mut self, block: &[Point; BLOCK]) {
        let quick = self.sum.dominates(self.bound());
        let mut after = if quick { self.after(block, Sum::add_small) } else { self.after(block, Sum::add_any) };
        let right = after.sum.is_plain() && (!quick || self.sum.dominates(after.bound()));
        if !right {
            after.sum = self.sum;
            for (index, point) in (self.count..).zip(block) {
                after.sum.add(index, point.value);
            }
        }
        *self = after;
    }

    #[inline]
    fn after(&self, block: &[Point; BLOCK], add: impl Fn(&mut Sum, usize, f64)) -> Self {
        let mut after = *self;
        let mut reach = after.largest.reach();
        for row in block.as_chunks::<LANES>().0 {
            for (lane, &point) in row.iter().enumerate() {
                add(&mut after.sum, lane, point.value);
                after.see(point, &mut reach);
            }
        }
        after.count += BLOCK as u64;
        after
    }

    /// Extremes and steps. Of equals the earliest stays, so only what is strictly beyond counts.
    #[inline]
    fn see(&mut self, to: Point, reach: &mut f64) {
        if to.value < self.min.value {
            self.min = to;
        }
        if to.value > self.max.value {
            self.max = to;
        }
        let from = self.last;
        let step = to.value - from.value;
        let within = from.value * *reach;
        let unmoved = step == 0.0 && self.largest.size >= 0.0;
        if !(step * step < within * within || unmoved) && self.largest.see(from, to) {
            *reach = self.largest.reach();
        }
        self.last = to;
    }

    /// The stats of the points so far; `None` without any.
    #[must_use]
    pub fn stats(&self) -> Option<Stats> {
        let Self { count, first, last, min, max, largest, .. } = *self;
        if count == 0 {
            return None;
        }
        let change = last.value - first.value;
        let pct_change = if first.value == 0.0 { None } else { finite(100.0 * change / first.value.abs()) };
        Some(Stats {
            count,
            first_ts: first.at,
            last_ts: last.at,
            first: first.value,
            last: last.value,
            min: min.value,
            min_ts: min.at,
            max: max.value,
            max_ts: max.at,
            mean: self.sum.mean(count).clamp(min.value, max.value) + 0.0,
            change: finite(change),
            pct_change,
            trend: trend(first.value, last.value, pct_change),
            largest_move: (largest.size >= 0.0).then(|| largest.told()),
        })
    }

    /// For storage: 1 byte of version, then the rest.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_extend(self, vec![VERSION]).expect("an accumulator is plain data")
    }

    /// What [`Self::to_bytes`] of this version made; `None` for anything else: read the points again.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (&version, rest) = bytes.split_first()?;
        let (accumulator, unread) = postcard::take_from_bytes(rest).ok()?;
        (version == VERSION && unread.is_empty()).then_some(accumulator)
    }
}

impl Largest {
    /// A factor that spares nearly every division: a step from x is smaller than the largest if it is smaller than this
    /// times x.
    ///
    /// It lies below `size / 100` by more than the roundings of the product and of the quotient can make up. Squares,
    /// which need no absolute values, are compared strictly and rounding is monotone: what compares less is less, in
    /// the subnormal range too, and a step whose percentage overflows has no finite square.
    fn reach(&self) -> f64 {
        const SMALLEST: f64 = 1e-280;
        if self.size < SMALLEST { 0.0 } else { self.size / 100.0 * (1.0 - 8.0 * f64::EPSILON) }
    }

    /// Takes the step if its percentage is beyond that of every step before; whether it did.
    #[cold]
    fn see(&mut self, from: Point, to: Point) -> bool {
        let size = (100.0 * (to.value - from.value)).abs() / from.value.abs();
        let beyond = from.value != 0.0 && size > self.size;
        if beyond {
            *self = Self { from, to, size };
        }
        beyond
    }

    fn told(self) -> Move {
        let size = if self.to.value < self.from.value { -self.size } else { self.size };
        Move {
            from: self.from.at,
            to: self.to.at,
            from_value: self.from.value,
            to_value: self.to.value,
            pct: finite(size),
        }
    }
}

fn finite(value: f64) -> Option<f64> {
    // Minus zero would read as a fall.
    value.is_finite().then_some(value + 0.0)
}

fn trend(first: f64, last: f64, pct_change: Option<f64>) -> Trend {
    let (up, down) = match pct_change {
        Some(pct) => (pct > TREND_THRESHOLD, pct < -TREND_THRESHOLD),
        None => (last > first, last < first),
    };
    match (up, down) {
        (true, _) => Trend::Up,
        (_, true) => Trend::Down,
        _ => Trend::Flat,
    }
}
