//! From facts to series: what a question is answered with, and why a fact is known.

use gligabao_core::llm::NoLlm;
use gligabao_core::model::{AnchorTarget, ArtifactId, EdgeId, EntityId};
use gligabao_core::recall::{self, Known, QueryAnswer, QueryRequest};
use gligabao_core::reference::ReferenceStore;
use gligabao_core::remember::{Request, Timeseries, remember};
use gligabao_core::series::anchor::AnchorRequest;
use gligabao_core::series::request::SeriesRequest;
use gligabao_core::series::{Point, Stats, delete_series};
use gligabao_core::storage::{Dataset, Snapshot, Turn};
use gligabao_core::time::Micros;
use serde_json::Value;

use crate::counted::Counted;
use crate::harness::script::Scripted;
use crate::harness::{call, date};
use crate::memory::{anchored, apple, at, get, put, series, snapshot, store, stored_points, to_entity, to_fact};

fn told(series: Vec<SeriesRequest>, observations: bool) -> ReferenceStore {
    let store = store();
    let timeseries = Timeseries { series, observations, ..Timeseries::default() };
    let reference_time = Some(date("2010-01-01").at);
    let text = "Ana works at Apple.";
    let request = Request { reference_time, timeseries: Some(timeseries), ..Request::new(text) };
    remember(&store, &NoLlm, &call(), request).unwrap();
    store
}

