//! Series that come by themselves: what is written, what it amounts to, and what nothing is made of.

use gligabao_core::model::{FailureCode, SeriesId};
use gligabao_core::series::anchor::AnchorRequest;
use gligabao_core::series::bucket::Bucket;
use gligabao_core::series::reading::{ReadRequest, Rows};
use gligabao_core::series::request::SeriesRequest;
use gligabao_core::series::{Point, Stats, Trend, get_series};
use gligabao_core::storage::{Change, Dataset, Plan, PutSeries, Snapshot};
use gligabao_core::time::Micros;
use proptest::prelude::*;

use crate::counted::Counted;
use crate::memory::{all, anchored, at, get, points, put, series, snapshot, store, stored_points, to_entity, version};

#[test]
fn a_series_is_stored_with_what_its_points_amount_to() {
    let store = store();
    let answer = put(&store, vec![series("AAPL", &[("2024-01-02", 3.0), ("2024-01-01", 2.0), ("2024-01-02", 4.0)])]);
    let written = &answer.unwrap().series[0];
    assert_eq!((written.created, written.points, written.replaced, written.point_count), (true, 3, 0, 2));
    let got = get(&store, 1);
    assert_eq!(got.rows, Rows::Points(points(&[("2024-01-01", 2.0), ("2024-01-02", 4.0)])));
    let stats = got.summary.stats.unwrap();
    assert_eq!((stats.count, stats.mean, stats.pct_change, stats.trend), (2, 3.0, Some(100.0), Trend::Up));
    let again = put(&store, vec![series("AAPL", &[("2024-01-02", 5.0), ("2024-01-03", 6.0), ("2024-01-01", 2.0)])]);
    let written = &again.unwrap().series[0];
    assert_eq!((written.created, written.points, written.replaced, written.point_count), (false, 3, 1, 3));
    assert_eq!(get(&store, 1).summary.stats, Stats::of(&stored_points(&store, 1)));
}

#[test]
fn what_is_there_already_is_no_commit() {
    let store = store();
    let request = || {
        let labels = SeriesRequest { unit: Some("USD".to_owned()), ..series("AAPL", &[("2024-01-01", -0.0)]) };
        let role = |role: &str| AnchorRequest { role: Some(role.to_owned()), ..to_entity("Apple") };
        vec![anchored(labels, &[role("draft"), role("price")]), series("CPI", &[("2024-01-01", 1.0)])]
    };
    put(&store, request()).unwrap();
    let before = version(&store);
    let again = put(&store, request()).unwrap();
    assert_eq!((version(&store), again.series.len(), again.series[0].created), (before, 2, false));
    assert_eq!(again.series[0].anchors.len(), 1);
    assert!(!again.series[0].anchors[0].created);
    put(&store, vec![series("AAPL", &[("2024-01-01", 0.0)])]).unwrap();
    assert_eq!(version(&store), before + 1, "minus zero is another value");
}

#[test]
fn labels_that_are_not_sent_stay_and_another_unit_is_told() {
    let store = store();
    let labels = |name: Option<&str>, unit: Option<&str>| SeriesRequest {
        name: name.map(str::to_owned),
        unit: unit.map(str::to_owned),
        ..series("AAPL", &[])
    };
    let first = SeriesRequest { points: Some(points(&[("2024-01-01", 1.0)])), ..labels(Some("Apple"), Some("USD")) };
    put(&store, vec![first]).unwrap();
    let answer = put(&store, vec![labels(None, Some("EUR"))]).unwrap();
    assert_eq!(answer.warnings.len(), 1);
    assert!(answer.warnings[0].starts_with("series[0].unit: was \"USD\""), "{}", answer.warnings[0]);
    let summary = get(&store, 1).summary;
    assert_eq!((summary.series.title(), summary.series.unit.as_deref()), ("Apple", Some("EUR")));
    assert_eq!(summary.stats.unwrap().count, 1, "labels change no points");
}

