//! Series, and what they are tied to.

use gligabao_core::model::{
    Anchor, AnchorTarget, ArtifactId, EdgeId, EntityId, Moment, Page, Position, Series, SeriesId, SeriesSource,
};
use gligabao_core::series::points::{FIRST_TIME, LAST_TIME};
use gligabao_core::storage::rules::MAX_STATE;
use gligabao_core::storage::{
    ArtifactFilter, Change, DeleteAnchor, DeletePoints, PointFilter, PutPoints, PutSeries, SeriesKey,
};
use gligabao_core::time::{Instant, Micros};

use super::plans::{Draft, artifact, from, points, series};
use super::points::ALL;
use super::{Bench, first, refusal};

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
