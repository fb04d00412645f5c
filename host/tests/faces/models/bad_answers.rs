//! What comes of bad answers: a status, a code, words that say what to do, a run, and no row.

use std::fmt::Write;
use std::sync::Arc;

use gligabao_tests::stand_in::Asked;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::answers::{IN_PART, STAGES, UNUSABLE, reply};
use super::{Memory, each, one_at_a_time, sentences, the_last};
use crate::running::http;

/// Rows of the table that are worked on at the same time.
const AT_A_TIME: usize = 6;

/// What a caller can do about a failure; each message has one of these.
const WHAT_TO_DO: [&str; 5] = ["try again", "look at ", "name another", "set --llm-timeout", "give the address"];

/// A memory whose model answers in the kind that it is named after.
pub(super) fn memory() -> Memory {
    let memory = Memory::start(&["--llm-timeout", "3"]);
    for stage in STAGES {
        memory.model.answer(stage, move |asked: &Asked| match (reply(&asked.model, stage), stage) {
            (Some(reply), _) => reply,
            (None, "extract_graph") => sentences(asked),
            (None, "resolve_edges") => one_at_a_time(asked),
            (None, _) => the_last(asked),
        });
    }
    memory
}

/// A call in which one stage is answered badly.
pub(super) struct Called {
    pub(super) status: u16,
    retry_after: Option<String>,
    pub(super) body: Value,
}

pub(super) async fn call(memory: &Memory, user: &str, stage: &str, kind: &str) -> Called {
    let mut body = json!({"user_id": user, "models": {stage: kind}});
    let (path, key, value) = match stage {
        "query" => ("query", "question", "What does Alice lead?"),
        _ => ("remember", "text", "Alice leads Zephyr since 2024."),
    };
    body[key] = value.into();
    let request = http().post(format!("{}/v1/gb/{path}", memory.server.url)).json(&body);
    let response = request.send().await.expect("an answer");
    let status = response.status().as_u16();
    let retry_after = response.headers().get("retry-after").map(|value| value.to_str().expect("a text").to_owned());
    let body = response.bytes().await.expect("a body");
    Called { status, retry_after, body: serde_json::from_slice(&body).expect("JSON") }
}

/// Names of the stages of a run, and how many calls of models are logged there.
fn logged(run: &Value) -> (Vec<&str>, usize) {
    let stages = run["stages"].as_array().expect("stages");
    let calls = stages.iter().map(|stage| &stage["model_calls"]).chain([&run["model_calls"]]);
    let calls = calls.map(|calls| calls.as_array().expect("calls").len()).sum();
    (stages.iter().map(|stage| stage["name"].as_str().expect("a name")).collect(), calls)
}

/// A line of the table. Rows are those of artifacts, entities and facts that the call added.
async fn line(memory: &Memory, number: usize, stage: &str, kind: &str) -> String {
    let user = format!("u{number}");
    let (status, told) = memory.told(&user, "Alice leads Atlas since 2023.", json!({})).await;
    assert_eq!(status, 200, "{stage}, {kind}: {told}");
    let (before, versions) = (memory.counts(&user).await, memory.versions(&user).await);
    let Called { status, retry_after, body } = call(memory, &user, stage, kind).await;
    let after = memory.counts(&user).await;
    let new: Vec<_> = before.iter().zip(after).map(|(before, after)| (after - before).to_string()).collect();
    let run = memory.run(&user, &body["run_id"]).await;
    let (stages, calls) = logged(&run);
    assert_eq!(run["llm"]["calls"].as_u64(), Some(calls as u64), "{stage}, {kind}: {run}");
    assert_eq!(run["status"], if status == 200 { "done" } else { "failed" }, "{stage}, {kind}: {run}");
    let mut line = format!("{stage:13} {kind:20} {status:6} {:7} ", body["code"].as_str().unwrap_or("-"));
    let rows = new.join("+");
    write!(line, "{rows:11} {calls:5} {:11} ", retry_after.as_deref().unwrap_or("-")).expect("a text grows");
    if status != 200 {
        assert_eq!(run["error"], body["error"], "{stage}, {kind}");
        let [seq, version] = versions;
        assert_eq!(memory.versions(&user).await, [seq + 1, version], "{stage}, {kind}: it is logged and no change");
        let expected = match stage {
            "extract_graph" => &["extract_graph"][..],
            "resolve_edges" => &["extract_graph", "find_candidates_by_name", "load_candidates", "resolve_edges"],
            _ => &["query"],
        };
        assert_eq!(stages, expected, "{kind}");
        let last = run["stages"].as_array().and_then(|stages| stages.last()).expect("a stage");
        assert!(last["error"].is_string(), "{stage}, {kind}: {run}");
        let words = body["error"].as_str().expect("words");
        assert!(words.starts_with(stage) && words.len() < 600, "{kind}: {words}");
        assert!(WHAT_TO_DO.iter().any(|what| words.contains(what)), "{kind}: {words}");
        assert!(!words.chars().any(char::is_control), "{kind}: {words}");
        line += &shown(words, &memory.model.host());
    }

    // Whatever it was, the next call is as if it hadn't been.
    let (status, next) = memory.told(&user, "Bob owns Boat since 2024.", json!({})).await;
    assert_eq!((status, &next["edges"][0]["outcome"]), (200, &json!("created")), "{stage}, {kind}: {next}");
    let [artifacts, entities, edges] = after;
    assert_eq!(next["artifact_id"], artifacts + 1, "{stage}, {kind}: {next}");
    assert_eq!(memory.counts(&user).await, [artifacts + 1, entities + 2, edges + 1], "{stage}, {kind}");
    line.trim_end().to_owned()
}

