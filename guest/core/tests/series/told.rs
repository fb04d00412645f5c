//! Series told in words, through the whole pipeline.

use gligabao_core::llm::{LlmError, NoLlm};
use gligabao_core::model::{Artifact, ArtifactId, ArtifactKind, Page, SeriesId};
use gligabao_core::recall::{self, FactsRequest, When};
use gligabao_core::reference::ReferenceStore;
use gligabao_core::remember::{
    Answer, Extractor, Observed, Outcome, Request, SeriesObservation, SeriesPut, Timeseries, put_series, remember,
};
use gligabao_core::series::Point;
use gligabao_core::series::anchor::{AnchorRequest, EntitySelector};
use gligabao_core::series::request::SeriesRequest;
use gligabao_core::storage::{ArtifactFilter, Snapshot};
use serde_json::{Value, json};

use crate::harness::script::Scripted;
use crate::harness::{call, date};
use crate::memory::{anchor_lines, anchored, apple, at, series, snapshot, store, version};

fn request(series: Vec<SeriesRequest>) -> Request {
    let timeseries = Timeseries { series, observations: true, ..Timeseries::default() };
    Request {
        reference_time: Some(date("2009-01-01").at),
        wing: Some("markets".to_owned()),
        timeseries: Some(timeseries),
        ..Request::new("Ana works at Apple.")
    }
}

fn tell(store: &ReferenceStore, request: Request) -> Answer {
    remember(store, &NoLlm, &call(), request).unwrap()
}

fn put(store: &ReferenceStore, series: Vec<SeriesRequest>, observations: Observed) -> Vec<SeriesObservation> {
    let request = SeriesPut { observations, ..SeriesPut::new(series) };
    put_series(store, &NoLlm, &call(), request).unwrap().observations
}

fn artifacts(store: &ReferenceStore, filter: &ArtifactFilter) -> Vec<Artifact> {
    snapshot(store).list_artifacts(filter, Page { limit: 100, after: None }).unwrap().artifacts
}

fn told(store: &ReferenceStore) -> Vec<Artifact> {
    artifacts(store, &ArtifactFilter { series: Some(SeriesId(1)), ..ArtifactFilter::default() })
}

fn facts(store: &ReferenceStore) -> Vec<String> {
    let request = FactsRequest { at: When::Any, limit: 1_000, ..FactsRequest::new() };
    let facts = recall::facts(&snapshot(store), &call(), &request).unwrap().facts;
    let line = |fact: &recall::Fact| {
        let bounds = &fact.edge.bounds;
        let end = bounds.invalid_at.map_or_else(|| "open".to_owned(), |end| end.to_string());
        let object = fact.object();
        format!("{} {} {object} [{}, {end})", fact.source_name, fact.edge.relation, bounds.valid_at)
    };
    facts.iter().map(line).collect()
}

