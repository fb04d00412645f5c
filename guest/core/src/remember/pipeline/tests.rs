//! Plans as texts: what a told extraction does to a dataset.

use super::*;
use crate::extract::{ExtractedEdge, ExtractedEntity, ExtractedTarget, Extraction};
use crate::model::EdgeId;
use crate::reference::ReferenceStore;
use crate::remember::material::Found;
use crate::remember::{Dropped, Extractor, Timeseries};
use crate::series::Point;
use crate::series::anchor::{AnchorRequest, EntitySelector};
use crate::series::request::SeriesRequest;
use crate::storage::Turn;
use crate::storage::rules::MAX_NAME;
use crate::time::{Date, Micros};

fn date(text: &str) -> Date {
    Date::parse(text).expect("a date")
}

fn request(at: &str) -> Checked {
    let request =
        Request { reference_time: Some(date(at).at), extractor: Some(Extractor::Off), ..Request::new("A text.") };
    check(request, &Call { now: Micros(0) }).unwrap()
}

fn entity(name: &str, r#type: &str) -> ExtractedEntity {
    ExtractedEntity { name: name.to_owned(), r#type: r#type.to_owned(), description: String::new() }
}

/// `source relation target [start] [end]`, the dates `-` where the text states none; a quoted target is a literal.
fn edge(line: &str) -> ExtractedEdge {
    let mut words = line.split(' ').map(|word| word.replace('_', " "));
    let mut word = || words.next();
    let (source, relation, target) = (word().unwrap(), word().unwrap(), word().unwrap());
    let target = match target.strip_prefix('"') {
        Some(text) => ExtractedTarget::Text(text.trim_end_matches('"').to_owned()),
        None => ExtractedTarget::Entity(target),
    };
    let [valid_at, invalid_at] = [word(), word()].map(|date| Date::parse(&date?));
    ExtractedEdge { source, relation, target, description: None, valid_at, invalid_at, confidence: 0.5, raw_text: None }
}

fn extraction(entities: &[(&str, &str)], edges: &[&str]) -> Extraction {
    Extraction {
        entities: entities.iter().map(|(name, r#type)| entity(name, r#type)).collect(),
        edges: edges.iter().map(|line| edge(line)).collect(),
    }
}

fn sift(extraction: &Extraction) -> Material {
    Material::sift(&[Found { extraction: extraction.clone(), model: None }])
}

fn planned<S: Snapshot>(snapshot: &S, at: &str, told: &Material) -> (Draft, Answer) {
    planned_with(snapshot, &request(at), told)
}

fn planned_with<S: Snapshot>(snapshot: &S, request: &Checked, told: &Material) -> (Draft, Answer) {
    plan(snapshot, request, told, &mut State::default()).unwrap()
}

/// Tells an extraction; the plan as text, and the answer.
fn tell(store: &ReferenceStore, at: &str, extraction: &Extraction) -> (String, Answer) {
    let snapshot = store.latest(Turn::Race).unwrap();
    let (draft, answer) = planned(&snapshot, at, &sift(extraction));
    let text = draft.to_string();
    store.commit(&draft.into_plan()).unwrap();
    (text, answer)
}

fn outcomes(answer: &Answer) -> Vec<&str> {
    answer.edges.iter().map(|told| told.outcome.as_str()).collect()
}

#[test]
fn a_newer_employer_closes_the_older_one() {
    let store = ReferenceStore::new(Micros(1));
    let people = [("Alice", "person"), ("Acme", "organization")];
    let (plan, answer) = tell(&store, "2023-01-01", &extraction(&people, &["Alice works_at Acme"]));
    insta::assert_snapshot!(plan, @r#"
    plan on version 0
    + artifact 1 knowledge 2023-01-01T00:00:00Z of 7 bytes  # what was sent
    + entity 1 person "Alice"  # no entity has this name
    + mention of entity 1 in artifact 1  # the text names it
    + entity 2 organization "Acme"  # no entity has this name
    + mention of entity 2 in artifact 1  # the text names it
    + predicate works_at functional  # the relation is told for the first time
    + edge 1 entity 1 works_at entity 2 [2023-01-01T00:00:00Z fallback, open)  # told for the first time
    + statement of edge 1 in artifact 1  # its source
    "#);
    assert_eq!(outcomes(&answer), ["created"]);
    let (plan, answer) = tell(&store, "2024-03-01", &extraction(&[], &["alice employed_by Globex"]));
    insta::assert_snapshot!(plan, @r#"
    plan on version 1
    + artifact 2 knowledge 2024-03-01T00:00:00Z of 7 bytes  # what was sent
    + mention of entity 1 in artifact 2  # the text names it
    + entity 3 unknown "Globex"  # no entity has this name
    + mention of entity 3 in artifact 2  # the text names it
    + edge 2 entity 1 works_at entity 3 [2024-03-01T00:00:00Z fallback, open)  # told for the first time
    + statement of edge 2 in artifact 2  # its source
    ~ edge 1 invalidated [2023-01-01T00:00:00Z fallback, 2024-03-01T00:00:00Z) expired NOW  # its relation has one target at a time; it holds until 2024-03-01T00:00:00Z
    "#);
    assert_eq!(outcomes(&answer), ["created"]);
    assert_eq!(answer.invalidated_edges, [EdgeId(1)]);
}

#[test]
fn news_about_an_earlier_time_is_superseded_by_what_is_known() {
    let store = ReferenceStore::new(Micros(1));
    tell(&store, "2024-03-01", &extraction(&[], &["Alice works_at Globex"]));
    let (plan, answer) = tell(&store, "2024-06-01", &extraction(&[], &["Alice works_at Acme 2023"]));
    insta::assert_snapshot!(plan, @r#"
    plan on version 1
    + artifact 2 knowledge 2024-06-01T00:00:00Z of 7 bytes  # what was sent
    + mention of entity 1 in artifact 2  # the text names it
    + entity 3 unknown "Acme"  # no entity has this name
    + mention of entity 3 in artifact 2  # the text names it
    + edge 2 entity 1 works_at entity 3 [2023 stated, open)  # told for the first time
    + statement of edge 2 in artifact 2  # its source
    ~ edge 2 superseded [2023 stated, 2024-03-01T00:00:00Z) expired NOW  # its relation has one target at a time; it holds until 2024-03-01T00:00:00Z
    "#);
    assert_eq!(outcomes(&answer), ["superseded"]);
    assert_eq!(answer.invalidated_edges, [EdgeId(2)]);
    assert!(answer.edges[0].fact.superseded);
}

#[test]
fn a_repeat_adds_its_source_its_earlier_start_and_its_end() {
    let store = ReferenceStore::new(Micros(1));
    tell(&store, "2024-03-01", &extraction(&[], &["Alice works_at Acme"]));
    let (plan, answer) = tell(&store, "2025-01-01", &extraction(&[], &["Alice works_at Acme 2020 2024-06"]));
    insta::assert_snapshot!(plan, @"
    plan on version 1
    + artifact 2 knowledge 2025-01-01T00:00:00Z of 7 bytes  # what was sent
    + mention of entity 1 in artifact 2  # the text names it
    + mention of entity 2 in artifact 2  # the text names it
    + statement of edge 1 in artifact 2  # its source
    ~ edge 1 confirmed [2024-03-01T00:00:00Z fallback, open)  # told again
    ~ edge 1 revised [2020 stated, open)  # the text knows an earlier start, 2020
    ~ edge 1 ended [2020 stated, 2024-06)  # the text says that it ended 2024-06
    ");
    assert_eq!(outcomes(&answer), ["ended"]);
}

#[test]
fn facts_of_one_text_see_each_other_whatever_their_order() {
    let store = ReferenceStore::new(Micros(1));
    let lines = ["Alice works_at Globex 2024", "Alice works_at Acme 2020", "Alice likes tea", "Alice likes TEA"];
    let (plan, answer) = tell(&store, "2025-01-01", &extraction(&[], &lines));
    insta::assert_snapshot!(plan, @r#"
    plan on version 0
    + artifact 1 knowledge 2025-01-01T00:00:00Z of 7 bytes  # what was sent
    + entity 1 unknown "Alice"  # no entity has this name
    + mention of entity 1 in artifact 1  # the text names it
    + entity 2 unknown "Globex"  # no entity has this name
    + mention of entity 2 in artifact 1  # the text names it
    + entity 3 unknown "Acme"  # no entity has this name
    + mention of entity 3 in artifact 1  # the text names it
    + entity 4 unknown "tea"  # no entity has this name
    + mention of entity 4 in artifact 1  # the text names it
    + predicate likes  # the relation is told for the first time
    + predicate works_at functional  # the relation is told for the first time
    + edge 1 entity 1 works_at entity 3 [2020 stated, open)  # told for the first time
    + statement of edge 1 in artifact 1  # its source
    + edge 2 entity 1 works_at entity 2 [2024 stated, open)  # told for the first time
    + statement of edge 2 in artifact 1  # its source
    ~ edge 1 invalidated [2020 stated, 2024) expired NOW  # its relation has one target at a time; it holds until 2024
    + edge 3 entity 1 likes entity 4 [2025-01-01T00:00:00Z fallback, open)  # told for the first time
    + statement of edge 3 in artifact 1  # its source
    "#);
    assert_eq!(outcomes(&answer), ["created", "created", "created"]);
    assert_eq!(answer.invalidated_edges, [EdgeId(1)]);
}

#[test]
fn what_is_no_fact_or_private_is_dropped_and_counted() {
    let store = ReferenceStore::new(Micros(1));
    let long = format!("Alice likes {}", "x".repeat(MAX_NAME + 1));
    let lines = [
        "Alice e-mail alice@example.com",
        "Alice knows alice",
        "\u{200b} knows Bob",
        "Alice -- Bob",
        &long,
        "Alice likes \"\"",
    ];
    let (plan, answer) =
        tell(&store, "2025-01-01", &extraction(&[("alice@example.com", "unknown"), ("", "x")], &lines));
    insta::assert_snapshot!(plan, @"
    plan on version 0
    + artifact 1 knowledge 2025-01-01T00:00:00Z of 7 bytes  # what was sent
    ");
    assert_eq!(answer.dropped, Dropped { pii: 1, empty: 4, self_loop: 1, invalid: 1 });
}

#[test]
fn a_name_is_split_only_between_known_and_different_classes() {
    let store = ReferenceStore::new(Micros(1));
    let ids = |names: &[(&str, &str)]| -> Vec<(u64, bool)> {
        let (_, answer) = tell(&store, "2025-01-01", &extraction(names, &[]));
        answer.entities.iter().map(|told| (told.entity.id.0, told.created)).collect()
    };
    assert_eq!(ids(&[("Jordan", "person"), ("Jordan", "country")]), [(1, true)], "one entity for a name in one text");
    assert_eq!(ids(&[("Jordan", "country")]), [(2, true)]);
    assert_eq!(ids(&[("JORDAN", "human")]), [(1, false)]);
    assert_eq!(ids(&[("Jordan", "place")]), [(2, false)]);
    assert_eq!(ids(&[("Jordan", "unknown")]), [(1, false)], "the one that was told first");
    assert_eq!(ids(&[("Acme", "thing"), ("Bob", "")]), [(3, true), (4, true)]);
    let (plan, _) = tell(&store, "2025-01-01", &extraction(&[("acme", "company")], &[]));
    insta::assert_snapshot!(plan, @r#"
    plan on version 6
    + artifact 7 knowledge 2025-01-01T00:00:00Z of 7 bytes  # what was sent
    ~ entity 3 retyped company ""  # the text says more of it
    + mention of entity 3 in artifact 7  # the text names it
    "#);
    assert_eq!(ids(&[("Acme", "business")]), [(3, false)]);
}

#[test]
fn patterns_add_no_value_to_a_relation_that_the_dataset_gives_one() {
    let store = ReferenceStore::new(Micros(1));
    let (draft, _) = {
        let snapshot = store.latest(Turn::Race).unwrap();
        planned(&snapshot, "2020-01-01", &sift(&extraction(&[], &["Bob leads Globex"])))
    };
    let mut first = draft.into_plan();
    for change in &mut first.changes {
        if let crate::storage::Change::PutPredicate(predicate) = change {
            predicate.functional = true;
        }
    }
    store.commit(&first).unwrap();
    let told = Material::sift(&[
        Found { extraction: extraction(&[], &["Ana leads Acme_Inc 2021"]), model: Some("m".to_owned()) },
        Found { extraction: extraction(&[], &["Ana leads Acme", "Rui leads Acme"]), model: None },
    ]);
    let snapshot = store.latest(Turn::Race).unwrap();
    let (_, answer) = planned(&snapshot, "2025-01-01", &told);
    assert_eq!(outcomes(&answer), ["created", "created"]);
    assert_eq!(answer.invalidated_edges, []);
}

#[test]
fn a_plan_has_series_after_the_text_then_what_they_say_and_their_points_last() {
    let store = ReferenceStore::new(Micros(1));
    let anchor = |name: &str| AnchorRequest {
        entity: Some(EntitySelector { name: name.to_owned(), r#type: None }),
        role: Some("price".to_owned()),
        window: Some((Micros(0), Micros(86_400_000_000))),
        ..AnchorRequest::default()
    };
    let series = SeriesRequest {
        key: "AAPL".to_owned(),
        points: Some(vec![Point::new(Micros(0), 2.0), Point::new(Micros(86_400_000_000), 3.0)]),
        anchors: vec![anchor("apple"), anchor("NASDAQ")],
        ..SeriesRequest::default()
    };
    let timeseries = Timeseries { series: vec![series], observations: true, ..Timeseries::default() };
    let request = Request {
        timeseries: Some(timeseries),
        extractor: Some(Extractor::Pattern),
        ..Request::new("Ana works at Apple.")
    };
    let request = check(request, &Call { now: date("2024").at.to_micros() }).unwrap();
    let told = sift(&extraction(&[("Ana", "person"), ("Apple", "organization")], &["Ana works_at Apple 2020"]));
    let (draft, _) = planned_with(&store.latest(Turn::Race).unwrap(), &request, &told);
    let stages: Vec<String> =
        draft.stages.iter().map(|stage| format!("{} {}", stage.name, stage.label.as_deref().unwrap_or("-"))).collect();
    insta::assert_snapshot!(stages.join("\n"), @r#"
    store_artifact -
    store_timeseries -
    observe_series (observation of series "AAPL")
    extract_graph (observation of series "AAPL")
    store_artifact (observation of series "AAPL")
    "#);
    insta::assert_snapshot!(draft.stages[1].output, @r#"{"series":[{"anchors":2,"created":true,"field":"value","id":1,"key":"AAPL","point_count":2,"points":2,"replaced":0,"skipped_anchors":0,"written":2}],"warnings":0}"#);
    insta::assert_snapshot!(draft.to_string(), @r#"
    plan on version 0
    + artifact 1 knowledge 2024-01-01T00:00:00Z of 19 bytes  # what was sent
    + entity 1 person "Ana"  # no entity has this name
    + mention of entity 1 in artifact 1  # the text names it
    + entity 2 organization "Apple"  # no entity has this name
    + mention of entity 2 in artifact 1  # the text names it
    + predicate works_at functional  # the relation is told for the first time
    + edge 1 entity 1 works_at entity 2 [2020 stated, open)  # told for the first time
    + statement of edge 1 in artifact 1  # its source
    ~ series 1 "AAPL" "value"  # no series has this key and field
    + entity 3 unknown "NASDAQ"  # a series is about it
    ~ anchor of series 1 at entity 2 as "price" in [1970-01-01T00:00:00Z, 1970-01-02T00:00:00Z]  # the request ties it to this
    ~ anchor of series 1 at entity 3 as "price" in [1970-01-01T00:00:00Z, 1970-01-02T00:00:00Z]  # the request ties it to this
    + artifact 2 series_observation 1970-01-02T00:00:00Z of 225 bytes  # the series in words
    + mention of entity 2 in artifact 2  # the text names it
    + predicate aapl_averaged  # the relation is told for the first time
    + predicate aapl_reached_high  # the relation is told for the first time
    + predicate aapl_reached_low  # the relation is told for the first time
    + predicate aapl_rose  # the relation is told for the first time
    + predicate aapl_stood_at  # the relation is told for the first time
    + edge 2 entity 2 aapl_rose "50 %" [1970-01-01 stated, 1970-01-02T00:00:01Z)  # told for the first time
    + statement of edge 2 in artifact 2  # its source
    + edge 3 entity 2 aapl_reached_low "2" [1970-01-01 stated, 1970-01-02T00:00:01Z)  # told for the first time
    + statement of edge 3 in artifact 2  # its source
    + edge 4 entity 2 aapl_averaged "2.5" [1970-01-01 stated, 1970-01-02T00:00:01Z)  # told for the first time
    + statement of edge 4 in artifact 2  # its source
    + edge 5 entity 2 aapl_reached_high "3" [1970-01-02 stated, 1970-01-02T00:00:01Z)  # told for the first time
    + statement of edge 5 in artifact 2  # its source
    + edge 6 entity 2 aapl_stood_at "3" [1970-01-02 stated, 1970-01-02T00:00:01Z)  # told for the first time
    + statement of edge 6 in artifact 2  # its source
    + 2 points of series 1  # the request has them
    "#);
    store.commit(&draft.into_plan()).unwrap();
}
