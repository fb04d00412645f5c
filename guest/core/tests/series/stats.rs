//! Stats: the shared cases, the oracle, and what storing an accumulator between two calls must not change.

use gligabao_core::series::points::read_time;
use gligabao_core::series::{Accumulator, Point, Stats};
use gligabao_core::time::Micros;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::oracle::{self, Exact};

fn object(stats: &Stats) -> Map<String, Value> {
    let time = |at: Micros| at.to_string();
    let largest = stats.largest_move.map(|step| {
        let (from, to) = (time(step.from), time(step.to));
        json!({"from": from, "to": to, "from_value": step.from_value, "to_value": step.to_value, "pct": step.pct})
    });
    let all = json!({
        "count": stats.count, "first_ts": time(stats.first_ts), "last_ts": time(stats.last_ts), "first": stats.first,
        "last": stats.last, "min": stats.min, "min_ts": time(stats.min_ts), "max": stats.max,
        "max_ts": time(stats.max_ts), "mean": stats.mean, "change": stats.change, "pct_change": stats.pct_change,
        "trend": stats.trend.as_str(), "largest_move": largest,
    });
    let Value::Object(all) = all else { unreachable!("it was written as an object") };
    all.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

fn ulps(a: f64, b: f64) -> u64 {
    let place = |value: f64| {
        let bits = value.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    place(a).abs_diff(place(b))
}

fn assert_alike(name: &str, path: &str, actual: &Value, expected: &Value) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            assert!(actual.keys().eq(expected.keys()), "{name}: {path} has {actual:?}");
            for (key, expected) in expected {
                assert_alike(name, key, &actual[key], expected);
            }
        }
        (Value::Number(a), Value::Number(b)) if matches!(path, "mean" | "pct" | "pct_change") => {
            let (a, b) = (a.as_f64().expect("a double"), b.as_f64().expect("a double"));
            assert!(ulps(a, b) <= 4, "{name}: {path} is {a}, not {b}");
        }
        (Value::Number(a), Value::Number(b)) => assert_eq!(a.as_f64(), b.as_f64(), "{name}: {path}"),
        (actual, expected) => assert_eq!(actual, expected, "{name}: {path}"),
    }
}

#[test]
fn stats_are_those_of_the_shared_cases() {
    let cases: Value = serde_json::from_str(include_str!("../cases/stats.json")).expect("the cases are valid");
    for case in cases["cases"].as_array().expect("a list") {
        let points: Vec<Point> = case["points"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|point| {
                let at = read_time(point[0].as_str().expect("a time")).expect("a time");
                Point::new(at, point[1].as_f64().expect("a value"))
            })
            .collect();
        let stats = object(&Stats::of(&points).expect("a case has points"));
        assert_alike(case["name"].as_str().expect("a name"), "stats", &Value::Object(stats), &case["expect"]);
    }
}

fn series(values: &[f64]) -> Vec<Point> {
    (0..).zip(values).map(|(second, &value)| Point::new(Micros(second * 1_000_000), value)).collect()
}

/// Everything but the mean is equal, the mean is as near as a compensated sum can be.
fn assert_as_the_oracle(points: &[Point]) {
    let (stats, oracle) = (Stats::of(points).expect("points"), oracle::stats(points).expect("points"));
    assert_eq!(Stats { mean: 0.0, ..stats }, Stats { mean: 0.0, ..oracle });
    let count = points.len() as f64;
    let size = Exact::sum(points.iter().map(|point| point.value.abs())).over(points.len() as u32);
    let lost = (count * f64::EPSILON / 2.0).powi(2) * size;
    let off = (stats.mean / 2.0 - oracle.mean / 2.0).abs() * 2.0;
    assert!(ulps(stats.mean, oracle.mean) <= 4 || off <= lost, "{} instead of {}", stats.mean, oracle.mean);
    for number in [stats.first, stats.last, stats.min, stats.max, stats.mean] {
        assert!(number.is_finite());
    }
}

#[test]
fn hostile_series_have_stats() {
    let tiny = f64::from_bits(1);
    let long = |value: fn(u32) -> f64| (0..100_000).map(value).collect::<Vec<f64>>();
    for values in [
        vec![-0.0],
        vec![0.0, -0.0, 0.0],
        vec![-0.0; 200],
        vec![tiny, -tiny, tiny * 3.0],
        vec![tiny; 300],
        vec![f64::MIN_POSITIVE, tiny, 0.0],
        vec![1e308; 300],
        vec![f64::MAX; 3],
        vec![f64::MAX, f64::MIN],
        vec![f64::MIN, f64::MAX],
        vec![f64::MAX, f64::MAX, f64::MIN, f64::MIN, 1.0],
        vec![1e-300, 1e300, 1e-300],
        vec![1e308, -0.6e308, 1e308],
        vec![1e308, -1e308, 1.5e308, 3.0, -1.5e308],
        vec![1.0, tiny, 1.0],
        vec![tiny, tiny * 2.0, tiny * 3.0, tiny * 7.0],
        vec![1e-290, 1.0000001e-290, 1.0000003e-290],
        vec![7.0; 1_000],
        vec![1e16, 1.0, -1e16, 1.0],
        long(|at| f64::from(at % 7) * 1e305 * if at % 3 == 0 { -1.0 } else { 1.0 }),
        long(|at| 1e308 * if at < 50_000 { 1.0 } else { -1.0 }),
        long(|at| f64::from(at) * 0.1),
        long(|at| 1.0 / f64::from(at + 1)),
        long(|at| f64::from(at).sin() * 1e-310),
        long(|at| 100.0 * 1.0001f64.powi(at as i32 % 9_000)),
    ] {
        assert_as_the_oracle(&series(&values));
    }
}

