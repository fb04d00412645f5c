//! What the stats of 100,000 points cost: `cargo bench -p gligabao-core --bench stats`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use gligabao_core::series::{Accumulator, Point, Stats};
use gligabao_core::time::Micros;

const COUNT: u32 = 100_000;

fn main() {
    let mut state = 88_172_645_463_325_252u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut walk = 100.0;
    let mut growth = 100.0;
    report("walk", |_| {
        walk += random() - 0.5;
        walk
    });
    report("line", f64::from);
    report("alternating signs", |at| if at % 2 == 0 { 1.5 } else { -1.5 });
    report("constant", |_| 7.0);
    report("growth", |_| {
        growth *= 1.0001;
        growth
    });
    report("half zeros", |_| if random() < 0.5 { 0.0 } else { (random() * 100.0).floor() });
    report("past the largest double", |_| 1e308);
}

fn report(name: &str, value: impl FnMut(u32) -> f64) {
    let values = (0..COUNT).map(value);
    let points: Vec<Point> = (0..).zip(values).map(|(at, value)| Point::new(Micros(at), value)).collect();
    let all = fastest(|| {
        black_box(Stats::of(black_box(&points)));
    });
    let (before, last) = points.split_at(points.len() - 1);
    let mut accumulator = Accumulator::default();
    accumulator.extend(before);
    let stored = accumulator.to_bytes();
    let one = fastest(|| {
        let mut accumulator = Accumulator::from_bytes(black_box(&stored)).expect("it was just written");
        accumulator.extend(last);
        black_box((accumulator.to_bytes(), accumulator.stats()));
    });
    println!("{name:<24} {COUNT} points {all:>9.1?}   one more {one:>7.1?}");
}

fn fastest(mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..400).map(time).min().expect("it ran")
}
