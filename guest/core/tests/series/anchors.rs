//! What anchors are tied to, and what becomes of those that match nothing.

use gligabao_core::llm::NoLlm;
use gligabao_core::model::{ArtifactId, EdgeId, EntityId, FailureCode};
use gligabao_core::reference::ReferenceStore;
use gligabao_core::remember::{Request, remember};
use gligabao_core::series::anchor::{AnchorRequest, EntitySelector, OnUnmatched};
use gligabao_core::storage::Snapshot;

use crate::harness::call;
use crate::memory::{all, anchor_lines, anchored, at, put, series, snapshot, store, to_entity, to_fact, version};

fn acme() -> ReferenceStore {
    let store = store();
    remember(&store, &NoLlm, &call(), Request::new("Alice works at Acme. Alice lives in Lisbon.")).unwrap();
    store
}

fn by_id(artifact: Option<u64>, entity: Option<u64>, edge: Option<u64>) -> AnchorRequest {
    AnchorRequest {
        artifact_id: artifact.map(ArtifactId),
        entity_id: entity.map(EntityId),
        edge_id: edge.map(EdgeId),
        ..AnchorRequest::default()
    }
}

fn typed(name: &str, r#type: &str) -> AnchorRequest {
    let entity = EntitySelector { name: name.to_owned(), r#type: Some(r#type.to_owned()) };
    AnchorRequest { entity: Some(entity), ..AnchorRequest::default() }
}

#[test]
fn every_kind_of_anchor_matches_or_does_what_was_asked() {
    use OnUnmatched::{Create, Error, Ignore};
    let every = [None, Some(Create), Some(Ignore), Some(Error)];
    let (made, skipped, failed, malformed) = ("made", "skipped", "failed", "malformed");
    for (anchor, expected) in [
        (to_entity("ácme"), ["entity 2"; 4]),
        (typed("Acme", "company"), ["entity 2"; 4]),
        (to_entity("Globex"), [made, made, skipped, failed]),
        (typed("Acme", "person"), [made, made, skipped, failed]),
        (to_entity("ana@example.com"), [skipped, skipped, skipped, failed]),
        (to_fact("alice", "works for", "ACME"), ["edge 1", malformed, "edge 1", "edge 1"]),
        (to_fact("Alice", "works_at", "Globex"), [skipped, malformed, skipped, failed]),
        (to_fact("Bob", "works_at", "Acme"), [skipped, malformed, skipped, failed]),
        (by_id(Some(1), None, None), ["artifact 1", malformed, "artifact 1", "artifact 1"]),
        (by_id(None, Some(1), None), ["entity 1", malformed, "entity 1", "entity 1"]),
        (by_id(None, None, Some(2)), ["edge 2", malformed, "edge 2", "edge 2"]),
        (by_id(Some(9), None, None), [failed, malformed, failed, failed]),
        (by_id(None, Some(9), None), [failed, malformed, failed, failed]),
        (by_id(None, None, Some(9)), [failed, malformed, failed, failed]),
    ] {
        for (on_unmatched, expected) in every.into_iter().zip(expected) {
            let store = acme();
            let before = version(&store);
            let anchor = AnchorRequest { on_unmatched, ..anchor.clone() };
            let answer =
                put(&store, vec![anchored(series("a", &[("2024-01-01", 1.0)]), std::slice::from_ref(&anchor))]);
            let outcome = match &answer {
                Err(failure) if failure.code == FailureCode::Invalid => malformed.to_owned(),
                Err(failure) => {
                    assert_eq!(failure.code, FailureCode::Unsatisfiable);
                    assert!(failure.message.starts_with("series[0].anchors[0]: there is no"), "{}", failure.message);
                    assert!(!failure.message.contains("ana@"), "{}", failure.message);
                    failed.to_owned()
                }
                Ok(answer) => match (&answer.series[0].anchors[..], &answer.series[0].skipped_anchors[..]) {
                    ([written], []) if written.created => made.to_owned(),
                    ([written], []) => written.anchor.target.to_string(),
                    ([], [skipped]) => {
                        assert!(!skipped.name.contains("ana@"));
                        "skipped".to_owned()
                    }
                    other => panic!("{other:?}"),
                },
            };
            assert_eq!(outcome, expected, "{anchor:?}");
            if answer.is_err() {
                assert_eq!((version(&store), all(&store).len()), (before, 0), "nothing is stored");
            }
        }
    }
}

#[test]
fn an_entity_of_an_anchor_is_made_once_and_no_text_mentions_it() {
    let store = store();
    let request = |key: &str| anchored(series(key, &[("2024-01-01", 1.0)]), &[typed("Globex", "Company")]);
    let answer = put(&store, vec![request("a"), request("b")]).unwrap();
    let created: Vec<bool> = answer.series.iter().map(|series| series.anchors[0].created).collect();
    assert_eq!(created, [true, false]);
    let entity = snapshot(&store).get_entities(&[EntityId(1)]).unwrap().pop().unwrap();
    assert_eq!((entity.name.as_str(), entity.r#type.as_str(), entity.model), ("Globex", "company", None));
    let page = gligabao_core::model::Page { limit: 10, after: None };
    assert!(snapshot(&store).list_mentions(EntityId(1), None, page).unwrap().artifacts.is_empty());
    assert_eq!([anchor_lines(&store, 1), anchor_lines(&store, 2)], [["entity 1"], ["entity 1"]]);
}

#[test]
fn anchoring_again_replaces_role_and_window_and_keeps_the_points() {
    let store = acme();
    let window = Some((at("2024-01-01"), at("2024-02-01")));
    let anchor = |role: &str, window| AnchorRequest { role: Some(role.to_owned()), window, ..to_entity("Acme") };
    put(
        &store,
        vec![anchored(series("a", &[("2024-01-01", 1.0)]), &[anchor("price", None), by_id(Some(1), None, None)])],
    )
    .unwrap();
    assert_eq!(anchor_lines(&store, 1), ["artifact 1", "entity 2 as price"]);
    put(&store, vec![anchored(series("a", &[]), &[anchor("close", window)])]).unwrap();
    let expected = ["artifact 1", "entity 2 as close in [2024-01-01T00:00:00Z, 2024-02-01T00:00:00Z]"];
    assert_eq!(anchor_lines(&store, 1), expected);
    assert_eq!(all(&store)[0].stats.unwrap().count, 1);
}

#[test]
fn of_several_facts_the_newest_live_one_is_meant() {
    let store = store();
    for text in ["Alice worked at Acme from 2010 to 2012.", "Alice works at Acme since 2020."] {
        remember(&store, &NoLlm, &call(), Request::new(text)).unwrap();
    }
    let anchor = to_fact("Alice", "works_at", "Acme");
    put(&store, vec![anchored(series("a", &[("2024-01-01", 1.0)]), &[anchor])]).unwrap();
    assert_eq!(anchor_lines(&store, 1), ["edge 2"]);
}