fn ask(store: &ReferenceStore, request: &QueryRequest) -> (QueryAnswer, Value) {
    let model = Scripted::saying(r#"{"answer": "It fell.", "used": []}"#);
    let answer = recall::query(&snapshot(store), &model, &call(), request).unwrap();
    (answer, serde_json::from_str(&model.take_asked()[0].document).unwrap())
}

#[test]
fn how_a_price_did_in_a_year_is_shown_to_the_model() {
    let store = told(vec![apple()], true);
    let (answer, document) = ask(&store, &QueryRequest::new("How did Apple's price do in 2008?"));
    let evidence = &answer.series[0];
    assert_eq!((answer.series.len(), evidence.anchor.target), (1, AnchorTarget::Entity(EntityId(2))));
    assert_eq!(evidence.summary.stats, get(&store, 1).summary.stats);
    assert_eq!(evidence.asked_stats, Stats::of(&stored_points(&store, 1)[..12]));
    assert_eq!(evidence.window_stats, None, "the anchor has no window");
    let of_series = answer.evidence.iter().any(|fact| fact.edge.relation.starts_with("share_price"));
    assert!(of_series, "the facts that the series states are evidence too");
    insta::assert_snapshot!(document["series"].to_string(), @r#"[{"asked_stats":{"change":-50.01000000000002,"count":12,"first":135.36,"first_ts":"2008-01-01T00:00:00Z","last":85.35,"last_ts":"2008-12-01T00:00:00Z","max":188.75,"mean":138.48083333333332,"min":85.35,"pct_change":-36.945921985815616,"trend":"down"},"fact":5,"id":1,"name":"Apple share price","stats":{"change":75.36999999999998,"count":24,"first":135.36,"first_ts":"2008-01-01T00:00:00Z","last":210.73,"last_ts":"2009-12-01T00:00:00Z","max":210.73,"mean":144.43708333333333,"min":85.35,"pct_change":55.68114657210399,"trend":"up"},"unit":"USD"}]"#);
}

#[test]
fn series_are_found_at_facts_their_entities_and_what_states_them() {
    let window = Some((at("2009-01-01"), at("2009-03-01")));
    let artifact = AnchorRequest { artifact: true, window, ..AnchorRequest::default() };
    let store = told(
        vec![
            anchored(apple(), &[artifact]),
            anchored(series("b", &[("2009-01-01", 1.0)]), &[to_fact("Ana", "works_at", "Apple")]),
            anchored(series("c", &[("2009-01-01", 1.0)]), &[to_entity("Apple"), to_entity("Ana")]),
            anchored(series("d", &[("2009-01-01", 1.0)]), &[to_entity("Globex")]),
        ],
        false,
    );
    let (answer, _) = ask(&store, &QueryRequest::new("Where does Ana work?"));
    let found: Vec<(String, AnchorTarget)> =
        answer.series.iter().map(|found| (found.summary.series.key.clone(), found.anchor.target)).collect();
    let expected = [
        ("b", AnchorTarget::Edge(EdgeId(1))),
        ("c", AnchorTarget::Entity(EntityId(1))),
        ("AAPL", AnchorTarget::Artifact(ArtifactId(1))),
    ];
    assert_eq!(found, expected.map(|(key, target)| (key.to_owned(), target)));
    assert_eq!(answer.series[2].window_stats.unwrap().count, 3);
    let plain = recall::query(&snapshot(&store), &NoLlm, &call(), &QueryRequest::new("Where does Ana work?")).unwrap();
    assert_eq!(plain.series.len(), 3, "without a model too");
}

#[test]
fn a_long_window_has_no_stats_and_few_points_are_read() {
    let points = |from: i64| (from..from + 60_000).map(|at| Point::new(Micros(at), 1.0)).collect();
    let minutes = |key: &str, from| SeriesRequest { points: Some(points(from)), ..series(key, &[]) };
    let window = |key: &str, to| {
        let anchor = AnchorRequest { window: Some((Micros(1), Micros(to))), ..to_entity("Apple") };
        anchored(series(key, &[]), &[anchor])
    };
    let store = told(vec![minutes("long", 0), minutes("short", 0)], false);
    put(&store, vec![minutes("long", 60_000), minutes("short", 60_000)]).unwrap();
    put(&store, vec![window("long", 110_000), window("short", 50_000)]).unwrap();
    let (answer, _) = ask(&store, &QueryRequest::new("Where does Ana work?"));
    let counts: Vec<(&str, Option<u64>)> = answer
        .series
        .iter()
        .map(|found| (found.summary.series.key.as_str(), found.window_stats.map(|stats| stats.count)))
        .collect();
    assert_eq!(counts, [("short", Some(50_000)), ("long", None)]);
    assert_eq!(answer.series[1].summary.stats.unwrap().count, 120_000);
}

#[test]
fn a_question_as_of_then_knows_the_points_of_then() {
    let store = told(vec![apple()], false);
    let then = snapshot(&store).head().unwrap().last_at;
    put(&store, vec![series("AAPL", &[("2009-12-01", 1.0), ("2010-02-01", 2.0)])]).unwrap();
    put(&store, vec![anchored(series("later", &[("2010-02-01", 2.0)]), &[to_entity("Apple")])]).unwrap();
    let request = |known_at| QueryRequest { known_at, ..QueryRequest::new("Where does Ana work?") };
    let (now, _) = ask(&store, &request(Known::Now));
    assert_eq!((now.series.len(), now.series[1].summary.stats.unwrap().last), (2, 2.0));
    let (answer, _) = ask(&store, &request(Known::At(then)));
    let stats = answer.series[0].summary.stats.unwrap();
    assert_eq!((answer.series.len(), stats.count, stats.last), (1, 24, 210.73));
}

#[test]
fn at_most_twenty_series_are_told_with_few_reads() {
    let store = told(vec![], false);
    for batch in 0..2 {
        let many = (0..20)
            .map(|place| anchored(series(&format!("{batch}-{place}"), &[("2009-01-01", 1.0)]), &[to_entity("Apple")]));
        put(&store, many.collect()).unwrap();
    }
    let store = Counted::new(store);
    let snapshot = store.latest(Turn::Race).unwrap();
    let answer = recall::query(&snapshot, &NoLlm, &call(), &QueryRequest::new("Where does Ana work?")).unwrap();
    assert_eq!((answer.series.len(), answer.series[0].summary.series.key.as_str()), (20, "1-19"));
    assert!(store.asked.get() <= 8, "{} reads", store.asked.get());
}

#[test]
fn why_leads_from_a_fact_to_its_series_and_to_what_anchors_it() {
    let store = told(
        vec![anchored(apple(), &[to_entity("Apple"), AnchorRequest { artifact: true, ..AnchorRequest::default() }])],
        true,
    );
    let why = |edge| recall::why(&snapshot(&store), EdgeId(edge)).unwrap().sources;
    assert_eq!(why(1)[0].series, None, "the text is no observation");
    let sources = why(2);
    let (source, series) = (&sources[0], sources[0].series.as_ref().unwrap());
    assert_eq!((source.artifact.parent, source.artifact.series), (Some(ArtifactId(1)), Some(series.series.id)));
    assert!(source.span.is_some(), "the words stand in the text");
    assert_eq!(series.stats.unwrap().count, 24);
    let targets: Vec<AnchorTarget> = series.anchors.iter().map(|anchor| anchor.target).collect();
    assert_eq!(targets, [AnchorTarget::Artifact(ArtifactId(1)), AnchorTarget::Entity(EntityId(2))]);
    delete_series(&store, &call(), series.series.id).unwrap();
    assert_eq!(recall::why(&snapshot(&store), EdgeId(2)).unwrap().sources[0].series, None, "the text stays");
}
