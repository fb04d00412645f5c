//! Series, their points, and what they are tied to.

use std::collections::BTreeMap;

use gligabao_core::model::{
    Anchor, AnchorTarget, ArtifactId, EdgeId, EntityId, Moment, Page, Position, Series, SeriesId, SeriesSource,
};
use gligabao_core::series::Point;
use gligabao_core::series::points::{FIRST_TIME, LAST_TIME};
use gligabao_core::storage::rules::MAX_STATE;
use gligabao_core::storage::{
    ArtifactFilter, Change, DeleteAnchor, DeletePoints, PointFilter, PutPoints, PutSeries, SeriesKey, StorageError,
};
use gligabao_core::time::{Instant, Micros};

use super::plans::{Draft, artifact, from, points, series};
use super::{Bench, first, refusal};

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

const ALL: PointFilter = PointFilter { from: None, to: None, known_at: None };

/// Points with the bits of their values, which tell minus zero from zero.
fn bits(points: &[Point]) -> Vec<(i64, u64)> {
    points.iter().map(|point| (point.at.0, point.value.to_bits())).collect()
}

fn key(provider: Option<&str>, key: &str, field: &str) -> SeriesKey {
    SeriesKey { provider: provider.map(str::to_owned), key: key.to_owned(), field: field.to_owned() }
}

pub async fn series_are_found_by_what_identifies_them(bench: Bench) {
    let keys = [
        key(None, "cpi", "value"),
        key(Some(""), "cpi", "value"),
        key(Some("fred"), "cpi", "value"),
        key(None, "cpi", "core"),
        key(None, "CPI", "value"),
    ];
    let mut draft = bench.draft().await;
    for SeriesKey { provider, key, field } in keys.clone() {
        draft.add_series(Series { provider, key, field, ..series("") }, b"state");
    }
    let at = bench.commit(draft).await.at;
    let snapshot = bench.latest().await;
    for (id, key) in (1..).zip(&keys) {
        let found = snapshot.find_series(std::slice::from_ref(key)).await.unwrap();
        assert_eq!(found.len(), 1, "{key:?}");
        assert_eq!((found[0].series.id, found[0].points), (SeriesId(id), 0));
        assert_eq!((found[0].series.created_at, &found[0].state[..]), (Moment::At(at), &b"state"[..]));
    }
    let wanted = [keys[3].clone(), keys[0].clone(), key(None, "cpi", ""), keys[3].clone()];
    let ids = |found: Vec<gligabao_core::storage::StoredSeries>| -> Vec<u64> {
        found.iter().map(|stored| stored.series.id.0).collect()
    };
    assert_eq!(ids(snapshot.find_series(&wanted).await.unwrap()), [1, 4]);
    assert_eq!(ids(snapshot.get_series(&[SeriesId(4), SeriesId(2), SeriesId(9), SeriesId(2)]).await.unwrap()), [2, 4]);
    assert_eq!(snapshot.head().await.unwrap().next.series, SeriesId(6));
}

pub async fn a_series_that_is_put_again_keeps_its_key_and_its_points(bench: Bench) {
    let mut draft = bench.draft().await;
    let id = draft.series("cpi");
    draft.points(id, &[(1, 1.0), (2, 2.0)]);
    let at = bench.commit(draft).await.at;
    let again = Series {
        id,
        name: Some("Prices".to_owned()),
        unit: Some("%".to_owned()),
        frequency: Some("monthly".to_owned()),
        source: SeriesSource::Fetched,
        definition: Some("all items".to_owned()),
        ..series("cpi")
    };
    let mut draft = bench.draft().await;
    draft.change(Change::PutSeries(PutSeries { series: again.clone(), state: vec![0, 255] }));
    bench.commit(draft).await;
    let stored = bench.latest().await.get_series(&[id]).await.unwrap().remove(0);
    assert_eq!(stored.series, Series { created_at: Moment::At(at), ..again });
    assert_eq!((stored.points, &stored.state[..]), (2, &[0, 255][..]));
    assert_eq!(bench.latest().await.head().await.unwrap().next.series, SeriesId(2));
}