#[test]
fn what_cannot_be_stored_is_refused_with_its_place_and_nothing_is() {
    let store = store();
    let good = series("a", &[("2024-01-01", 1.0)]);
    let bad = |index: usize, bad: SeriesRequest| {
        let mut all = vec![good.clone(), series("b", &[("2024-01-01", 1.0)])];
        all[index] = bad;
        all
    };
    let artifact = AnchorRequest { artifact: true, ..AnchorRequest::default() };
    let endless = SeriesRequest { points: Some(vec![Point::new(Micros(0), f64::NAN)]), ..good.clone() };
    for (request, start) in [
        (vec![], "series: is empty"),
        (bad(1, good.clone()), "series[1].key: is that of series[0] too"),
        (bad(1, series("new", &[])), "series[1].points: is missing, and no series \"new\""),
        (
            bad(1, anchored(series("c", &[("2024-01-01", 1.0)]), &[artifact])),
            "series[1].anchors[0].artifact: there is no",
        ),
        (bad(0, endless), "series[0].points[0]: the value is no finite number"),
    ] {
        let failure = put(&store, request).unwrap_err();
        assert_eq!(failure.code, FailureCode::Invalid);
        assert!(failure.message.starts_with(start), "{}", failure.message);
    }
    assert_eq!((version(&store), all(&store).len()), (0, 0));
}

#[test]
fn what_another_version_kept_with_a_series_is_made_again() {
    let store = store();
    put(&store, vec![series("a", &[("2024-01-01", 1.0), ("2024-01-02", 2.0)])]).unwrap();
    let stored = snapshot(&store).get_series(&[SeriesId(1)]).unwrap().pop().unwrap();
    let other = Change::PutSeries(PutSeries { series: stored.series, state: vec![0, 7] });
    store.commit(&Plan { version: version(&store), changes: vec![other], stages: Vec::new() }).unwrap();
    assert_eq!(get(&store, 1).summary.stats, Stats::of(&stored_points(&store, 1)));
    put(&store, vec![series("a", &[("2024-01-03", 6.0)])]).unwrap();
    let stored = snapshot(&store).get_series(&[SeriesId(1)]).unwrap().pop().unwrap();
    assert!(stored.state.len() > 2, "it is kept anew");
    assert_eq!(get(&store, 1).summary.stats.unwrap().mean, 3.0);
}

#[test]
fn a_series_is_read_as_it_was_known_in_parts_and_by_periods() {
    let store = store();
    put(&store, vec![series("gdp", &[("2024-01-01", 1.0), ("2024-02-01", 2.0), ("2024-02-02", 4.0)])]).unwrap();
    let known_at = snapshot(&store).head().unwrap().last_at;
    put(&store, vec![series("gdp", &[("2024-02-01", 9.0), ("2024-03-01", 3.0)])]).unwrap();
    let read = |request: ReadRequest| get_series(&snapshot(&store), SeriesId(1), &request).unwrap();
    let then = read(ReadRequest { known_at: Some(known_at), ..ReadRequest::default() });
    assert_eq!(then.rows, Rows::Points(points(&[("2024-01-01", 1.0), ("2024-02-01", 2.0), ("2024-02-02", 4.0)])));
    assert_eq!(then.summary.stats.map(|stats| (stats.count, stats.last)), Some((3, 4.0)), "stats of then");
    let mut request = ReadRequest { from: Some(at("2024-01-15")), limit: Some(1), ..ReadRequest::default() };
    let mut values = Vec::new();
    loop {
        let part = read(request.clone());
        let Rows::Points(points) = part.rows else { panic!("points were asked for") };
        values.extend(points.iter().map(|point| point.value));
        request.cursor = part.cursor;
        if request.cursor.is_none() {
            break;
        }
    }
    assert_eq!(values, [9.0, 4.0, 3.0]);
    let whole = read(ReadRequest { limit: None, cursor: None, ..request });
    assert_eq!(whole.window_stats.unwrap().count, 3);
    let months = read(ReadRequest { bucket: Some(Bucket::Month), ..ReadRequest::default() });
    let Rows::Buckets(months) = months.rows else { panic!("buckets were asked for") };
    assert_eq!(months.len(), 3);
}

