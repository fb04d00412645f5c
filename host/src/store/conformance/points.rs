//! The points of series.

use std::collections::BTreeMap;

use gligabao_core::model::SeriesId;
use gligabao_core::series::Point;
use gligabao_core::series::points::{FIRST_TIME, LAST_TIME};
use gligabao_core::storage::{Change, DeletePoints, PointFilter, PutPoints, StorageError};
use gligabao_core::time::Micros;

use super::plans::points;
use super::{Bench, refusal};
use crate::store::RunKind;

/// Every point of a series in a stretch, page after page of `limit`.
async fn read(bench: &Bench, id: SeriesId, filter: PointFilter, limit: u32) -> Vec<Point> {
    let snapshot = bench.latest().await;
    let (mut found, mut filter) = (Vec::new(), filter);
    loop {
        let page = snapshot.list_points(id, filter, limit).await.unwrap();
        assert!(page.points.len() <= limit as usize);
        assert!(!page.more || !page.points.is_empty());
        found.extend(page.points);
        match found.last() {
            Some(last) if page.more => filter.from = Some(Micros(last.at.0 + 1)),
            _ => return found,
        }
    }
}

/// Every point of a series.
pub(super) const ALL: PointFilter = PointFilter { from: None, to: None, known_at: None };

/// Points with the bits of their values, which tell minus zero from zero.
fn bits(points: &[Point]) -> Vec<(i64, u64)> {
    points.iter().map(|point| (point.at.0, point.value.to_bits())).collect()
}

pub async fn every_bit_of_a_point_comes_back(bench: Bench) {
    let values = [0.0, -0.0, 1.5, -1.5, f64::MIN, f64::MAX, f64::MIN_POSITIVE, 5e-324, -5e-324, 0.1, 1e300, 4.0];
    // Few points, and so many that a store may keep them differently.
    for (key, times) in [("few", 12), ("many", 10_000)] {
        let value = |n: i64| values[usize::try_from(n).unwrap() % values.len()];
        let mut sent: Vec<Point> = (0..times).map(|n| Point::new(Micros(n * 1_000 - 7), value(n))).collect();
        sent.insert(0, Point::new(FIRST_TIME, -0.0));
        sent.push(Point::new(LAST_TIME, f64::MAX));
        let mut draft = bench.draft().await;
        let id = draft.series(key);
        draft.change(Change::PutPoints(PutPoints { series: id, points: sent.clone() }));
        bench.commit(draft).await;
        assert_eq!(bits(&read(&bench, id, ALL, 100_000).await), bits(&sent));
        let asked: Vec<Micros> = sent.iter().step_by(3).flat_map(|p| [p.at, Micros(p.at.0 + 1)]).collect();
        let found = bench.latest().await.get_points(id, &asked).await.unwrap();
        let expected: Vec<Point> = sent.iter().copied().step_by(3).collect();
        assert_eq!(bits(&found), bits(&expected));
        assert_eq!(bench.latest().await.get_series(&[id]).await.unwrap()[0].points, sent.len() as u64);
    }
}

pub async fn points_are_listed_by_time_within_bounds(bench: Bench) {
    let mut draft = bench.draft().await;
    let id = draft.series("cpi");
    let all: Vec<(i64, f64)> = (0..1_000).map(|n| (n * 10, f64::from(i32::try_from(n).unwrap()))).collect();
    draft.points(id, &all);
    bench.commit(draft).await;
    // What comes after is kept apart at first.
    let mut draft = bench.draft().await;
    draft.points(id, &[(10_000, 1.0), (10_020, 2.0)]);
    bench.commit(draft).await;
    let all: Vec<(i64, f64)> = all.into_iter().chain([(10_000, 1.0), (10_020, 2.0)]).collect();
    let bounds = [i64::MIN, -1, 0, 1, 5_000, 9_990, 9_991, 10_000, 10_001, 10_020, 10_021, i64::MAX];
    let ends = bounds.map(Some).into_iter().chain([None]);
    for from in ends.clone() {
        for to in ends.clone() {
            let filter = PointFilter { from: from.map(Micros), to: to.map(Micros), known_at: None };
            let expected: Vec<(i64, f64)> =
                all.iter().copied().filter(|(at, _)| filter.contains(Micros(*at))).collect();
            for limit in [7, 1_001, 100_000] {
                let found = read(&bench, id, filter, limit).await;
                assert_eq!(found, points(&expected), "{filter:?} {limit}");
            }
        }
    }
    let snapshot = bench.latest().await;
    assert!(!snapshot.list_points(id, ALL, 1_002).await.unwrap().more);
    assert!(snapshot.list_points(id, ALL, 1_001).await.unwrap().more);
    assert_eq!(snapshot.list_points(SeriesId(9), ALL, 10).await.unwrap().points, []);
    assert_eq!(snapshot.get_points(SeriesId(9), &[Micros(0)]).await.unwrap(), []);
    for limit in [0, 100_001] {
        let said = refusal(snapshot.list_points(id, ALL, limit).await);
        assert_eq!(said, format!("limit: {limit} is not in 1 to 100000"));
    }
    let said = refusal(snapshot.get_points(id, &[Micros(2), Micros(2)]).await);
    assert_eq!(said, "times: they do not strictly ascend");
}

