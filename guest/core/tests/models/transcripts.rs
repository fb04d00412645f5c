//! Conversations with a scripted model, as texts: what it is asked, what it says, what is stored.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt::Write;

use gligabao_core::model::Failure;
use gligabao_core::recall::{self, Fact, FactsRequest, When};
use gligabao_core::reference::ReferenceStore;
use gligabao_core::remember::{Answer, Extractor, Request, preview, remember};
use gligabao_core::storage::{Committed, Dataset, Plan, StorageResult, Turn};
use gligabao_core::time::Micros;
use serde::Deserialize;
use serde_json::Value;

use crate::harness::script::Scripted;
use crate::harness::{call, date};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    calls: Vec<Told>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    text: String,
    at: String,
    extractor: Option<String>,
    /// What the model says, in order.
    says: Vec<Value>,
}

/// A store that keeps the stages of the last plan.
struct Logged {
    store: ReferenceStore,
    stages: RefCell<Vec<String>>,
}

impl Dataset for Logged {
    type Snapshot = <ReferenceStore as Dataset>::Snapshot;

    fn latest(&self, turn: Turn) -> StorageResult<Self::Snapshot> {
        self.store.latest(turn)
    }

    fn commit(&self, plan: &Plan) -> StorageResult<Committed> {
        let line = |stage: &gligabao_core::model::Stage| format!("{} {}", stage.name, stage.output);
        *self.stages.borrow_mut() = plan.stages.iter().map(line).collect();
        self.store.commit(plan)
    }
}

fn line(fact: &Fact) -> String {
    let bounds = &fact.edge.bounds;
    let end = bounds.invalid_at.map_or("open".to_owned(), |end| end.to_string());
    let start = if bounds.start_known() { bounds.valid_at.to_string() } else { "?".to_owned() };
    let model = fact.edge.model.as_deref().unwrap_or("-");
    let closed = if fact.superseded { " closed" } else { "" };
    let id = fact.edge.id;
    format!(
        "{id} {} {} {} [{start}, {end}){closed} {model} {}",
        fact.source_name,
        fact.edge.relation,
        fact.object(),
        fact.edge.confidence
    )
}

fn facts(store: &ReferenceStore) -> Vec<String> {
    let request = FactsRequest { at: When::Any, ..FactsRequest::new() };
    let mut facts = recall::facts(&store.latest(Turn::Race).unwrap(), &call(), &request).unwrap().facts;
    facts.sort_by_key(|fact| fact.edge.id);
    facts.iter().map(line).collect()
}

fn outcome(answer: &Result<Answer, Failure>) -> String {
    let answer = match answer {
        Err(failure) => return format!("failed: {} {}", failure.code, failure.message),
        Ok(answer) => answer,
    };
    let edges: Vec<String> =
        answer.edges.iter().map(|told| format!("{} {}", told.fact.edge.id, told.outcome)).collect();
    let closed: Vec<String> = answer.invalidated_edges.iter().map(ToString::to_string).collect();
    format!("[{}] closed [{}] dropped {:?}", edges.join(", "), closed.join(", "), answer.dropped)
}

/// The same answer but for the times that only a commit gives.
fn without_times(mut answer: Answer) -> String {
    for told in &mut answer.entities {
        told.entity.created_at = gligabao_core::model::Moment::Now;
    }
    for told in &mut answer.edges {
        let edge = &mut told.fact.edge;
        edge.created_at = gligabao_core::model::Moment::Now;
        edge.bounds.expired_at = edge.bounds.expired_at.map(|_| gligabao_core::model::Moment::Now);
    }
    format!("{answer:?}")
}

fn transcript(case: &Case) -> String {
    let dataset = Logged { store: ReferenceStore::new(Micros(1)), stages: RefCell::default() };
    let mut text = String::new();
    for told in &case.calls {
        let request = Request {
            reference_time: Some(date(&told.at).at),
            extractor: Some(
                told.extractor.as_deref().map_or(Extractor::Llm, |word| Extractor::from_word(word).unwrap()),
            ),
            ..Request::new(told.text.clone())
        };
        let says: RefCell<VecDeque<&Value>> = RefCell::default();
        let model = Scripted::new(|_, _| {
            let said = says.borrow_mut().pop_front().expect("the script says no more");
            Ok(said.as_str().map_or_else(|| said.to_string(), str::to_owned))
        });
        says.borrow_mut().extend(&told.says);
        let foreseen = preview(&dataset.latest(Turn::Race).unwrap(), &model, &call(), request.clone());
        let asked = model.take_asked();
        says.borrow_mut().extend(&told.says);
        let answer = remember(&dataset, &model, &call(), request);
        assert!(says.borrow().is_empty(), "{}: the model is not asked for all that it would say", case.name);
        assert_eq!(model.take_asked(), asked, "{}: a preview asks what a remember asks", case.name);
        assert_eq!(
            foreseen.map(without_times),
            answer.clone().map(without_times),
            "{}: a preview says what a remember would do",
            case.name
        );
        writeln!(text, "{:?} told at {}", told.text, told.at).unwrap();
        for (prompt, said) in asked.iter().zip(&told.says) {
            writeln!(text, "  > {}\n  < {said}", prompt.document).unwrap();
        }
        let stages = match &answer {
            Ok(_) => dataset.stages.take(),
            Err(failure) => {
                let line =
                    |stage: &gligabao_core::model::Stage| format!("{} {} {:?}", stage.name, stage.output, stage.error);
                failure.stages.iter().map(line).collect()
            }
        };
        writeln!(text, "  {}\n  {}", stages.join("\n  "), outcome(&answer)).unwrap();
        for fact in facts(&dataset.store) {
            writeln!(text, "  = {fact}").unwrap();
        }
    }
    text
}

#[test]
fn conversations_go_as_written_down_and_a_preview_foresees_them() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../cases/models.json")).expect("the cases are valid");
    for case in &cases {
        insta::assert_snapshot!(case.name.replace(' ', "_"), transcript(case));
    }
}
