//! Questions that a scripted model answers.

use gligabao_core::llm::{LlmError, NoLlm};
use gligabao_core::model::{EdgeId, FailureCode, ModelChoice};
use gligabao_core::recall::{self, Known, QueryAnswer, QueryMode, QueryRequest, Turn as Said};
use gligabao_core::reconcile::told::Told;
use gligabao_core::storage::{Dataset, Turn};
use serde_json::Value;

use crate::harness::script::Scripted;
use crate::harness::{Memory, call, date};

/// Edges: 1 Ana at Acme (closed), 2 Ana at Globex, 3 Ana knows Rui, 4 Rui left Initech, 5 Bob likes tea.
fn company() -> Memory {
    let memory = Memory::new(true);
    let told = |start: Option<&str>, end: Option<&str>| Told::new(start.map(date), end.map(date), date("2025").at);
    memory.tell_fact("Ana", "works_at", "Acme", told(Some("2020"), None), None);
    memory.tell_fact("Ana", "works_at", "Globex", told(Some("2024-03-01"), None), None);
    memory.tell_fact("Ana", "knows", "Rui", told(Some("2022-05"), None), None);
    memory.tell_fact("Rui", "works_at", "Initech", told(None, Some("2019")), None);
    memory.tell_fact("Bob", "likes", "\"tea\"", told(Some("2024"), None), None);
    memory
}

fn ask(memory: &Memory, model: &Scripted<'_>, request: &QueryRequest) -> QueryAnswer {
    recall::query(&memory.store.latest(Turn::Race).unwrap(), model, &call(), request).unwrap()
}

fn ids(document: &Value) -> Vec<u64> {
    document["facts"].as_array().unwrap().iter().map(|fact| fact["id"].as_u64().unwrap()).collect()
}

fn turn(question: &str, answer: &str) -> Said {
    Said { question: question.to_owned(), answer: answer.to_owned() }
}