#[test]
fn what_overflows_is_left_out() {
    let stats = Stats::of(&series(&[-1e308, 1e308])).expect("points");
    assert_eq!((stats.change, stats.pct_change, stats.trend.as_str()), (None, None, "up"));
    assert_eq!(stats.largest_move.map(|step| step.pct), Some(None));
    assert_eq!(Stats::of(&[]), None);
}

#[test]
fn the_earliest_step_of_equal_percentages_is_the_largest() {
    let stats = Stats::of(&series(&[3.0, 4.0, 3.0, 6.0, 3.0, 6.0, 8.0, 16.0])).expect("points");
    assert_eq!(stats.largest_move.map(|step| step.from), Some(Micros(2_000_000)));
}

#[test]
fn a_stored_accumulator_of_another_version_or_shape_is_refused() {
    let mut accumulator = Accumulator::default();
    accumulator.extend(&series(&[1.0, 2.0]));
    let bytes = accumulator.to_bytes();
    assert_eq!(Accumulator::from_bytes(&bytes), Some(accumulator));
    assert!(bytes.len() < 300, "{}", bytes.len());
    assert_eq!(Accumulator::from_bytes(&[]), None);
    assert_eq!(Accumulator::from_bytes(&bytes[..bytes.len() - 1]), None);
    assert_eq!(Accumulator::from_bytes(&[&bytes[..], &[0]].concat()), None);
    assert_eq!(Accumulator::from_bytes(&[&[0], &bytes[1..]].concat()), None);
}

/// Adds the points in these parts, through storage each time.
fn in_parts<'a>(parts: impl Iterator<Item = &'a [Point]>) -> Vec<u8> {
    let mut bytes = Accumulator::default().to_bytes();
    for part in parts {
        let mut accumulator = Accumulator::from_bytes(&bytes).expect("it was just written");
        accumulator.extend(part);
        bytes = accumulator.to_bytes();
    }
    bytes
}

fn value() -> impl Strategy<Value = f64> {
    let finite = any::<f64>().prop_filter("finite", |value| value.is_finite());
    let tiny = (0u64..100).prop_map(f64::from_bits);
    prop_oneof![
        4 => -100.0..100.0f64,
        2 => 90.0..110.0f64,
        1 => finite,
        1 => prop_oneof![Just(0.0), Just(-0.0), Just(1.0), Just(1e308), Just(-1e308), Just(f64::MAX), Just(1e-300)],
        1 => tiny,
    ]
}

/// Series of one temper, and series that change it on the way.
fn values(most: usize) -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![
        proptest::collection::vec(value(), 1..most),
        proptest::collection::vec(90.0..110.0f64, 1..most),
        (proptest::collection::vec(90.0..110.0f64, most), proptest::collection::vec(value(), 1..most))
            .prop_map(|(calm, wild)| [calm, wild].concat()),
        proptest::collection::vec(prop_oneof![Just(1e308), Just(1.7e308), Just(-1.5e308)], 1..most),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn random_series_have_the_stats_of_the_oracle(values in values(200)) {
        assert_as_the_oracle(&series(&values));
    }

    #[test]
    fn points_added_later_give_the_bits_of_points_added_at_once(values in values(170)) {
        let points = series(&values);
        let whole = in_parts(std::iter::once(&points[..]));
        for split in 0..=points.len() {
            let (before, after) = points.split_at(split);
            prop_assert_eq!(&in_parts([before, after].into_iter()), &whole, "split at {}", split);
        }
        prop_assert_eq!(in_parts(points.chunks(1)), whole);
    }

    #[test]
    fn any_parts_give_the_bits_of_the_whole(values in values(600), sizes in proptest::collection::vec(1usize..150, 1..40)) {
        let points = series(&values);
        let mut parts = Vec::new();
        let mut rest = &points[..];
        for size in sizes.into_iter().cycle() {
            let (part, more) = rest.split_at(size.min(rest.len()));
            parts.push(part);
            rest = more;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(in_parts(parts.into_iter()), in_parts(std::iter::once(&points[..])));
    }
}
