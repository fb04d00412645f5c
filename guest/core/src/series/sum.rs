//! The sum behind a mean: compensated, in one fixed order, and ready to go on where it stopped.
//!
//! A compensated sum is one long chain of dependent additions, so the values are dealt to [`LANES`] sums of their own:
//! the value with index `i` in the series goes to lane `i % LANES`. A lane depends on nothing but its own values in
//! their order; the total is made of the lanes from the first to the last. So the sum is a function of the sequence
//! alone, and adding values later gives the bits that adding them at once gives.
//!
//! What rounding loses of an addition is a double itself. [`two_sum`], [`fast_two_sum`] and the branch of Neumaier's
//! algorithm all find it exactly, so wherever nothing overflows the quickest that applies may run: the bits are the same.
//!
//! Sources: A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54 (1974);
//! D. E. Knuth, TAOCP 2, 4.2.2, theorems B and C.

use serde::{Deserialize, Serialize};

/// How many sums run side by side: enough that the next addition never waits for the one before.
pub(super) const LANES: usize = 4;

/// Values between two looks for an overflow; a multiple of [`LANES`].
pub(super) const BLOCK: usize = 64;

/// What a lane's values are multiplied by once their plain sum overflows: 2^-64, so that no number of doubles that fits
/// a counter can overflow again.
const SCALE: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// The sum of some values, and what rounding lost of it.
#[derive(Debug, Clone, Copy, Default)]
struct Lane {
    sum: f64,
    lost: f64,
    /// Whether both are of the values times [`SCALE`]: from the value on whose addition overflowed.
    scaled: bool,
}

impl Lane {
    /// Adds a value by Neumaier's algorithm.
    fn add(&mut self, value: f64) {
        if !self.scaled && !(self.sum + value).is_finite() {
            *self = self.to_scale();
        }
        let value = if self.scaled { value * SCALE } else { value };
        let sum = self.sum + value;
        let (large, small) = if self.sum.abs() >= value.abs() { (self.sum, value) } else { (value, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }

    fn to_scale(self) -> Self {
        if self.scaled {
            return self;
        }
        Self { sum: self.sum * SCALE, lost: self.lost * SCALE, scaled: true }
    }

    fn total(self) -> f64 {
        self.sum + self.lost
    }
}

/// The sum of a sequence of finite values: of each lane what [`Lane`] has.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Sum {
    sums: [f64; LANES],
    lost: [f64; LANES],
    scaled: [bool; LANES],
}

impl Sum {
    /// Adds the value with this index.
    pub(super) fn add(&mut self, index: u64, value: f64) {
        let place = usize::try_from(index % LANES as u64).expect("a lane is a small number");
        let mut lane = self.lane(place);
        lane.add(value);
        (self.sums[place], self.lost[place], self.scaled[place]) = (lane.sum, lane.lost, lane.scaled);
    }

    fn lane(&self, place: usize) -> Lane {
        Lane { sum: self.sums[place], lost: self.lost[place], scaled: self.scaled[place] }
    }

    /// Whether through a block of values up to `bound` in size every sum stays larger than every value.
    pub(super) fn dominates(&self, bound: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let enough = 2.0 * (BLOCK / LANES) as f64 * bound;
        self.is_plain() && self.sums.iter().all(|sum| sum.abs() >= enough)
    }

    /// Adds a value to each lane. Only right if the sums are larger than the values, and [`Self::is_plain`] afterwards.
    #[inline]
    pub(super) fn add_small(&mut self, values: [f64; LANES]) {
        self.add_by(fast_two_sum, values);
    }

    /// Adds a value to each lane. Only right if [`Self::is_plain`] afterwards.
    #[inline]
    pub(super) fn add_any(&mut self, values: [f64; LANES]) {
        self.add_by(two_sum, values);
    }

    #[inline]
    fn add_by(&mut self, add: impl Fn(f64, f64) -> (f64, f64), values: [f64; LANES]) {
        for ((sum, lost), value) in self.sums.iter_mut().zip(&mut self.lost).zip(values) {
            let (rounded, rest) = add(*sum, value);
            *sum = rounded;
            *lost += rest;
        }
    }

    /// Whether nothing has overflowed so far: infinity and NaN stay once they are there.
    pub(super) fn is_plain(&self) -> bool {
        !self.scaled.contains(&true) && self.sums.iter().chain(&self.lost).all(|sum| sum.is_finite())
    }

    /// The sum over `count`, which may be a rounding off the largest double and so beyond it.
    pub(super) fn mean(&self, count: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 points")]
        let count = count as f64;
        let scaled = self.scaled.contains(&true);
        let lanes: [Lane; LANES] = std::array::from_fn(|place| self.lane(place));
        let lanes = if scaled { lanes.map(Lane::to_scale) } else { lanes };
        let mut total = Lane::default();
        for part in lanes.iter().map(|lane| lane.sum).chain(lanes.iter().map(|lane| lane.lost)) {
            total.add(part);
        }
        if scaled {
            return total.total() / count / SCALE;
        }
        if !total.scaled && total.total().is_finite() {
            return total.total() / count;
        }
        total.to_scale().total() / count / SCALE
    }
}

/// The rounded sum and what rounding lost, exactly, as long as nothing overflows.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let from_b = sum - a;
    let from_a = sum - from_b;
    (sum, (a - from_a) + (b - from_b))
}

/// The same for `|a| >= |b|`.
#[inline]
fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}