pub async fn series_are_listed_by_id_and_by_what_they_are_tied_to(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, told) = (draft.entity("Ana"), draft.artifact("told"));
    for n in 1..=7 {
        let id = draft.series(&format!("s{n}"));
        draft.anchor(id, AnchorTarget::Artifact(told));
        if n % 2 == 0 {
            draft.anchor(id, AnchorTarget::Entity(ana));
        }
    }
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    for (target, expected) in [
        (None, vec![1, 2, 3, 4, 5, 6, 7]),
        (Some(AnchorTarget::Artifact(told)), vec![1, 2, 3, 4, 5, 6, 7]),
        (Some(AnchorTarget::Entity(ana)), vec![2, 4, 6]),
        (Some(AnchorTarget::Edge(EdgeId(1))), vec![]),
    ] {
        for limit in [1, 2, 3, 100] {
            let (mut found, mut after) = (Vec::new(), None);
            loop {
                let page = snapshot.list_series(target, Page { limit, after }).await.unwrap();
                found.extend(page.series.iter().map(|stored| stored.series.id.0));
                let Some(next) = page.next else { break };
                after = Some(next);
            }
            assert_eq!(found, expected, "{target:?} {limit}");
        }
    }
}

pub async fn a_series_has_one_anchor_for_a_target(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob, told) = (draft.entity("Ana"), draft.entity("Bob"), draft.artifact("told"));
    let edge = draft.edge(ana, "knows", bob, from(1));
    let id = draft.series("cpi");
    let targets =
        [AnchorTarget::Artifact(told), AnchorTarget::Entity(ana), AnchorTarget::Entity(bob), AnchorTarget::Edge(edge)];
    for target in targets.iter().rev() {
        draft.anchor(id, *target);
    }
    bench.commit(draft).await;
    let anchor = |target, role: Option<&str>, window: Option<(i64, i64)>| Anchor {
        series: id,
        target,
        role: role.map(str::to_owned),
        window: window.map(|(start, end)| (Micros(start), Micros(end))),
    };
    let mut draft = bench.draft().await;
    draft.change(Change::PutAnchor(anchor(targets[1], Some("price"), Some((i64::MIN, i64::MAX)))));
    draft.change(Change::DeleteAnchor(DeleteAnchor { series: id, target: targets[2] }));
    bench.commit(draft).await;
    let expected = [
        anchor(targets[0], None, None),
        anchor(targets[1], Some("price"), Some((i64::MIN, i64::MAX))),
        anchor(targets[3], None, None),
    ];
    let snapshot = bench.latest().await;
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = snapshot.list_anchors(id, Page { limit: 1, after }).await.unwrap();
        found.extend(page.anchors);
        let Some(next) = page.next else { break };
        after = Some(next);
    }
    assert_eq!(found, expected);
    let last = Position { at: 2, id: u64::MAX };
    assert_eq!(snapshot.list_anchors(id, Page { limit: 9, after: Some(last) }).await.unwrap().anchors, []);
    assert_eq!(snapshot.list_anchors(SeriesId(2), first(9)).await.unwrap().anchors, []);
}

pub async fn the_anchors_of_targets_are_those_of_the_newest_series(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, told) = (draft.entity("Ana"), draft.artifact("told"));
    let (artifact, entity) = (AnchorTarget::Artifact(told), AnchorTarget::Entity(ana));
    for n in 0..4 {
        let id = draft.series(&format!("s{n}"));
        draft.anchor(id, entity);
        if n == 1 {
            draft.anchor(id, artifact);
        }
    }
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    let targets = [entity, AnchorTarget::Edge(EdgeId(1)), artifact, entity];
    for (limit, expected) in [(1, vec![2, 4]), (3, vec![2, 2, 3, 4]), (100, vec![2, 1, 2, 3, 4])] {
        let found = snapshot.find_anchors(&targets, limit).await.unwrap();
        assert_eq!(found.iter().map(|anchor| anchor.series.0).collect::<Vec<_>>(), expected, "{limit}");
        assert_eq!(found[0].target, artifact);
    }
    for limit in [0, 101] {
        let said = refusal(snapshot.find_anchors(&targets, limit).await);
        assert_eq!(said, format!("limit: {limit} is not in 1 to 100"));
    }
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

