//! What happens while a model thinks: a server is killed or told to stop, a client goes away.

use std::time::{Duration, Instant};

use gligabao_tests::stand_in::Reply;
use serde_json::{Value, json};

use super::{Memory, each};
use crate::running::{Server, http};

/// How long a model thinks that is waited for.
const THOUGHT: Duration = Duration::from_millis(300);

/// Waits until the model thinks.
async fn until_asked(memory: &Memory) {
    let start = Instant::now();
    while memory.model.waiting() == 0 {
        assert!(start.elapsed() < Duration::from_secs(20), "the model is never asked");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waited_for_a_model_is_failed_after_a_kill_and_left_nothing() {
    let mut memory = Memory::start(&[]);
    memory.tell("Alice leads Atlas since 2023.").await;
    let before = memory.counts("u").await;
    let url = memory.model.openai();
    let model = ["--llm-url", &*url, "--llm-model", "small"];
    let mut interrupted = Vec::new();
    for (stage, path, key) in
        [("extract_graph", "remember", "text"), ("resolve_edges", "remember", "text"), ("query", "query", "question")]
    {
        memory.model.queue(stage, Reply::Silence);
        let body = json!({"user_id": "u", key: "Alice leads Zephyr since 2024."});
        let request = http().post(format!("{}/v1/gb/{path}", memory.server.url)).json(&body);
        let call = tokio::spawn(request.send());
        until_asked(&memory).await;
        let (_, open) = memory.server.get("/v1/gb/runs?user_id=u&status=running").await;
        let ids: Vec<Value> = each(&open["runs"], "run_id").into_iter().cloned().collect();
        assert_eq!(ids.len(), 1, "{stage}: {open}");
        interrupted.extend(ids);
        memory.server.kill();
        assert!(call.await.expect("a client does not fail").is_err(), "{stage}");
        memory.server = Server::with(&memory.dir.path().join("test.db"), &model);
        assert_eq!(memory.counts("u").await, before, "{stage}");
    }
    let (_, failed) = memory.server.get("/v1/gb/runs?user_id=u&status=failed").await;
    assert_eq!(each(&failed["runs"], "run_id"), interrupted.iter().rev().collect::<Vec<_>>());
    for run in failed["runs"].as_array().expect("runs") {
        assert_eq!(run["error"], "the process ended before the call did");
    }
    let told = memory.tell("Alice leads Zephyr since 2024.").await;
    assert_eq!((&told["artifact_id"], &told["invalidated_edges"]), (&json!(2), &json!([1])), "{told}");
    let answer = memory.ask("What does Alice lead?", json!({})).await;
    assert_eq!(answer["mode"], "llm");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_while_a_model_thinks_is_served_to_the_end() {
    let memory = Memory::start(&[]);
    memory.tell("Alice leads Atlas since 2023.").await;
    memory.model.answer("extract_graph", |asked| super::sentences(asked).after(THOUGHT));
    memory.model.answer("resolve_edges", |asked| super::one_at_a_time(asked).after(THOUGHT));
    let body = json!({"user_id": "u", "text": "Alice leads Zephyr since 2024.", "reference_time": "2024-06-10"});
    let request = http().post(format!("{}/v1/gb/remember", memory.server.url)).json(&body);
    let call = tokio::spawn(request.send());
    until_asked(&memory).await;
    call.abort();
    assert!(call.await.is_err_and(|error| error.is_cancelled()), "it goes away");
    let start = Instant::now();
    let run = loop {
        let run = memory.run("u", &json!(2)).await;
        if run["status"] != "running" {
            break run;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{run}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!((&run["status"], &run["llm"]["calls"]), (&json!("done"), &json!(2)), "{run}");
    assert_eq!(each(&json!(memory.facts("").await), "target"), ["Zephyr"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_told_to_stop_lets_the_model_think() {
    let mut memory = Memory::start(&[]);
    memory.tell("Alice leads Atlas since 2023.").await;
    memory.model.answer("resolve_edges", |asked| super::one_at_a_time(asked).after(THOUGHT));
    let body = json!({"user_id": "u", "text": "Alice leads Zephyr since 2024.", "reference_time": "2024-06-10"});
    let request = http().post(format!("{}/v1/gb/remember", memory.server.url)).json(&body);
    let call = tokio::spawn(request.send());
    until_asked(&memory).await;
    assert!(memory.server.stop().success());
    let answer = call.await.expect("a client does not fail").expect("it is answered");
    assert_eq!(answer.status(), 200);
    memory.server = Server::on(&memory.dir.path().join("test.db"));
    assert_eq!(each(&json!(memory.facts("").await), "target"), ["Zephyr"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dataset_that_is_deleted_while_a_model_thinks_stays_deleted() {
    let memory = Memory::start(&[]);
    memory.model.answer("extract_graph", |asked| super::sentences(asked).after(THOUGHT));
    memory.model.answer("resolve_edges", |asked| super::one_at_a_time(asked).after(THOUGHT));
    memory.model.answer("query", |asked| super::the_last(asked).after(THOUGHT));
    // A question has read what it needs by then.
    for (path, key, status) in [("remember", "text", 404), ("query", "question", 200)] {
        let told = memory.tell("Alice leads Atlas since 2023.").await;
        assert_eq!(told["artifact_id"], 1, "{path}: it is a new dataset");
        let body = json!({"user_id": "u", key: "Alice leads Zephyr since 2024."});
        let request = http().post(format!("{}/v1/gb/{path}", memory.server.url)).json(&body);
        let call = tokio::spawn(request.send());
        until_asked(&memory).await;
        let delete = http().delete(format!("{}/v1/gb/datasets/main?user_id=u", memory.server.url));
        assert_eq!(memory.server.send(delete).await.0, 204);
        let answer = call.await.expect("a client does not fail").expect("it is answered");
        assert_eq!(answer.status(), status, "{path}");
        let (_, datasets) = memory.server.get("/v1/gb/datasets?user_id=u").await;
        assert_eq!(datasets["datasets"], json!([]), "{path}");
    }
}