#[test]
fn an_append_to_many_series_asks_storage_a_few_times_whatever_is_stored() {
    let request = |day: u32| -> Vec<SeriesRequest> {
        let one = |place: u32| {
            let points = (0..50).map(|minute| Point::new(Micros(i64::from(day * 1_000 + minute)), f64::from(place)));
            let series = SeriesRequest { points: Some(points.collect()), ..series(&format!("s{place}"), &[]) };
            anchored(series, &[to_entity(&format!("Company {place}"))])
        };
        (0..20).map(one).collect()
    };
    let store = Counted::new(store());
    let asked = |day| {
        let before = store.asked.get();
        put(&store, request(day)).unwrap();
        store.asked.get() - before
    };
    // The row of the dataset, the series, and names.
    assert_eq!(asked(1), 3);
    // Then the entities of the names, and for each series whether the anchor is there.
    assert_eq!([asked(2), asked(3)], [4 + 20, 4 + 20]);
    // Each series is compared with what is sent again.
    assert_eq!(asked(3), 4 + 20 + 20);
    // Each is read whole, a page each, when points come in between.
    assert_eq!(asked(0), 4 + 20 + 20 + 20);
}

/// A request: of two series, which points.
fn writes() -> impl Strategy<Value = Vec<(bool, Vec<(i64, f64)>)>> {
    let value = prop_oneof![Just(0.0), Just(-0.0), -1e3..1e3f64, Just(1e308), Just(-1e308)];
    let points = prop_oneof![
        proptest::collection::vec((0i64..40, value.clone()), 1..30),
        proptest::collection::vec((40i64..300, value), 1..90),
    ];
    proptest::collection::vec((any::<bool>(), points), 1..12)
}

fn bits(stats: Option<Stats>) -> Option<Vec<u64>> {
    let of = |value: Option<f64>| value.map_or(1, f64::to_bits);
    stats.map(|stats| {
        let step = stats.largest_move;
        vec![
            stats.count,
            stats.first.to_bits(),
            stats.last.to_bits(),
            stats.min.to_bits(),
            stats.min_ts.0.cast_unsigned(),
            stats.max.to_bits(),
            stats.max_ts.0.cast_unsigned(),
            stats.mean.to_bits(),
            of(stats.change),
            of(stats.pct_change),
            step.map_or(0, |step| step.from.0.cast_unsigned() + 1),
            of(step.and_then(|step| step.pct)),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_the_calls_the_stats_are_those_of_the_final_points(writes in writes()) {
        let store = store();
        for (other, pairs) in &writes {
            let points = pairs.iter().map(|(at, value)| Point::new(Micros(*at), *value)).collect();
            let key = if *other { "b" } else { "a" };
            put(&store, vec![SeriesRequest { points: Some(points), ..series(key, &[]) }]).unwrap();
        }
        for summary in all(&store) {
            let points = stored_points(&store, summary.series.id.0);
            prop_assert_eq!(bits(summary.stats), bits(Stats::of(&points)));
        }
    }

    #[test]
    fn appended_in_any_parts_a_series_is_the_same(values in proptest::collection::vec(-1e9..1e9f64, 1..200), parts in proptest::collection::vec(1usize..40, 1..20)) {
        let all: Vec<Point> = (0..).zip(&values).map(|(at, value)| Point::new(Micros(at), *value)).collect();
        let store = store();
        let mut rest = all.as_slice();
        for part in parts.iter().cycle() {
            let (now, later) = rest.split_at((*part).min(rest.len()));
            put(&store, vec![SeriesRequest { points: Some(now.to_vec()), ..series("a", &[]) }]).unwrap();
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(bits(get(&store, 1).summary.stats), bits(Stats::of(&all)));
    }
}