/// A message without what differs from run to run: the port, and in which words a connection breaks.
fn shown(words: &str, host: &str) -> String {
    let words = words.replace(host, "HOST");
    match words.split_once("broke off: ").and_then(|(before, after)| Some((before, after.split_once(')')?.1))) {
        Some((before, after)) => format!("{before}broke off: …){after}"),
        None => words,
    }
}

async fn table(memory: &Arc<Memory>, rows: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let turns = Arc::new(Semaphore::new(AT_A_TIME));
    let mut lines = JoinSet::new();
    for (number, (kind, stage)) in rows.enumerate() {
        let (memory, turns) = (Arc::clone(memory), Arc::clone(&turns));
        lines.spawn(async move {
            let _turn = turns.acquire().await.expect("it is not closed");
            (number, line(&memory, number, stage, kind).await)
        });
    }
    let mut lines = lines.join_all().await;
    lines.sort();
    let head = format!(
        "{:13} {:20} {:6} {:7} {:11} {:5} {:11} error",
        "stage", "kind", "status", "code", "rows stored", "calls", "Retry-After"
    );
    let lines = lines.into_iter().map(|(_, line)| line);
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unusable_answer_fails_its_call_and_stores_nothing() {
    let memory = Arc::new(memory());
    let rows = STAGES.iter().flat_map(|stage| UNUSABLE.iter().map(|kind| (*kind, *stage)));
    let table = table(&memory, rows).await;
    assert!(table.lines().skip(1).all(|line| line.contains(" 0+0+0 ")), "{table}");
    insta::assert_snapshot!("unusable_answers", table);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_an_answer_that_is_usable_in_part_that_part_is_stored() {
    let memory = Arc::new(memory());
    let rows = IN_PART.iter().flat_map(|(kind, stages)| stages.iter().map(|stage| (*kind, *stage)));
    insta::assert_snapshot!("answers_usable_in_part", table(&memory, rows).await);
}

#[tokio::test]
async fn what_is_not_logged_fails_without_a_trace() {
    let memory = memory();
    memory.tell("Alice leads Atlas since 2023.").await;
    let (before, versions) = (memory.counts("u").await, memory.versions("u").await);
    let remember = json!({"text": "Alice leads Zephyr since 2024.", "dry_run": true});
    let query = json!({"question": "What does Alice lead?", "log": false});
    for (stage, path, request) in
        [("extract_graph", "remember", &remember), ("resolve_edges", "remember", &remember), ("query", "query", &query)]
    {
        for (kind, expected) in [("garbage", 502), ("401", 502), ("429", 429)] {
            let mut body = json!({"user_id": "u", "models": {stage: kind}});
            super::merge(&mut body, request.clone());
            let (status, answer) = memory.server.post(&format!("/v1/gb/{path}"), body).await;
            assert_eq!((status, answer.get("run_id")), (expected, None), "{stage}, {kind}: {answer}");
        }
    }
    assert_eq!((memory.counts("u").await, memory.versions("u").await), (before, versions));
    let (_, runs) = memory.server.get("/v1/gb/runs?user_id=u").await;
    assert_eq!(each(&runs["runs"], "run_id"), [&json!(1)]);
    let (status, tried) = memory.told("w", "x", json!({"dry_run": true, "models": {"extract_graph": "500"}})).await;
    assert_eq!(status, 502, "{tried}");
    assert_eq!(memory.server.get("/v1/gb/datasets/main?user_id=w").await.0, 404);
}

#[tokio::test]
async fn a_limit_without_a_time_is_passed_on_with_one() {
    let memory = memory();
    let Called { status, retry_after, body } = call(&memory, "u", "extract_graph", "429 without a time").await;
    assert_eq!((status, &body["code"]), (429, &json!("limited")), "{body}");
    let seconds: u32 = retry_after.and_then(|value| value.parse().ok()).expect("a number");
    assert!((1..=30).contains(&seconds), "{seconds}");
    assert!(
        body["error"].as_str().is_some_and(|words| words.ends_with(&format!("try again in {seconds} s"))),
        "{body}"
    );
}
