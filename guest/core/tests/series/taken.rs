//! Series, points and anchors that are taken away, and lists of what is left.

use gligabao_core::model::{AnchorTarget, ArtifactId, EdgeId, EntityId, FailureCode, SeriesId};
use gligabao_core::series::{Stats, delete_anchor, delete_points, delete_series, list_series};

use crate::harness::call;
use crate::memory::{
    all, anchor_lines, anchored, at, get, put, series, snapshot, store, stored_points, to_entity, version,
};

const JANUARY: &[(&str, f64)] = &[("2024-01-01", 1.0), ("2024-01-02", 3.0), ("2024-01-03", 2.0), ("2024-01-04", 5.0)];

#[test]
fn erased_points_leave_the_stats_of_the_rest() {
    for (from, to, deleted) in [
        (None, None, 4),
        (Some("2024-01-02"), Some("2024-01-03"), 2),
        (None, Some("2024-01-01"), 1),
        (Some("2024-01-04"), None, 1),
        (Some("2024-01-01T00:00:00.000001Z"), Some("2024-01-01T12:00:00Z"), 0),
        (Some("2025-01-01"), None, 0),
    ] {
        let store = store();
        put(&store, vec![series("a", JANUARY)]).unwrap();
        let before = version(&store);
        let counted = delete_points(&store, &call(), SeriesId(1), from.map(at), to.map(at)).unwrap();
        assert_eq!((counted, version(&store) - before), (deleted, u64::from(deleted > 0)), "{from:?} {to:?}");
        let points = stored_points(&store, 1);
        assert_eq!(points.len() as u64, 4 - deleted);
        assert_eq!(get(&store, 1).summary.stats, Stats::of(&points));
        put(&store, vec![series("a", &[("2024-01-05", 7.0)])]).unwrap();
        assert_eq!(get(&store, 1).summary.stats, Stats::of(&stored_points(&store, 1)));
    }
}

#[test]
fn times_out_of_order_erase_nothing() {
    let store = store();
    put(&store, vec![series("a", JANUARY)]).unwrap();
    let failure = delete_points(&store, &call(), SeriesId(1), Some(at("2024-02-01")), Some(at("2024-01-01")));
    let failure = failure.unwrap_err();
    assert_eq!((failure.code, failure.field.as_deref()), (FailureCode::Invalid, Some("from")));
}

#[test]
fn series_and_anchors_go_and_the_rest_stays() {
    let store = store();
    put(&store, vec![anchored(series("a", JANUARY), &[to_entity("Acme"), to_entity("Globex")]), series("b", JANUARY)])
        .unwrap();
    let acme = AnchorTarget::Entity(EntityId(1));
    delete_anchor(&store, &call(), SeriesId(1), acme).unwrap();
    assert_eq!(anchor_lines(&store, 1), ["entity 2"]);
    assert_eq!(delete_anchor(&store, &call(), SeriesId(1), acme).unwrap_err().code, FailureCode::NotFound);
    delete_series(&store, &call(), SeriesId(1)).unwrap();
    let left: Vec<String> = all(&store).into_iter().map(|summary| summary.series.key).collect();
    assert_eq!(left, ["b"]);
    for failure in [
        delete_series(&store, &call(), SeriesId(1)).unwrap_err(),
        delete_points(&store, &call(), SeriesId(1), None, None).unwrap_err(),
        delete_anchor(&store, &call(), SeriesId(1), acme).unwrap_err(),
    ] {
        assert_eq!(
            (failure.code, failure.message.as_str()),
            (FailureCode::NotFound, "there is no series 1 in this dataset")
        );
    }
    put(&store, vec![series("a", JANUARY)]).unwrap();
    assert_eq!(all(&store)[1].series.id, SeriesId(3), "numbers are not used again");
}

#[test]
fn series_are_listed_by_what_they_are_tied_to_in_parts() {
    let store = store();
    for key in ["a", "b", "c"] {
        put(&store, vec![anchored(series(key, JANUARY), &[to_entity("Acme")])]).unwrap();
    }
    put(&store, vec![series("d", JANUARY)]).unwrap();
    let target = Some(AnchorTarget::Entity(EntityId(1)));
    let (mut keys, mut cursor) = (Vec::new(), None);
    loop {
        let part = list_series(&snapshot(&store), target, 2, cursor.as_deref()).unwrap();
        keys.extend(part.series.into_iter().map(|summary| summary.series.key));
        cursor = part.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(keys, ["a", "b", "c"]);
    for missing in
        [AnchorTarget::Entity(EntityId(9)), AnchorTarget::Artifact(ArtifactId(1)), AnchorTarget::Edge(EdgeId(1))]
    {
        let failure = list_series(&snapshot(&store), Some(missing), 2, None).unwrap_err();
        assert_eq!(failure.code, FailureCode::NotFound);
    }
}