#[test]
fn what_a_series_says_is_facts_of_whom_it_is_about() {
    let store = store();
    let answer = tell(&store, request(vec![apple()]));
    assert_eq!((answer.edges.len(), answer.entities.len()), (1, 2), "those of the text itself");
    let [observation] = &answer.timeseries.observations[..] else { panic!("one series is told") };
    assert_eq!((observation.error.as_ref(), observation.known), (None, false));
    insta::assert_snapshot!(observation.text, @r#"
    The time series "Apple share price" (key "AAPL", unit "USD") about Apple has 13 points from 2008-01-01 to 2009-01-01.
    It fell from 135.36 USD on 2008-01-01 to 90.13 USD on 2009-01-01, by 45.23 USD (33.41 %).
    Its lowest value was 85.35 USD on 2008-12-01, its highest 188.75 USD on 2008-05-01, and its mean 134.7615 USD.
    Its largest move from one point to the next was from 169.53 USD on 2008-08-01 to 113.66 USD on 2008-09-01, a fall of 32.96 %.
    "#);
    insta::assert_snapshot!(facts(&store).join("\n"), @r"
    Apple share_price_fell 33.41 % [2008-01-01, 2009-01-01T00:00:01Z)
    Apple share_price_averaged 134.7615 USD [2008-01-01, 2009-01-01T00:00:01Z)
    Apple share_price_reached_high 188.75 USD [2008-05-01, 2009-01-01T00:00:01Z)
    Apple share_price_moved_most a fall of 32.96 % [2008-08-01, 2008-09-01T00:00:01Z)
    Apple share_price_reached_low 85.35 USD [2008-12-01, 2009-01-01T00:00:01Z)
    Ana works_at Apple [2009-01-01T00:00:00Z, open)
    Apple share_price_stood_at 90.13 USD [2009-01-01, 2009-01-01T00:00:01Z)
    ");
    assert!(observation.edges.iter().all(|told| told.outcome == Outcome::Created));
    assert_eq!(observation.edges[0].fact.edge.source, answer.entities[1].entity.id, "Apple of the text is meant");
    let artifact = told(&store).pop().unwrap();
    assert_eq!((artifact.kind, artifact.parent), (ArtifactKind::SeriesObservation, Some(answer.artifact_id)));
    assert_eq!((artifact.valid_at, artifact.wing.as_deref()), (date("2009-01-01").at, Some("markets")));
    assert_eq!(version(&store), 1);
}

#[test]
fn nothing_after_the_reference_time_is_told_unless_it_is_asked_for() {
    for (future, expected) in [(false, "13 points from 2008-01-01 to 2009-01-01"), (true, "24 points from 2008-01-01")]
    {
        let store = store();
        let mut request = request(vec![apple()]);
        request.timeseries.as_mut().unwrap().future = future;
        let answer = tell(&store, request);
        let text = &answer.timeseries.observations[0].text;
        assert!(text.contains(expected), "{text}");
    }
    let store = store();
    let late = SeriesRequest { points: Some(vec![Point::new(at("2010-01-01"), 1.0)]), ..series("late", &[]) };
    assert!(tell(&store, request(vec![late])).timeseries.observations.is_empty(), "no point is left to tell of");
}

#[test]
fn the_same_numbers_are_one_text_that_belongs_to_all_who_told_it() {
    let store = store();
    let first = tell(&store, request(vec![apple()]));
    let facts_before = facts(&store);
    let second = tell(&store, request(vec![apple()]));
    let [again] = &second.timeseries.observations[..] else { panic!("one series is told") };
    assert_eq!((again.known, again.artifact_id), (true, first.timeseries.observations[0].artifact_id));
    assert!(again.edges.iter().all(|told| told.outcome == Outcome::Confirmed));
    assert_eq!(facts(&store), facts_before);
    assert_eq!(told(&store).len(), 1);
    for parent in [first.artifact_id, second.artifact_id] {
        let children = artifacts(&store, &ArtifactFilter { parent: Some(parent), ..ArtifactFilter::default() });
        assert_eq!(children.iter().map(|child| child.id).collect::<Vec<_>>(), [ArtifactId(2)], "{parent}");
    }
    let edge = again.edges[0].fact.edge.id;
    let page = Page { limit: 10, after: None };
    assert_eq!(snapshot(&store).list_statements(edge, None, page).unwrap().statements.len(), 1);
    let revised = SeriesRequest { points: Some(vec![Point::new(at("2009-01-01"), 91.0)]), ..apple() };
    put(&store, vec![revised], Observed::Nothing);
    let third = tell(&store, request(vec![SeriesRequest { points: None, ..apple() }]));
    assert!(third.timeseries.observations.is_empty(), "no point was sent");
    let all = put(&store, vec![SeriesRequest { points: None, ..apple() }], Observed::All);
    assert!(!all[0].known, "other numbers are another text");
    assert_eq!(told(&store).len(), 2);
}

#[test]
fn a_window_has_the_points_that_were_stored_inside_it() {
    let store = store();
    put(&store, vec![series("a", &[("2024-01-01", 1.0), ("2024-01-03", 9.0), ("2024-01-09", 5.0)])], Observed::Nothing);
    let ends = series("a", &[("2024-01-02", 2.0), ("2024-01-05", 4.0)]);
    let text = put(&store, vec![ends], Observed::Written).remove(0).text;
    assert!(text.contains("3 points from 2024-01-02 to 2024-01-05") && text.contains('9'), "{text}");
    let text = put(&store, vec![series("a", &[("2024-01-10T06:00:00Z", 4.0)])], Observed::All).remove(0).text;
    assert!(text.contains("6 points from 2024-01-01T00:00:00Z to 2024-01-10T06:00:00Z"), "{text}");
}

#[test]
fn a_series_that_names_no_entity_is_about_the_one_that_it_is_anchored_to() {
    let store = store();
    put(&store, vec![apple()], Observed::Nothing);
    let more = SeriesRequest { points: Some(vec![Point::new(at("2010-01-01"), 214.01)]), ..series("AAPL", &[]) };
    let [observation] = &put(&store, vec![more], Observed::Written)[..] else { panic!("one series is told") };
    assert_eq!(observation.edges[0].fact.source_name, "Apple");
    assert_eq!(anchor_lines(&store, 1), ["entity 1"]);
}

#[test]
fn of_many_series_the_first_ten_are_told() {
    let store = store();
    let many = (0..12).map(|place| series(&format!("s{place}"), &[("2008-01-01", 1.0)])).collect();
    let answer = tell(&store, request(many));
    assert_eq!((answer.timeseries.series.len(), answer.timeseries.observations.len()), (12, 10));
    assert_eq!(answer.timeseries.warnings.len(), 1);
    assert!(answer.timeseries.warnings[0].contains("the first 10 of 12"), "{}", answer.timeseries.warnings[0]);
}

/// What a model reads: one fact of the sent text; of an observation one fact with a date and one without.
fn read(document: &Value) -> Value {
    let text = document["text"].as_str().unwrap();
    let fact = |source: &str, relation: &str, target: &str, start: Value| json!({"source": source, "relation": relation, "target": target, "valid_at": start});
    let edges = if text.starts_with("The time series") {
        vec![fact("Apple", "fell_in", "2008", Value::Null), fact("Apple", "recovered_in", "2009", json!("2009-01"))]
    } else {
        vec![fact("Ana", "works_at", "Apple", Value::Null)]
    };
    json!({"entities": [], "edges": edges})
}

#[test]
fn a_model_reads_a_text_of_a_series_as_any_text() {
    for (extractor, least) in [(Extractor::Llm, 2), (Extractor::Both, 7)] {
        let store = store();
        let model = Scripted::new(|stage, document| match stage {
            "extract_graph" => Ok(read(document).to_string()),
            _ => Ok(r#"{"duplicates": [], "contradictions": []}"#.to_owned()),
        });
        let told = Request { extractor: Some(extractor), ..request(vec![apple()]) };
        let answer = remember(&store, &model, &call(), told).unwrap();
        let observation = &answer.timeseries.observations[0];
        assert_eq!((observation.error.as_ref(), answer.edges.len()), (None, 1));
        assert!(observation.edges.len() >= least, "{}", observation.edges.len());
        let fell = facts(&store).into_iter().find(|fact| fact.contains("fell_in")).unwrap();
        assert_eq!(
            fell, "Apple fell_in 2008 [2008-01-01, 2009-01-01T00:00:01Z)",
            "a fact without a date has the window's"
        );
        let stages: Vec<String> = model.take_asked().into_iter().map(|prompt| prompt.stage).collect();
        assert_eq!(stages, ["extract_graph", "extract_graph", "resolve_edges"]);
    }
}

#[test]
fn a_model_that_fails_on_a_series_fails_nothing_else() {
    for fails in ["extract_graph", "resolve_edges"] {
        let store = store();
        tell(&store, Request::new("Apple makes phones."));
        let model = Scripted::new(|stage, document| match stage {
            "extract_graph" if fails == stage && document["text"].as_str().unwrap().starts_with("The time series") => {
                Err(LlmError::Unavailable("it sleeps".to_owned()))
            }
            "extract_graph" => Ok(read(document).to_string()),
            _ if fails == stage && document["new"][0]["relation"] == "fell_in" => {
                Err(LlmError::Unavailable("it sleeps".to_owned()))
            }
            _ => Ok(r#"{"duplicates": [], "contradictions": []}"#.to_owned()),
        });
        let request = Request { extractor: Some(Extractor::Llm), ..request(vec![apple()]) };
        let answer = remember(&store, &model, &call(), request.clone()).unwrap();
        let observation = &answer.timeseries.observations[0];
        assert!(observation.error.as_ref().unwrap().contains("it sleeps"), "{:?}", observation.error);
        assert!(observation.edges.is_empty() && observation.artifact_id.is_some(), "the text is kept");
        assert_eq!(answer.timeseries.series[0].point_count, 24);
        assert!(!facts(&store).iter().any(|fact| fact.contains("fell_in")));
        let awake = Scripted::new(|stage, document| match stage {
            "extract_graph" => Ok(read(document).to_string()),
            _ => Ok(r#"{"duplicates": [], "contradictions": []}"#.to_owned()),
        });
        let answer = remember(&store, &awake, &call(), request).unwrap();
        let observation = &answer.timeseries.observations[0];
        assert_eq!((observation.known, observation.edges.len(), told(&store).len()), (true, 2, 1));
    }
}

#[test]
fn whom_an_anchor_means_is_whom_the_text_means() {
    let store = store();
    let typed = |r#type: &str| {
        let (name, r#type) = ("Apple".to_owned(), Some(r#type.to_owned()));
        AnchorRequest { entity: Some(EntitySelector { name, r#type }), ..AnchorRequest::default() }
    };
    put(&store, vec![anchored(apple(), &[typed("company")])], Observed::Written);
    let weight = SeriesRequest { name: Some("Weight".to_owned()), ..series("w", &[("2008-01-01", 70.0)]) };
    let [observation] = &put(&store, vec![anchored(weight, &[typed("person")])], Observed::Written)[..] else {
        panic!("one series is told")
    };
    let entity = &observation.entities[0];
    assert_eq!((entity.created, entity.entity.r#type.as_str()), (false, "person"));
}
