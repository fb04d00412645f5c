//! Stats of points, for whoever measures what they cost in a component.

use std::hint::black_box;

use gligabao_core::series::{Accumulator, Point};
use gligabao_core::time::Micros;

use crate::bindings::exports::gligabao::memory::recall;
use crate::bindings::gligabao::memory::storage::Snapshot;
use crate::bindings::gligabao::memory::types::Failure;
use crate::polite;

/// `sum up 1000 points 3 times`.
pub(crate) fn sum_up(snapshot: &Snapshot, deed: &str) -> Result<recall::FactsAnswer, Failure> {
    let numbers: Vec<u64> = deed.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [count, times] = numbers[..] else { return Err(polite::failure("how many points, and how often?")) };
    let value = |number: u64| 100.0 + ((number * 7_919 % 2_003) as f64) / 100.0;
    let points: Vec<Point> = (0..count).map(|number| Point::new(Micros(number as i64), value(number))).collect();
    for _ in 0..times {
        let mut accumulator = Accumulator::default();
        accumulator.extend(black_box(&points));
        black_box(accumulator.stats());
    }
    polite::facts(snapshot)
}
