//! A server that is killed in the middle of its work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::running::Server;

const KILLS: u64 = 4;
const CLIENTS: u64 = 3;
/// How long a server lives: not so long that the calls could end by themselves.
const LIFE: Duration = Duration::from_millis(150);

fn text(number: u64) -> String {
    format!("Person {number} works at Company {number} and lives in Town {number}")
}

/// Tells texts until the server is gone; those that it acknowledged.
async fn tell_until_it_dies(url: String, numbers: Arc<AtomicU64>) -> Vec<(u64, Value)> {
    let client = reqwest::Client::new();
    let mut acknowledged = Vec::new();
    loop {
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        let body = json!({"user_id": "u", "text": text(number)});
        let Ok(answer) = client.post(format!("{url}/v1/gb/remember")).json(&body).send().await else {
            return acknowledged;
        };
        assert!(answer.status().is_success(), "{}", answer.status());
        let Ok(answer) = answer.json().await else { return acknowledged };
        acknowledged.push((number, answer));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_is_there_whole_after_a_kill() {
    let dir = TempDir::new().expect("a directory");
    let db = dir.path().join("killed.db");
    let numbers = Arc::new(AtomicU64::new(1));
    let mut acknowledged = Vec::new();
    for _ in 0..KILLS {
        let mut server = Server::on(&db);
        let clients: Vec<_> =
            (0..CLIENTS).map(|_| tokio::spawn(tell_until_it_dies(server.url.clone(), Arc::clone(&numbers)))).collect();
        tokio::time::sleep(LIFE).await;
        server.kill();
        for client in clients {
            acknowledged.extend(client.await.expect("a client does not fail"));
        }
    }
    assert!(!acknowledged.is_empty(), "the server lived long enough to answer");

    let mut server = Server::on(&db);
    for (number, answer) in &acknowledged {
        let (_, artifact) = server.get(&format!("/v1/gb/artifacts/{}?user_id=u", answer["artifact_id"])).await;
        assert_eq!(artifact["text"], text(*number));
        assert_eq!(answer["edges"].as_array().map(Vec::len), Some(2));
        for edge in answer["edges"].as_array().expect("edges") {
            let (_, stored) = server.get(&format!("/v1/gb/edges/{}?user_id=u", edge["id"])).await;
            assert_eq!((&stored["source"], &stored["events"][0]["event"]), (&edge["source"], &json!("created")));
        }
    }
    let (_, dataset) = server.get("/v1/gb/datasets/main?user_id=u").await;
    let counts = &dataset["counts"];
    assert_eq!(
        counts["edges"].as_u64(),
        counts["artifacts"].as_u64().map(|texts| 2 * texts),
        "no call is there in part"
    );
    let (_, open) = server.get("/v1/gb/runs?user_id=u&status=running").await;
    assert_eq!(open["runs"], json!([]), "a start closes what a crash left open");
    let (_, failed) = server.get("/v1/gb/runs?user_id=u&status=failed&limit=1000").await;
    for run in failed["runs"].as_array().expect("runs") {
        assert_eq!(run["error"], "the process ended before the call did");
    }
    assert!(server.stop().success());
}