pub async fn a_point_is_known_until_another_replaces_it(bench: Bench) {
    let mut draft = bench.draft().await;
    let id = draft.series("gdp");
    draft.points(id, &[(1, 1.0), (2, 0.0)]);
    // What the same commit replaces was never known.
    draft.points(id, &[(1, 1.5)]);
    let one = bench.commit(draft).await.at;
    let mut draft = bench.draft().await;
    draft.points(id, &[(1, 1.5), (2, -0.0), (3, 3.0)]);
    let two = bench.commit(draft).await.at;
    let mut draft = bench.draft().await;
    draft.points(id, &[(2, -0.0)]);
    bench.commit(draft).await;
    let mut draft = bench.draft().await;
    draft.points(id, &[(2, 2.0)]);
    let four = bench.commit(draft).await.at;
    let known = async |at: i64| bits(&read(&bench, id, PointFilter { known_at: Some(Micros(at)), ..ALL }, 2).await);
    for (at, expected) in [
        (one.0 - 1, &[][..]),
        (one.0, &[(1, 1.5), (2, 0.0)]),
        (two.0 - 1, &[(1, 1.5), (2, 0.0)]),
        (two.0, &[(1, 1.5), (2, -0.0), (3, 3.0)]),
        (four.0 - 1, &[(1, 1.5), (2, -0.0), (3, 3.0)]),
        (four.0, &[(1, 1.5), (2, 2.0), (3, 3.0)]),
        (i64::MAX, &[(1, 1.5), (2, 2.0), (3, 3.0)]),
    ] {
        assert_eq!(known(at).await, bits(&points(expected)), "{at}");
    }
    assert_eq!(bench.latest().await.get_series(&[id]).await.unwrap()[0].points, 3);
}

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

pub async fn a_series_is_known_at_every_commit_as_a_copy_of_then_says(bench: Bench) {
    let mut numbers = Numbers(7);
    let mut draft = bench.draft().await;
    let id = draft.series("gdp");
    let mut copies = vec![(bench.commit(draft).await.at, BTreeMap::<i64, u64>::new())];
    for _ in 0..60 {
        let mut draft = bench.draft().await;
        let mut now = copies[copies.len() - 1].1.clone();
        if numbers.below(6) == 0 {
            let (from, to) = (numbers.below(900), numbers.below(900));
            let bound = |at: u64| Some(Micros(i64::try_from(at).unwrap()));
            draft.change(Change::DeletePoints(DeletePoints { series: id, from: bound(from), to: bound(to) }));
            // What is erased was never there.
            for copy in copies.iter_mut().map(|(_, copy)| copy).chain([&mut now]) {
                copy.retain(|at, _| !(from..=to).contains(&at.cast_unsigned()));
            }
        }
        let (start, step) = (numbers.below(900), numbers.below(20) + 1);
        let sent: Vec<(i64, f64)> = (0..numbers.below(200))
            .map(|n| (i64::try_from(start + n * step).unwrap(), [0.0, -0.0, 1.0][numbers.below(3) as usize]))
            .collect();
        draft.points(id, &sent);
        now.extend(sent.iter().map(|(at, value)| (*at, value.to_bits())));
        copies.push((bench.commit(draft).await.at, now));
    }
    for (at, copy) in &copies {
        let filter = PointFilter { known_at: Some(*at), ..ALL };
        let found = read(&bench, id, filter, 333).await;
        assert_eq!(bits(&found), copy.iter().map(|(at, bits)| (*at, *bits)).collect::<Vec<_>>(), "{at}");
        let within = PointFilter { from: Some(Micros(400)), to: Some(Micros(600)), ..filter };
        let expected: Vec<_> = copy.range(400..=600).map(|(at, bits)| (*at, *bits)).collect();
        assert_eq!(bits(&read(&bench, id, within, 10).await), expected, "{at}");
    }
    let (_, now) = &copies[copies.len() - 1];
    assert_eq!(bits(&read(&bench, id, ALL, 1_000).await), now.iter().map(|(at, b)| (*at, *b)).collect::<Vec<_>>());
    assert_eq!(bench.latest().await.get_series(&[id]).await.unwrap()[0].points, now.len() as u64);
}

pub async fn what_a_refused_plan_wrote_of_points_is_undone(bench: Bench) {
    let mut draft = bench.draft().await;
    let id = draft.series("cpi");
    let before: Vec<(i64, f64)> = (0..5_000).map(|n| (n, 1.0)).collect();
    draft.points(id, &before);
    bench.commit(draft).await;
    let run = bench.store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
    let mut draft = bench.draft().await;
    draft.points(id, &(0..100_000).map(|n| (n, 2.0)).collect::<Vec<_>>());
    let stale = draft.clone();
    draft.change(Change::DeleteSeries(SeriesId(9)));
    assert!(matches!(
        bench.store.commit(bench.dataset, run, draft.plan, Vec::new()).await,
        Err(StorageError::Invalid(_))
    ));
    assert_eq!(read(&bench, id, ALL, 100_000).await, points(&before));
    bench.store.commit(bench.dataset, run, stale.plan, Vec::new()).await.unwrap();
    assert_eq!(read(&bench, id, ALL, 100_000).await.len(), 100_000);
}