#[test]
fn a_model_answers_from_the_evidence_and_names_what_it_used() {
    let memory = company();
    let model = Scripted::saying(r#"{"answer": "At Acme, until 2024-03-01.", "used": [1, 77]}"#);
    let answer = ask(&memory, &model, &QueryRequest::new("Where did Ana work before Globex?"));
    insta::assert_snapshot!(model.take_asked()[0].document, @r#"{"stage":"query","now":"2030-03-17T17:46:40Z","question":"Where did Ana work before Globex?","facts":[{"id":2,"source":"Ana","relation":"works_at","target":"Globex","description":"","valid_at":"2024-03-01","superseded":false},{"id":1,"source":"Ana","relation":"works_at","target":"Acme","description":"","valid_at":"2020","invalid_at":"2024-03-01","superseded":true},{"id":3,"source":"Ana","relation":"knows","target":"Rui","description":"","valid_at":"2022-05","superseded":false}],"series":[],"history":[]}"#);
    assert_eq!((answer.mode, answer.answer.as_str()), (QueryMode::Llm, "At Acme, until 2024-03-01."));
    assert_eq!(answer.used, [EdgeId(1)]);
    let evidence: Vec<u64> = answer.evidence.iter().map(|fact| fact.edge.id.0).collect();
    assert_eq!(evidence, [1, 2, 3], "what was used comes first");
    let stages: Vec<String> = answer.stages.iter().map(|stage| format!("{} {}", stage.name, stage.output)).collect();
    insta::assert_snapshot!(stages.join("\n"), @r#"query {"mode":"llm","model":"scripted","answer":"At Acme, until 2024-03-01.","used":[1],"evidence":[2,1,3],"problems":["used: a fact that was not shown was dropped"]}"#);
}

#[test]
fn a_question_that_names_nothing_is_about_what_the_turn_before_named() {
    let memory = company();
    let model = Scripted::saying(r#"{"answer": "x", "used": []}"#);
    let history = vec![turn("What does Bob like?", "Tea."), turn("Where does Ana work?", "At Globex.")];
    let request = QueryRequest { history, ..QueryRequest::new("And before that?") };
    let answer = ask(&memory, &model, &request);
    let document: Value = serde_json::from_str(&model.take_asked()[0].document).unwrap();
    assert!(ids(&document).contains(&1) && !ids(&document).contains(&5), "{document}");
    assert_eq!(document["history"][1]["answer"], "At Globex.");
    assert_eq!(answer.mode, QueryMode::Llm);
}

#[test]
fn without_evidence_and_history_nobody_is_asked() {
    let memory = company();
    let model = Scripted::new(|_, _| panic!("there is nothing to ask about"));
    let answer = ask(&memory, &model, &QueryRequest::new("What of Zoe?"));
    assert_eq!(answer.mode, QueryMode::Evidence);
    assert_eq!(answer.answer, "Nothing that is remembered is about this.");
    let model = Scripted::saying(r#"{"answer": "You asked that before.", "used": []}"#);
    let request =
        QueryRequest { history: vec![turn("What of Zoe?", "I don't know.")], ..QueryRequest::new("What of her?") };
    assert_eq!(ask(&memory, &model, &request).mode, QueryMode::Llm);
}

#[test]
fn the_model_sees_the_world_as_of_what_was_asked() {
    let memory = company();
    let model = Scripted::saying(r#"{"answer": "x", "used": []}"#);
    let request = QueryRequest { known_at: Known::Version(1), ..QueryRequest::new("Where does Ana work?") };
    ask(&memory, &model, &request);
    let document: Value = serde_json::from_str(&model.take_asked()[0].document).unwrap();
    assert_eq!(ids(&document), [1]);
    assert_eq!(document["facts"][0]["superseded"], false);
    assert_eq!(document["facts"][0].get("invalid_at"), None);
    let request = QueryRequest { at: Some(date("2022").at), limit: 1, ..QueryRequest::new("Where does Ana work?") };
    ask(&memory, &model, &request);
    let document: Value = serde_json::from_str(&model.take_asked()[0].document).unwrap();
    assert_eq!((ids(&document), &document["now"]), (vec![1], &Value::from("2022-01-01T00:00:00Z")));
}

#[test]
fn a_time_in_the_question_is_the_time_that_it_is_about() {
    let memory = company();
    let ask = |question: &str, at: Option<&str>| {
        let request = QueryRequest { at: at.map(|at| date(at).at), ..QueryRequest::new(question) };
        recall::query(&memory.store.latest(Turn::Race).unwrap(), &NoLlm, &call(), &request).unwrap().answer
    };
    let (acme, globex) = ("Ana works at Acme, from 2020 until 2024-03-01.", "Ana works at Globex, since 2024-03-01.");
    assert_eq!(ask("Where did Ana work in June 2023?", None), acme);
    assert_eq!(ask("Onde Ana trabalhava em 2023?", None), acme);
    assert_eq!(ask("Where did Ana work in 2024?", None), format!("{globex} {acme}"), "all of the year is meant");
    assert_eq!(ask("Where did Ana work in June 2023?", Some("2025")), globex, "the request knows better");
    assert_eq!(ask("Where does Ana work in 2030?", None), globex, "the present is meant");
}

#[test]
fn a_model_that_is_missing_is_missed_only_by_whom_asks_for_it() {
    let memory = company();
    let snapshot = memory.store.latest(Turn::Race).unwrap();
    let request = QueryRequest::new("Where does Ana work?");
    let answer = recall::query(&snapshot, &NoLlm, &call(), &request).unwrap();
    assert_eq!((answer.mode, answer.stages.len()), (QueryMode::Evidence, 1));
    let models = vec![ModelChoice { stage: "query".to_owned(), model: "m".to_owned() }];
    let failure = recall::query(&snapshot, &NoLlm, &call(), &QueryRequest { models, ..request.clone() }).unwrap_err();
    assert_eq!((failure.code, failure.stages.len()), (FailureCode::Unavailable, 1));
    for (error, code, retry_after) in [
        (LlmError::Limited(7), FailureCode::Limited, Some(7)),
        (LlmError::Refused("401".to_owned()), FailureCode::Model, None),
        (LlmError::Unavailable("timeout".to_owned()), FailureCode::Model, None),
    ] {
        let model = Scripted::new(move |_, _| Err(error.clone()));
        let failure = recall::query(&snapshot, &model, &call(), &request).unwrap_err();
        assert_eq!((failure.code, failure.retry_after), (code, retry_after));
        assert_eq!(failure.stages[0].name, "query");
        assert!(failure.stages[0].error.is_some());
        assert_eq!(model.take_asked().len(), 1);
    }
}

#[test]
fn malformed_questions_name_the_field() {
    let memory = company();
    let snapshot = memory.store.latest(Turn::Race).unwrap();
    let choice = |stage: &str, model: &str| ModelChoice { stage: stage.to_owned(), model: model.to_owned() };
    let request = || QueryRequest::new("Where does Ana work?");
    for (field, request) in [
        ("history", QueryRequest { history: vec![turn("x", "y"); 11], ..request() }),
        ("models.extract_graph", QueryRequest { models: vec![choice("extract_graph", "m")], ..request() }),
        ("models.query", QueryRequest { models: vec![choice("query", " ")], ..request() }),
        ("models.query", QueryRequest { models: vec![choice("query", "a"), choice("query", "b")], ..request() }),
    ] {
        let failure = recall::query(&snapshot, &NoLlm, &call(), &request).unwrap_err();
        assert_eq!((failure.code, failure.field.as_deref()), (FailureCode::Invalid, Some(field)));
    }
}
