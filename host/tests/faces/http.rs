//! The HTTP API over a real server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::running::{Server, gligabao, http, run};

fn names(facts: &Value) -> Vec<&str> {
    facts["facts"].as_array().expect("facts").iter().map(|fact| fact["target"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn a_text_becomes_facts_that_are_read_as_of_two_times() {
    let server = Server::start();
    let told = server.tell("u", "main", "Anna Weber joined Acme in March 2022.").await;
    let fact = json!({
        "id": 1, "source": "Anna Weber", "source_id": 1, "relation": "works_at", "target": "Acme", "target_id": 2,
        "target_text": null, "valid_at": "2022-03-01T00:00:00Z", "valid_at_precision": "month", "invalid_at": null,
        "invalid_at_precision": null, "start_known": true, "expired_at": null, "artifact_id": 1, "wing": null,
        "contested": false, "superseded": false, "retracted_at": null, "outcome": "created",
    });
    for (name, value) in fact.as_object().expect("an object") {
        assert_eq!(&told["edges"][0][name], value, "{name}");
    }
    assert_eq!(told["edges"][0].as_object().map(serde_json::Map::len), Some(22), "{told}");
    assert_eq!(told["dropped"], json!({"pii": 0, "empty": 0, "self_loop": 0, "invalid": 0}));
    assert_eq!((&told["run_id"], &told["artifact_id"], &told["dataset"]), (&json!(1), &json!(1), &json!("main")));
    assert_eq!(told["entities"][0]["name"], "Anna Weber");
    assert_eq!(told["entities"][0]["created"], true);

    let later = server.tell("u", "main", "Anna Weber works at Globex since March 2024.").await;
    assert_eq!(later["invalidated_edges"], json!([1]));
    let facts = async |rest: &str| {
        let (status, answer) = server.get(&format!("/v1/gb/facts?user_id=u&entity=Anna%20Weber{rest}")).await;
        assert_eq!(status, 200, "{answer}");
        answer
    };
    assert_eq!(names(&facts("").await), ["Globex"]);
    assert_eq!(names(&facts("&at=2023-06-01").await), ["Acme"]);
    assert_eq!(names(&facts("&known_at=1").await), ["Acme"]);
    assert_eq!(names(&facts("&at=any").await), ["Acme", "Globex"]);
    assert_eq!(names(&facts("&from=2024-02-01&until=2024-02-28").await), ["Acme"]);
    assert_eq!(names(&facts("&relation=lives_in").await), [""; 0]);
    let first = facts("&at=any&limit=1").await;
    assert_eq!(names(&first), ["Acme"]);
    let cursor = first["cursor"].as_str().expect("there are more");
    let second = facts(&format!("&at=any&limit=1&cursor={cursor}")).await;
    assert_eq!((names(&second), second.get("cursor")), (vec!["Globex"], None));

    let (_, timeline) = server.get("/v1/gb/timeline?user_id=u&entity=Anna%20Weber").await;
    let closed_by = &timeline["facts"][0]["closed_by"];
    assert_eq!((&closed_by["event"], &closed_by["edge_id"]), (&json!("invalidated"), &json!(2)));
    assert_eq!(timeline["facts"][1]["closed_by"], Value::Null);
}

#[tokio::test]
async fn single_things_are_read_by_their_number() {
    let server = Server::start();
    server.tell("u", "main", "Anna Weber joined Acme in March 2022.").await;
    let (_, entities) = server.get("/v1/gb/entities?user_id=u&type=person").await;
    assert_eq!(entities["entities"][0]["name"], "Anna Weber");
    let (_, entity) = server.get("/v1/gb/entities/1?user_id=u").await;
    assert_eq!((&entity["artifacts"], &entity["aliases"]), (&json!([1]), &json!([])));
    let (_, artifacts) = server.get("/v1/gb/artifacts?user_id=u").await;
    assert_eq!(artifacts["artifacts"][0]["valid_at"], "2024-06-10T00:00:00Z");
    let (_, artifact) = server.get("/v1/gb/artifacts/1?user_id=u").await;
    assert_eq!((&artifact["kind"], &artifact["children"]), (&json!("knowledge"), &json!([])));
    assert_eq!(artifact.get("title"), None, "absent values are left out here");

    let (_, retracted) = server.post("/v1/gb/edges/1/retract", json!({"user_id": "u"})).await;
    assert_eq!(retracted["reopened_edges"], json!([]));
    let (_, edge) = server.get("/v1/gb/edges/1?user_id=u").await;
    let events: Vec<_> = edge["events"].as_array().expect("events").iter().map(|event| &event["event"]).collect();
    assert_eq!(events, ["created", "retracted"]);
    assert_eq!(edge["events"][1]["run_id"], retracted["run_id"]);
    assert_eq!(edge["artifacts"], json!([1]));
    let (status, again) = server.post("/v1/gb/edges/1/retract?user_id=u", json!({})).await;
    assert_eq!((status, &again["code"]), (409, &json!("conflict")));
    assert_eq!(again["run_id"], json!(3), "a call that failed is logged too: {again}");
    let empty = http().post(format!("{}/v1/gb/edges/1/retract", server.url)).header("gb-user-id", "u");
    assert_eq!(server.send(empty).await.0, 409, "the body may be left out");

    for (path, code) in [
        ("/v1/gb/entities/9", 404),
        ("/v1/gb/artifacts/9", 404),
        ("/v1/gb/edges/9", 404),
        ("/v1/gb/edges/0", 404),
        ("/v1/gb/edges/18446744073709551615", 404),
        ("/v1/gb/datasets/other", 404),
    ] {
        let (status, answer) = server.get(&format!("{path}?user_id=u")).await;
        assert_eq!((status, &answer["code"]), (code, &json!("not_found")), "{path}");
    }
}

#[tokio::test]
async fn users_and_datasets_see_nothing_of_each_other() {
    let server = Server::start();
    server.tell("u", "main", "Anna Weber lives in Berlin.").await;
    server.tell("u", "work", "Anna Weber lives in Porto.").await;
    server.tell("v", "main", "Anna Weber lives in Recife.").await;
    for (scope, place) in [("user_id=u", "Berlin"), ("user_id=u&dataset=work", "Porto"), ("user_id=v", "Recife")] {
        let (_, facts) = server.get(&format!("/v1/gb/facts?{scope}")).await;
        assert_eq!(names(&facts), [place], "{scope}");
        let (_, artifact) = server.get(&format!("/v1/gb/artifacts/1?{scope}")).await;
        assert_eq!(artifact["text"], format!("Anna Weber lives in {place}."), "{scope}");
        let body = json!({"question": "Where does Anna Weber live?", "log": false});
        let (_, answer) = server.post(&format!("/v1/gb/query?{scope}"), body).await;
        assert!(answer["answer"].as_str().is_some_and(|answer| answer.contains(place)), "{answer}");
    }
    let (_, listed) = server.get("/v1/gb/datasets?user_id=u").await;
    let listed: Vec<_> = listed["datasets"].as_array().expect("datasets").iter().map(|set| &set["name"]).collect();
    assert_eq!(listed, ["main", "work"]);
    let (status, missing) = server.get("/v1/gb/facts?user_id=w").await;
    assert_eq!((status, &missing["field"]), (404, &json!("dataset")));
    let deleted = server.send(http().delete(format!("{}/v1/gb/datasets/main?user_id=u", server.url))).await;
    assert_eq!(deleted, (204, Value::Null));
    assert_eq!(server.get("/v1/gb/facts?user_id=u").await.0, 404);
    assert_eq!(server.get("/v1/gb/facts?user_id=v").await.0, 200);
}

#[tokio::test]
async fn datasets_are_put_paged_and_counted() {
    let server = Server::start();
    for name in ["c", "a", "b"] {
        let put = http().put(format!("{}/v1/gb/datasets/{name}?user_id=u", server.url));
        let (status, made) = server.send(put.json(&json!({"description": name, "tags": ["y", "x"]}))).await;
        assert_eq!((status, &made["tags"]), (200, &json!(["x", "y"])), "{made}");
    }
    let (_, first) = server.get("/v1/gb/datasets?user_id=u&limit=2").await;
    let cursor = first["cursor"].as_str().expect("there are more");
    let (_, rest) = server.get(&format!("/v1/gb/datasets?user_id=u&limit=2&cursor={cursor}")).await;
    let of = |page: &Value| page["datasets"].as_array().expect("datasets").len();
    assert_eq!((of(&first), of(&rest), rest.get("cursor")), (2, 1, None));
    assert_eq!(rest["datasets"][0]["name"], "c");
    let put = http().put(format!("{}/v1/gb/datasets/c?user_id=u", server.url));
    let (_, kept) = server.send(put.json(&json!({"tags": []}))).await;
    assert_eq!((&kept["description"], &kept["tags"]), (&json!("c"), &json!([])));
}

#[tokio::test]
async fn a_text_may_have_one_mebibyte_and_no_more() {
    let server = Server::start();
    let mut body = json!({"user_id": "u", "text": "\n\"".repeat(1 << 19), "extractor": "off"});
    assert_eq!(server.post("/v1/gb/remember", body.clone()).await.0, 200, "escapes don't count");
    body["text"] = json!("x".repeat((1 << 20) + 1));
    let (status, answer) = server.post("/v1/gb/remember", body.clone()).await;
    assert_eq!((status, &answer["code"], &answer["field"]), (413, &json!("too_large"), &json!("text")), "{answer}");
    body["text"] = json!("x".repeat(8 << 20));
    let (status, answer) = server.post("/v1/gb/remember", body.clone()).await;
    assert_eq!((status, &answer["code"]), (413, &json!("too_large")), "{answer}");
    for text in ["", "a\0b"] {
        body["text"] = json!(text);
        let (status, answer) = server.post("/v1/gb/remember", body.clone()).await;
        assert_eq!((status, &answer["field"]), (400, &json!("text")), "{answer}");
    }
    let (_, dataset) = server.get("/v1/gb/datasets/main?user_id=u").await;
    assert_eq!(dataset["counts"]["artifacts"], 1);
}

#[tokio::test]
async fn a_browser_of_another_origin_gets_nothing() {
    let server = Server::start();
    server.tell("u", "main", "Anna Weber lives in Berlin.").await;
    let get = || http().get(format!("{}/v1/gb/facts?user_id=u", server.url));
    let post = || http().post(format!("{}/v1/gb/edges/1/retract?user_id=u", server.url));
    let port = server.address().rsplit_once(':').expect("a port").1;
    for (what, request, status) in [
        ("a rebound name", get().header("host", "evil.example"), 403),
        ("a rebound name with the port", get().header("host", format!("evil.example:{port}")), 403),
        ("no name at all", get().header("host", "not a name"), 403),
        ("this machine by another name", get().header("host", format!("localhost:{port}")), 200),
        ("a write of another site", post().header("sec-fetch-site", "cross-site"), 403),
        ("a write of another origin", post().header("origin", "http://evil.example"), 403),
        ("a write of a form", post().body("user_id=u").header("content-type", "text/plain"), 415),
        ("a write of its own page", post().header("sec-fetch-site", "same-origin"), 200),
    ] {
        let (got, answer) = server.send(request).await;
        assert_eq!(got, status, "{what}: {answer}");
    }
}

#[tokio::test]
async fn answers_are_compressed_on_request_and_carry_their_request_s_id() {
    let server = Server::start();
    let request = http().get(format!("{}/openapi.json", server.url)).header("accept-encoding", "gzip");
    let response = request.header("x-request-id", "mine").send().await.expect("an answer");
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert_eq!(response.headers()["x-request-id"], "mine");
    let (status, health) = server.get("/healthz").await;
    assert_eq!((status, health), (200, json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")})));
    let (_, document) = server.get("/openapi.json").await;
    assert_eq!(document["openapi"], "3.1.0");
}

#[tokio::test]
async fn the_log_has_requests_and_nothing_that_users_say() {
    let mut server = Server::start();
    server.tell("secretuser", "main", "Secretname lives in Secretplace.").await;
    server.get("/v1/gb/facts?user_id=secretuser&entity=Secretname").await;
    server.get("/v1/gb/facts?user_id=secretuser&secretparameter=1").await;
    server.get("/secretpath").await;
    assert!(server.stop().success());
    let log = server.log();
    assert!(log.contains("/v1/gb/remember") && log.contains("status=200"), "{log}");
    assert!(!log.to_lowercase().contains("secret"), "{log}");
}

#[tokio::test]
async fn a_signal_lets_running_requests_finish() {
    let mut server = Server::start();
    server.tell("u", "main", "Anna Weber lives in Berlin.").await;
    // A request whose body is still on its way when the signal comes.
    let body = r#"{"user_id": "u", "text": "Anna Weber works at Acme."}"#;
    let mut slow = TcpStream::connect(server.address()).expect("it listens");
    let head = format!(
        "POST /v1/gb/remember HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\nexpect: 100-continue\r\n\r\n",
        body.len()
    );
    slow.write_all(head.as_bytes()).expect("sent");
    // The server asks for the body once the request runs.
    let mut asked = [0; 25];
    slow.read_exact(&mut asked).expect("it asks");
    assert!(asked.starts_with(b"HTTP/1.1 100"));
    let stopping = std::thread::spawn(move || (server.stop(), server));
    while TcpStream::connect_timeout(&slow.peer_addr().expect("an address"), Duration::from_secs(1)).is_ok() {
        std::thread::yield_now();
    }
    slow.write_all(body.as_bytes()).expect("sent");
    let mut answer = String::new();
    slow.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let (status, server) = stopping.join().expect("it stops");
    assert!(status.success());
    let again = Server::on(&server.db);
    let (_, facts) = again.get("/v1/gb/facts?user_id=u&relation=works_at").await;
    assert_eq!(names(&facts), ["Acme"]);
}

#[test]
fn a_port_in_use_is_named_with_a_way_out() {
    let server = Server::start();
    let dir = tempfile::TempDir::new().expect("a directory");
    let ended = run(dir.path(), &["serve", "--listen", server.address()]);
    assert_eq!(ended.code, 2);
    let words = format!(
        "error: {} is in use; stop what listens there, or choose another port with --listen (port 0 takes a free one)\n",
        server.address()
    );
    assert_eq!(ended.stderr, words);
    assert!(!dir.path().join("gligabao.db").exists(), "it made no database");
}

#[test]
fn the_log_can_be_json_and_a_bad_filter_is_refused() {
    let dir = tempfile::TempDir::new().expect("a directory");
    let output = gligabao(dir.path()).args(["serve"]).env("GLIGABAO_LOG", "gligabao=loud=1").output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: GLIGABAO_LOG=gligabao=loud=1 is no filter"));
}
