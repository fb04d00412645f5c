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

/// What a pass over a block finds.
struct Pass {
    sum: Sum,
    low: f64,
    high: f64,
    /// Whether any step may be beyond the largest one.
    moved: bool,
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
        for &point in points {
            self.sum.add(self.count, point.value);
            self.count += 1;
            // Of equals the earliest stays, so only what is strictly beyond counts.
            self.min = if point.value < self.min.value { point } else { self.min };
            self.max = if point.value > self.max.value { point } else { self.max };
            self.largest.see(self.last, point);
            self.last = point;
        }
    }

    /// Adds a block: one pass without a branch that says whether there is anything to look for, and where there is, the
    /// looking.
    fn add_block(&mut self, block: &[Point; BLOCK]) {
        let quick = self.sum.dominates(self.bound());
        let pass = if quick { self.pass(block, Sum::add_small) } else { self.pass(block, Sum::add_any) };
        let earliest = |value: f64| block.iter().find(|point| point.value == value).copied();
        if pass.low < self.min.value {
            self.min = earliest(pass.low).unwrap_or(self.min);
        }
        if pass.high > self.max.value {
            self.max = earliest(pass.high).unwrap_or(self.max);
        }
        if pass.moved {
            self.largest.see_all(self.last, block);
        }
        if pass.sum.is_plain() && (!quick || self.sum.dominates(self.bound())) {
            self.sum = pass.sum;
        } else {
            for (index, point) in (self.count..).zip(block) {
                self.sum.add(index, point.value);
            }
        }
        self.count += BLOCK as u64;
        self.last = block[BLOCK - 1];
    }

    #[inline]
    fn pass(&self, block: &[Point; BLOCK], add: impl Fn(&mut Sum, [f64; LANES])) -> Pass {
        let mut sum = self.sum;
        let (mut low, mut high) = ([self.min.value; LANES], [self.max.value; LANES]);
        let mut moved = [self.largest.size < 0.0; LANES];
        let reach = self.largest.reach();
        let mut before = self.last.value;
        for row in block.as_chunks::<LANES>().0 {
            let to = row.map(|point| point.value);
            let from = [before, to[0], to[1], to[2]];
            before = to[LANES - 1];
            add(&mut sum, to);
            for lane in 0..LANES {
                low[lane] = if to[lane] < low[lane] { to[lane] } else { low[lane] };
                high[lane] = if high[lane] < to[lane] { to[lane] } else { high[lane] };
            }
            for lane in 0..LANES {
                let (step, within) = (to[lane] - from[lane], from[lane] * reach);
                let is_within = step * step < within * within;
                moved[lane] |= !is_within;
            }
        }
        let least = |a, b| if b < a { b } else { a };
        let most = |a, b| if a < b { b } else { a };
        Pass {
            sum,
            low: low.into_iter().fold(f64::MAX, least),
            high: high.into_iter().fold(f64::MIN, most),
            moved: moved.contains(&true),
        }
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
    /// A factor that spares nearly every division: a step from x is no larger than the largest if it is smaller than
    /// this times x.
    ///
    /// It lies below `size / 100` by more than the roundings of the product and of the quotient can make up, or so low
    /// that only a step between equal values is smaller. Squares, which need no absolute values, are compared strictly
    /// and rounding is monotone: what compares less is less, in the subnormal range too, and a step whose percentage
    /// overflows has no finite square.
    fn reach(&self) -> f64 {
        const EQUAL: f64 = 1.0 / (1u64 << 60) as f64;
        let below = self.size / 100.0 * (1.0 - 8.0 * f64::EPSILON);
        if below < EQUAL { EQUAL } else { below }
    }

    /// The percentage of a step either way; NaN, which is beyond nothing, for a step from 0.
    fn size(from: f64, to: f64) -> f64 {
        (100.0 * (to - from)).abs() / from.abs() * f64::from(u8::from(from != 0.0))
    }

    /// Takes the step if its percentage is beyond that of every step before.
    fn see(&mut self, from: Point, to: Point) {
        let size = Self::size(from.value, to.value);
        if size > self.size {
            *self = Self { from, to, size };
        }
    }

    /// Takes the largest step of a block if it is beyond every one before, the earliest of equal ones.
    fn see_all(&mut self, before: Point, block: &[Point; BLOCK]) {
        let mut sizes = [0.0; BLOCK];
        let mut from = before.value;
        for (size, to) in sizes.iter_mut().zip(block) {
            *size = Self::size(from, to.value);
            from = to.value;
        }
        let size = sizes.iter().fold(self.size, |most, &size| if most < size { size } else { most });
        if size > self.size {
            let place = sizes.iter().position(|other| *other == size).expect("it is one of them");
            let from = if place == 0 { before } else { block[place - 1] };
            *self = Self { from, to: block[place], size };
        }
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