pub async fn a_deleted_series_is_gone_and_its_key_is_free(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, told) = (draft.entity("Ana"), draft.artifact("told"));
    let id = draft.series("cpi");
    let other = draft.series("gdp");
    for series in [id, other] {
        draft.points(series, &[(1, 1.0)]);
        draft.anchor(series, AnchorTarget::Entity(ana));
        draft.anchor(series, AnchorTarget::Artifact(told));
    }
    let at = bench.commit(draft).await.at;
    let before = bench.latest().await;
    let mut draft = bench.draft().await;
    draft.change(Change::DeleteSeries(id));
    let again = draft.series("cpi");
    bench.commit(draft).await;
    assert_eq!(again, SeriesId(3));
    let snapshot = bench.latest().await;
    let found = snapshot.find_series(&[key(None, "cpi", "value")]).await.unwrap();
    assert_eq!((found.len(), found[0].series.id, found[0].points), (1, again, 0));
    assert_eq!(snapshot.get_series(&[id]).await.unwrap(), []);
    let then = PointFilter { known_at: Some(at), ..ALL };
    assert_eq!(snapshot.list_points(id, then, 9).await.unwrap().points, []);
    assert_eq!(snapshot.list_anchors(id, first(9)).await.unwrap().anchors, []);
    let anchors = snapshot.find_anchors(&[AnchorTarget::Entity(ana)], 9).await.unwrap();
    assert_eq!(anchors.iter().map(|anchor| anchor.series).collect::<Vec<_>>(), [other]);
    assert_eq!(snapshot.list_points(other, ALL, 9).await.unwrap().points, points(&[(1, 1.0)]));
    assert_eq!(before.list_points(id, ALL, 9).await.unwrap().points, points(&[(1, 1.0)]));
}

pub async fn artifacts_are_listed_by_the_series_that_they_tell(bench: Bench) {
    let mut draft = bench.draft().await;
    let (told, again) = (draft.artifact("told"), draft.artifact("told again"));
    let id = draft.series("cpi");
    let tell = |draft: &mut Draft, series, parent, at| {
        draft.add_artifact(
            "it rose",
            gligabao_core::model::Artifact {
                series: Some(series),
                parent: Some(parent),
                valid_at: Instant(at),
                ..artifact()
            },
        )
    };
    let first_told = tell(&mut draft, id, told, 5);
    let second = tell(&mut draft, id, again, 6);
    let third = tell(&mut draft, id, told, 5);
    draft.parent(first_told, again);
    draft.parent(first_told, again);
    draft.parent(third, told);
    bench.commit(draft).await;
    let list = async |filter: ArtifactFilter, limit| {
        let snapshot = bench.latest().await;
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = snapshot.list_artifacts(&filter, Page { limit, after }).await.unwrap();
            found.extend(page.artifacts.iter().map(|artifact| artifact.id));
            let Some(next) = page.next else { return found };
            after = Some(next);
        }
    };
    let of_series = |valid_at: Option<i64>| ArtifactFilter {
        series: Some(id),
        valid_at: valid_at.map(Instant),
        ..ArtifactFilter::default()
    };
    let children = |parent| ArtifactFilter { parent: Some(parent), ..ArtifactFilter::default() };
    for limit in [1, 2, 9] {
        assert_eq!(list(of_series(None), limit).await, [third, second, first_told]);
        assert_eq!(list(of_series(Some(5)), limit).await, [third, first_told]);
        assert_eq!(list(of_series(Some(7)), limit).await, []);
        assert_eq!(list(children(again), limit).await, [second, first_told]);
        assert_eq!(list(children(told), limit).await, [third, first_told]);
        assert_eq!(list(ArtifactFilter::default(), limit).await, [again, told]);
    }
    let got = bench.latest().await.get_artifacts(&[first_told, told]).await.unwrap();
    assert_eq!((got[0].series, got[1].series), (None, Some(id)));
    for (filter, what) in [
        (ArtifactFilter { parent: Some(told), ..of_series(None) }, "series: goes with no parent, session or wing"),
        (
            ArtifactFilter { wing: Some("w".to_owned()), ..of_series(None) },
            "series: goes with no parent, session or wing",
        ),
        (ArtifactFilter { valid_at: Some(Instant(5)), ..children(told) }, "valid_at: goes with a series only"),
    ] {
        assert_eq!(refusal(bench.latest().await.list_artifacts(&filter, first(9)).await), what);
    }
}

