//! Series that come with a text.

use gligabao_core::llm::NoLlm;
use gligabao_core::model::{Failure, FailureCode};
use gligabao_core::remember::{Answer, Extractor, Request, Timeseries, preview, remember};
use gligabao_core::series::Stats;
use gligabao_core::series::anchor::{AnchorRequest, OnUnmatched};
use gligabao_core::series::request::SeriesRequest;
use gligabao_core::storage::Dataset;

use crate::harness::script::Scripted;
use crate::harness::{call, date};
use crate::memory::{
    all, anchor_lines, anchored, get, series, snapshot, store, stored_points, to_entity, to_fact, version,
};

const JUNE: &[(&str, f64)] = &[("2024-06-01", 1.0), ("2024-06-10", 3.0), ("2024-06-20", 2.0)];

fn request(text: &str, series: Vec<SeriesRequest>) -> Request {
    let timeseries = Timeseries { series, ..Timeseries::default() };
    Request { reference_time: Some(date("2024-06-10").at), timeseries: Some(timeseries), ..Request::new(text) }
}

fn tell(store: &impl Dataset, request: Request) -> Result<Answer, Failure> {
    remember(store, &NoLlm, &call(), request)
}

#[test]
fn a_series_is_stored_in_the_commit_of_its_text_and_anchored_to_it_or_to_what_it_states() {
    let store = store();
    let anchors = [to_entity("ACME"), to_fact("Alice", "works for", "Acme"), to_entity("Initech")];
    let told = request("Alice works at Acme.", vec![series("a", JUNE), anchored(series("b", JUNE), &anchors)]);
    let foreseen = preview(&snapshot(&store), &NoLlm, &call(), told.clone()).unwrap();
    let answer = tell(&store, told).unwrap();
    assert_eq!(foreseen.timeseries, answer.timeseries, "a preview says what a remember does");
    assert_eq!(version(&store), 1, "it is one commit");
    assert_eq!(
        [anchor_lines(&store, 1), anchor_lines(&store, 2)].concat(),
        ["artifact 1", "entity 2", "entity 3", "edge 1"]
    );
    let created: Vec<bool> = answer.timeseries.series[1].anchors.iter().map(|anchor| anchor.created).collect();
    assert_eq!(created, [false, false, true]);
    assert_eq!(answer.entities.len(), 2, "what an anchor made is none of the text");
    assert_eq!(stored_points(&store, 1).len(), 3);
    let again = tell(&store, request("Alice likes tea.", vec![series("a", &JUNE[1..])])).unwrap();
    let written = &again.timeseries.series[0];
    assert_eq!((written.created, written.points, written.replaced, written.point_count), (false, 2, 0, 3));
    assert_eq!(anchor_lines(&store, 1), ["artifact 1", "artifact 2"]);
}

#[test]
fn what_is_wrong_with_a_series_stores_nothing_and_asks_no_model() {
    let missing = |anchor: AnchorRequest| AnchorRequest { on_unmatched: Some(OnUnmatched::Error), ..anchor };
    let id = AnchorRequest { artifact_id: Some(gligabao_core::model::ArtifactId(7)), ..AnchorRequest::default() };
    for (code, second, asks, start) in [
        (FailureCode::Invalid, series("a", JUNE), 0, "timeseries.series[1].key: is that of"),
        (FailureCode::Invalid, series("new", &[]), 0, "timeseries.series[1].points: is missing"),
        (
            FailureCode::Unsatisfiable,
            anchored(series("b", JUNE), &[id]),
            0,
            "timeseries.series[1].anchors[0]: there is no artifact 7",
        ),
        (
            FailureCode::Unsatisfiable,
            anchored(series("b", JUNE), &[to_entity("Acme"), missing(to_entity("Globex"))]),
            1,
            "timeseries.series[1].anchors[1]: there is no entity Globex",
        ),
        (
            FailureCode::Unsatisfiable,
            anchored(series("b", JUNE), &[missing(to_fact("Alice", "leads", "Acme"))]),
            1,
            "timeseries.series[1].anchors[0]: there is no edge Alice leads Acme",
        ),
    ] {
        let store = store();
        let model = Scripted::saying(
            r#"{"entities": [], "edges": [{"source": "Alice", "relation": "works_at", "target": "Acme"}]}"#,
        );
        let request = request("Alice works at Acme.", vec![series("a", JUNE), second]);
        let request = Request { extractor: Some(Extractor::Llm), ..request };
        let failure = remember(&store, &model, &call(), request).unwrap_err();
        assert_eq!(failure.code, code);
        assert!(failure.message.starts_with(start), "{}", failure.message);
        assert_eq!((version(&store), model.take_asked().len()), (0, asks), "{start}");
    }
    let unseen = Timeseries { observations: true, ..Timeseries::default() };
    let failure = tell(&store(), Request { timeseries: Some(unseen), ..Request::new("Hi") }).unwrap_err();
    assert_eq!(failure.field.as_deref(), Some("timeseries.observations"));
}

#[test]
fn a_clipped_series_knows_nothing_of_the_future() {
    let store = store();
    let clipped = |series: Vec<SeriesRequest>| {
        let request = request("Alice works at Acme.", series);
        let timeseries = request.timeseries.clone().map(|timeseries| Timeseries { clip: true, ..timeseries });
        tell(&store, Request { timeseries, ..request }).unwrap().timeseries
    };
    let answer = clipped(vec![series("a", JUNE), anchored(series("b", &JUNE[2..]), &[to_entity("Globex")])]);
    assert_eq!(stored_points(&store, 1).len(), 2);
    assert_eq!((answer.series.len(), answer.series[0].points, all(&store).len()), (1, 3, 1));
    assert_eq!(
        answer.warnings,
        [
            "timeseries.series[0].points: 1 after the reference time were dropped",
            "timeseries.series[1].points: 1 after the reference time were dropped",
            "timeseries.series[1]: no point is left of it, so it was not stored",
        ]
    );
    let again = clipped(vec![series("a", &JUNE[2..])]);
    assert_eq!((again.series[0].point_count, anchor_lines(&store, 1).len()), (2, 2), "a stored series stays");
    assert_eq!(get(&store, 1).summary.stats, Stats::of(&stored_points(&store, 1)));
}
