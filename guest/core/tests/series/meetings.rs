//! Calls that meet: another one commits between the snapshot of a call and its commit.

use std::cell::RefCell;

use gligabao_core::reference::{ReferenceSnapshot, ReferenceStore};
use gligabao_core::remember::{Extractor, Request, Timeseries, remember};
use gligabao_core::series::Stats;
use gligabao_core::series::request::SeriesRequest;
use gligabao_core::storage::{Committed, Dataset, Plan, StorageResult, Turn};
use serde_json::json;

use crate::harness::script::Scripted;
use crate::harness::{call, date};
use crate::memory::{all, anchored, get, points, put, series, store, stored_points, to_entity, version};

/// A store on which others are faster: each commit waits until the next of them has put its series.
struct Met<'s> {
    store: &'s ReferenceStore,
    rivals: RefCell<Vec<Vec<SeriesRequest>>>,
}

impl<'s> Met<'s> {
    /// By these, the last one first.
    fn by(store: &'s ReferenceStore, rivals: &[SeriesRequest]) -> Self {
        Self { store, rivals: RefCell::new(rivals.iter().map(|series| vec![series.clone()]).collect()) }
    }
}

impl Dataset for Met<'_> {
    type Snapshot = ReferenceSnapshot;

    fn latest(&self, turn: Turn) -> StorageResult<ReferenceSnapshot> {
        self.store.latest(turn)
    }

    fn commit(&self, plan: &Plan) -> StorageResult<Committed> {
        let rival = self.rivals.borrow_mut().pop();
        if let Some(series) = rival {
            put(self.store, series).unwrap();
        }
        self.store.commit(plan)
    }
}

#[test]
fn two_calls_that_write_one_series_come_to_one_after_the_other() {
    let ours = || anchored(series("a", &[("2024-01-02", 2.0), ("2024-01-04", 4.0)]), &[to_entity("Acme")]);
    for (rivals, replaced, count) in [
        (vec![series("a", &[("2024-01-01", 1.0)])], 0, 3),
        (vec![series("a", &[("2024-01-02", 9.0), ("2024-01-03", 9.0)])], 1, 3),
        (vec![anchored(series("b", &[("2024-01-01", 1.0)]), &[to_entity("ACME")])], 0, 2),
        (vec![series("a", &[("2024-01-04", 7.0)]), series("a", &[("2024-01-05", 8.0), ("2024-01-04", 8.0)])], 1, 3),
    ] {
        let (met, serial) = (store(), store());
        let answer = put(&Met::by(&met, &rivals), vec![ours()]).unwrap();
        for rival in rivals.iter().rev() {
            put(&serial, vec![rival.clone()]).unwrap();
        }
        assert_eq!(answer, put(&serial, vec![ours()]).unwrap());
        assert_eq!((answer.series[0].replaced, answer.series[0].point_count), (replaced, count));
        assert_eq!(all(&met), all(&serial));
        let id = answer.series[0].id.0;
        assert_eq!(get(&met, id).summary.stats, Stats::of(&stored_points(&met, id)));
    }
}

#[test]
fn what_another_call_did_already_is_no_commit_of_this_one() {
    let store = store();
    let ours = || series("a", &[("2024-01-02", 2.0)]);
    let answer = put(&Met::by(&store, &[ours()]), vec![ours()]).unwrap();
    assert_eq!((answer.series[0].created, version(&store)), (false, 1));
}

#[test]
fn a_model_is_asked_again_only_where_the_text_of_a_series_differs() {
    let apart = series("z", &[("2024-01-03", 5.0)]);
    let inside = series("a", &[("2024-01-03", 9.0)]);
    for (rivals, asked) in [(vec![apart], 2), (vec![inside], 3)] {
        let store = store();
        put(&store, vec![series("a", &[("2024-01-01", 1.0), ("2024-01-03", 3.0)])]).unwrap();
        let model = Scripted::new(|stage, document| {
            if stage == "resolve_edges" {
                return Ok(r#"{"duplicates": [], "contradictions": []}"#.to_owned());
            }
            let source = if document["text"].as_str().unwrap().starts_with("The time series") { "Acme" } else { "Ana" };
            let edge = json!({"source": source, "relation": "likes", "target": "tea"});
            Ok(json!({"entities": [], "edges": [edge]}).to_string())
        });
        let sent =
            SeriesRequest { points: Some(points(&[("2024-01-02", 2.0), ("2024-01-04", 4.0)])), ..series("a", &[]) };
        let timeseries = Timeseries { series: vec![sent], observations: true, ..Timeseries::default() };
        let request = Request {
            extractor: Some(Extractor::Llm),
            reference_time: Some(date("2024-02-01").at),
            timeseries: Some(timeseries),
            ..Request::new("Ana likes tea.")
        };
        let answer = remember(&Met::by(&store, &rivals), &model, &call(), request).unwrap();
        let read = model.take_asked().into_iter().filter(|prompt| prompt.stage == "extract_graph");
        assert_eq!(read.count(), asked);
        let value = if asked == 3 { "9" } else { "4" };
        let text = &answer.timeseries.observations[0].text;
        assert!(text.contains(&format!("its highest {value} ")), "{text}");
    }
}