pub async fn series_that_break_a_rule_are_refused(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let id = draft.series("cpi");
    draft.anchor(id, AnchorTarget::Entity(ana));
    bench.commit(draft).await;
    let put = |series: Series| Change::PutSeries(PutSeries { series, state: Vec::new() });
    let new = |key: &str| Series { id: SeriesId(2), ..series(key) };
    let put_points = |series: u64, sent: &[(i64, f64)]| {
        Change::PutPoints(PutPoints { series: SeriesId(series), points: points(sent) })
    };
    let anchor =
        |series: u64, target| Change::PutAnchor(Anchor { series: SeriesId(series), target, role: None, window: None });
    let delete = |series, target| Change::DeleteAnchor(DeleteAnchor { series: SeriesId(series), target });
    let outside = "series 1: a point is not finite, or not in the years 1 to 9999";
    let unordered = "series 1: the times of points do not strictly ascend";
    let none = "there is no series 9";
    for (change, what) in [
        (put(Series { id: SeriesId(3), ..series("gdp") }), "there is no series 3"),
        (put(new("cpi")), "series 2: there is one of this provider, key and field already"),
        (put(new("")), "series 2: key or field is empty"),
        (put(Series { field: String::new(), ..new("gdp") }), "series 2: key or field is empty"),
        (
            put(Series { created_at: Moment::At(Micros(1)), ..new("gdp") }),
            "created_at: what a plan adds is created now, not at 1970-01-01T00:00:00.000001Z",
        ),
        (put(Series { id, ..series("gdp") }), "series 1: provider, key and field of a series stay as they are"),
        (put(new(&"k".repeat(257))), "key: has 257 bytes, at most 256 are possible"),
        (
            Change::PutSeries(PutSeries { series: new("gdp"), state: vec![0; MAX_STATE + 1] }),
            "series 2: state has 4097 bytes, at most 4096 are possible",
        ),
        (put_points(9, &[]), none),
        (put_points(1, &[(1, 1.0), (1, 1.0)]), unordered),
        (put_points(1, &[(2, 1.0), (1, 1.0)]), unordered),
        (put_points(1, &[(1, f64::NAN)]), outside),
        (put_points(1, &[(1, f64::INFINITY)]), outside),
        (put_points(1, &[(FIRST_TIME.0 - 1, 1.0)]), outside),
        (put_points(1, &[(LAST_TIME.0 + 1, 1.0)]), outside),
        (
            put_points(1, &(0..100_001).map(|n| (n, 1.0)).collect::<Vec<_>>()),
            "series 1: 100001 points, at most 100000 go in one change",
        ),
        (Change::DeletePoints(DeletePoints { series: SeriesId(9), from: None, to: None }), none),
        (Change::DeleteSeries(SeriesId(9)), none),
        (anchor(9, AnchorTarget::Entity(ana)), none),
        (anchor(1, AnchorTarget::Entity(EntityId(2))), "there is no entity 2"),
        (anchor(1, AnchorTarget::Edge(EdgeId(1))), "there is no edge 1"),
        (anchor(1, AnchorTarget::Artifact(ArtifactId(1))), "there is no artifact 1"),
        (
            Change::PutAnchor(Anchor {
                series: id,
                target: AnchorTarget::Entity(ana),
                role: None,
                window: Some((Micros(2), Micros(1))),
            }),
            "series 1: the window of an anchor starts after its end",
        ),
        (delete(1, AnchorTarget::Entity(EntityId(2))), "series 1: is not anchored to entity 2"),
        (delete(9, AnchorTarget::Entity(ana)), none),
    ] {
        let mut draft = bench.draft().await;
        draft.change(change.clone());
        let said = refusal(bench.try_commit(draft).await);
        assert_eq!(said, format!("change 0 of the plan: {what}"));
    }
    // What a plan deletes it can't touch again.
    let mut draft = bench.draft().await;
    draft.change(Change::DeleteSeries(id));
    draft.points(id, &[(1, 1.0)]);
    assert_eq!(refusal(bench.try_commit(draft).await), "change 1 of the plan: there is no series 1");
    let mut draft = bench.draft().await;
    let (one, two) = (draft.series("gdp"), draft.series("gdp"));
    assert_eq!((one, two), (SeriesId(2), SeriesId(3)));
    let what = "change 1 of the plan: series 3: there is one of this provider, key and field already";
    assert_eq!(refusal(bench.try_commit(draft).await), what);
}

pub async fn what_a_refused_plan_wrote_of_points_is_undone(bench: Bench) {
    let mut draft = bench.draft().await;
    let id = draft.series("cpi");
    let before: Vec<(i64, f64)> = (0..5_000).map(|n| (n, 1.0)).collect();
    draft.points(id, &before);
    bench.commit(draft).await;
    let run = bench.store.begin_run(bench.dataset, crate::store::RunKind::Edit.into()).await.unwrap();
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
