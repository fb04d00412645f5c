//! The log of calls: what it says, to whom, and what is not in it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use gligabao::store::sqlite::{Sqlite, SqliteOptions};
use gligabao::store::{Clock, DatasetName, ModelCall, NewRun, RunEnd, RunKind, RunLog, Store, UserId};
use gligabao_core::model::Stage;
use gligabao_core::storage::Plan;
use gligabao_core::time::Micros;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::running::{Server, run};

/// Half a second passes between two looks.
struct Steps(AtomicI64);

impl Clock for Steps {
    fn now(&self) -> Micros {
        Micros(1_717_977_600_000_000 + self.0.fetch_add(1, Ordering::SeqCst) * 500_000)
    }
}

fn stage(name: &str, output: &Value, error: Option<&str>) -> Stage {
    Stage { name: name.to_owned(), label: None, output: output.to_string(), error: error.map(str::to_owned) }
}

fn call(stage: &str, tokens: u64, error: Option<&str>) -> ModelCall {
    ModelCall {
        stage: stage.to_owned(),
        model: "small".to_owned(),
        provider: "localhost".to_owned(),
        reasoning: Some("low".to_owned()),
        tokens_in: Some(tokens),
        tokens_out: error.is_none().then_some(40),
        cost_usd: error.is_none().then_some(0.0005),
        latency_ms: 1_250,
        attempts: if error.is_some() { 3 } else { 1 },
        error: error.map(str::to_owned),
    }
}

/// A log as a server with a model leaves it, in `gligabao.db`.
async fn logged(dir: &Path) {
    let clock = Arc::new(Steps(AtomicI64::new(0)));
    let store = Sqlite::open(dir.join("gligabao.db"), SqliteOptions { clock, ..SqliteOptions::default() });
    let store = store.expect("a database");
    let user = UserId::new("me").expect("a user");
    let dataset = store.create_dataset(&user, &DatasetName::default()).await.expect("a dataset");
    let new = |kind, params: Value, session: Option<&str>| NewRun {
        kind,
        params: params.to_string(),
        session_id: session.map(str::to_owned),
    };
    let begin = async |run| store.begin_run(dataset, run).await.expect("a run");
    let run =
        begin(new(RunKind::Remember, json!({"text_bytes": 1200, "kind": "episode", "title": "Monday"}), None)).await;
    let edges: Vec<_> = (0..20).map(|n| json!({"source": "Anna", "relation": "knows", "target": n})).collect();
    let stages = vec![
        stage("extract_graph", &json!({"entities": [], "edges": edges}), None),
        stage("load_candidates", &json!([1, 2]), Some("3 candidates were cut")),
        stage("store_artifact", &json!({"artifact_id": 1}), None),
    ];
    let calls = vec![call("extract_graph", 900, Some("503 of the server")), call("extract_graph", 950, None)];
    let plan = Plan { version: 0, changes: Vec::new(), stages };
    store.commit(dataset, run, plan, calls).await.expect("committed");
    let run =
        begin(new(RunKind::Query, json!({"question": "Whom does Anna know?\nAnd why?", "session_id": "s"}), Some("s")))
            .await;
    let stages = vec![stage("query", &json!({"answer": "Many.", "used": [1]}), None)];
    let log = RunLog { stages, calls: vec![call("query", 300, None)], answer: Some("Many.".to_owned()) };
    store.end_run(dataset, run, RunEnd::Done, log).await.expect("ended");
    let run = begin(new(RunKind::Query, json!({"question": "And now?", "session_id": "s"}), Some("s"))).await;
    let failed = RunEnd::Failed("the model `small` does not answer; try again later".to_owned());
    let log = RunLog { calls: vec![call("query", 310, Some("timed out"))], ..RunLog::default() };
    store.end_run(dataset, run, failed, log).await.expect("ended");
    begin(new(RunKind::Edit, json!({"operation": "retract", "edge_id": 7}), None)).await;
    // The process ends here, with a run that is open.
}

fn ids(runs: &Value) -> Vec<u64> {
    runs["runs"].as_array().expect("runs").iter().map(|run| run["run_id"].as_u64().expect("a number")).collect()
}

#[tokio::test]
async fn a_trajectory_has_stages_with_what_they_asked_of_models() {
    let dir = TempDir::new().expect("a directory");
    logged(dir.path()).await;
    let server = Server::on(&dir.path().join("gligabao.db"));
    let (status, told) = server.get("/v1/gb/runs/1?user_id=me").await;
    assert_eq!((status, &told["status"], &told["seq"]), (200, &json!("done"), &json!(1)), "{told}");
    assert_eq!(told["params"], json!({"text_bytes": 1200, "kind": "episode", "title": "Monday"}));
    assert_eq!(told["llm"], json!({"calls": 2, "tokens_in": 1850, "tokens_out": 40, "cost_usd": 0.0005}));
    let stages: Vec<_> = told["stages"].as_array().expect("stages").iter().map(|stage| &stage["name"]).collect();
    assert_eq!(stages, ["extract_graph", "load_candidates", "store_artifact"]);
    assert_eq!(
        told["stages"][1],
        json!({"name": "load_candidates", "output": [1, 2], "error": "3 candidates were cut", "model_calls": []})
    );
    assert_eq!(
        told["stages"][0]["model_calls"][1],
        json!({
            "stage": "extract_graph", "model": "small", "provider": "localhost", "reasoning": "low", "tokens_in": 950,
            "tokens_out": 40, "cost_usd": 0.0005, "latency_ms": 1250, "attempts": 1,
        })
    );
    assert_eq!(told["model_calls"], json!([]));
    let (_, failed) = server.get("/v1/gb/runs/3?user_id=me").await;
    assert_eq!(failed["error"], "the model `small` does not answer; try again later");
    assert_eq!((&failed["stages"], &failed["model_calls"][0]["error"]), (&json!([]), &json!("timed out")));
    let (_, crashed) = server.get("/v1/gb/runs/4?user_id=me").await;
    assert_eq!(
        (&crashed["status"], &crashed["error"]),
        (&json!("failed"), &json!("the process ended before the call did"))
    );
    let list = async |rest: &str| server.get(&format!("/v1/gb/runs?user_id=me{rest}")).await.1;
    assert_eq!(ids(&list("").await), [4, 3, 2, 1]);
    assert_eq!(ids(&list("&kind=query").await), [3, 2]);
    assert_eq!(ids(&list("&status=failed").await), [4, 3]);
    assert_eq!(ids(&list("&session_id=s&status=done").await), [2]);
    let first = list("&limit=3").await;
    let cursor = first["cursor"].as_str().expect("there are more");
    let rest = list(&format!("&limit=3&cursor={cursor}")).await;
    assert_eq!((ids(&first), ids(&rest), rest.get("cursor")), (vec![4, 3, 2], vec![1], None));
}

#[tokio::test]
async fn runs_are_told_on_the_command_line() {
    let dir = TempDir::new().expect("a directory");
    logged(dir.path()).await;
    let list = run(dir.path(), &["run", "list", "--limit", "3", "--cursor", "4"]);
    assert_eq!((list.code, &*list.stderr), (0, ""));
    insta::assert_snapshot!("run_list", list.stdout);
    let shown: String = ["1", "2", "3"].map(|id| run(dir.path(), &["run", "show", id]).stdout).join("────\n");
    insta::assert_snapshot!("run_show", shown);
    let server = Server::on(&dir.path().join("gligabao.db"));
    let inside = run(dir.path(), &["run", "list", "--json"]).stdout;
    let outside = run(dir.path(), &["run", "list", "--json", "--server", &server.url]).stdout;
    assert_eq!(inside, outside);
    let newest = run(dir.path(), &["run", "show", "--json"]).json();
    assert_eq!(newest["run_id"], 4);
    let missing = run(dir.path(), &["run", "show", "9"]);
    assert_eq!((missing.code, &*missing.stderr), (1, "error: there is no run 9 in this dataset\n"));
}

#[tokio::test]
async fn each_call_is_logged_with_what_it_asked_for_and_without_its_text() {
    let server = Server::start();
    let body = json!({
        "user_id": "u", "text": "Anna Weber lives in Hiddentown.", "title": "T", "session_id": "s", "wing": "home",
        "timezone": "Europe/Lisbon", "reference_time": "2024-06-10",
    });
    assert_eq!(server.post("/v1/gb/remember", body).await.0, 200);
    let asked =
        json!({"user_id": "u", "question": "Where does Anna Weber live?", "session_id": "s", "at": "2024-07-01"});
    let (_, answer) = server.post("/v1/gb/query", asked).await;
    assert_eq!((&answer["run_id"], answer.get("llm"), answer.get("used")), (&json!(2), None, None), "{answer}");
    assert_eq!(server.post("/v1/gb/edges/1/retract", json!({"user_id": "u"})).await.0, 200);
    let (status, again) = server.post("/v1/gb/edges/1/retract", json!({"user_id": "u"})).await;
    assert_eq!((status, &again["run_id"]), (409, &json!(4)));
    let params = async |id: u64| server.get(&format!("/v1/gb/runs/{id}?user_id=u")).await.1["params"].clone();
    let told = json!({
        "text_bytes": 31, "kind": "knowledge", "reference_time": "2024-06-10T00:00:00Z", "title": "T",
        "session_id": "s", "wing": "home", "extractor": "pattern", "timezone": "Europe/Lisbon",
    });
    assert_eq!(params(1).await, told);
    let question = json!({
        "question": "Where does Anna Weber live?", "at": "2024-07-01T00:00:00Z", "session_id": "s", "limit": 20,
    });
    assert_eq!(params(2).await, question);
    assert_eq!(params(3).await, json!({"operation": "retract", "edge_id": 1}));
    let (_, failed) = server.get("/v1/gb/runs/4?user_id=u").await;
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &again["error"]));
    let (_, of_session) = server.get("/v1/gb/runs?user_id=u&session_id=s").await;
    assert_eq!(ids(&of_session), [2, 1]);
    // What is refused as malformed is no call.
    let bad = json!({"user_id": "u", "question": "x", "session_id": "a\nb"});
    let (status, refused) = server.post("/v1/gb/query", bad).await;
    assert_eq!((status, &refused["field"], refused.get("run_id")), (400, &json!("session_id"), None));
    assert_eq!(ids(&server.get("/v1/gb/runs?user_id=u").await.1), [4, 3, 2, 1]);
}

/// Whether a file of the database holds these bytes.
fn holds(db: &Path, bytes: &[u8]) -> bool {
    files(db).iter().any(|content| content.windows(bytes.len()).any(|window| window == bytes))
}

/// The database and its log.
fn files(db: &Path) -> Vec<Vec<u8>> {
    let log = db.with_extension("db-wal");
    [db, &log].iter().map(|path| std::fs::read(path).unwrap_or_default()).collect()
}

#[tokio::test]
async fn a_question_that_is_not_logged_leaves_nothing() {
    let server = Server::start();
    server.tell("u", "main", "Anna Weber lives in Berlin.").await;
    let ask = async |words: &str, log: bool| {
        let body = json!({"user_id": "u", "question": words, "session_id": "s", "log": log});
        let (status, answer) = server.post("/v1/gb/query", body).await;
        assert_eq!((status, answer.get("run_id").is_some()), (200, log), "{answer}");
    };
    ask("Where is the secretwhereabouts?", false).await;
    assert!(!holds(&server.db, b"secretwhereabouts"));
    ask("Where is the openwhereabouts?", true).await;
    assert!(holds(&server.db, b"openwhereabouts"));
    assert_eq!(ids(&server.get("/v1/gb/runs?user_id=u").await.1), [2, 1]);
}

#[tokio::test]
async fn a_dry_run_says_what_would_be_stored_and_stores_nothing() {
    let server = Server::start();
    server.tell("u", "main", "Anna Weber works at Acme since 2020.").await;
    let before = files(&server.db);
    let body = |user: &str| json!({"user_id": user, "text": "Anna Weber works at Globex since 2024.", "dry_run": true, "reference_time": "2024-06-10"});
    let (status, tried) = server.post("/v1/gb/remember", body("u")).await;
    assert_eq!((status, &tried["dry_run"], tried.get("run_id")), (200, &json!(true), None), "{tried}");
    assert_eq!((&tried["artifact_id"], &tried["invalidated_edges"]), (&json!(2), &json!([1])));
    assert_eq!((&tried["edges"][0]["target"], &tried["edges"][0]["outcome"]), (&json!("Globex"), &json!("created")));
    let (status, tried) = server.post("/v1/gb/remember", body("stranger")).await;
    assert_eq!((status, &tried["artifact_id"], &tried["edges"][0]["id"]), (200, &json!(1), &json!(1)), "{tried}");
    assert!(before == files(&server.db), "the database changed");
    assert_eq!(server.get("/v1/gb/datasets/main?user_id=stranger").await.0, 404);
    let (_, told) = server.post("/v1/gb/remember", json!({"user_id": "u", "text": "x", "dry_run": false})).await;
    assert_eq!((told.get("dry_run"), &told["run_id"]), (None, &json!(2)));

    let dir = TempDir::new().expect("a directory");
    let tried = run(dir.path(), &["remember", "Rui lives in Porto.", "--dry-run"]);
    assert_eq!(tried.code, 0, "{tried:?}");
    assert!(tried.stdout.starts_with("Nothing is stored. It would be text 1 of main."), "{}", tried.stdout);
    assert!(!dir.path().join("gligabao.db").exists());
}

#[tokio::test]
async fn a_fact_tells_what_it_rests_on() {
    let server = Server::start();
    for (title, text) in [
        ("Monday", "It rains.\n\nAnna Weber joined Acme in March 2022. It rains still."),
        ("Friday", "Anna Weber works at Acme."),
        ("Sunday", "Anna Weber works at Globex since March 2024."),
    ] {
        let body = json!({"user_id": "me", "text": text, "title": title, "reference_time": "2024-06-10"});
        assert_eq!(server.post("/v1/gb/remember", body).await.0, 200);
    }
    let (status, why) = server.get("/v1/gb/edges/1/why?user_id=me").await;
    assert_eq!((status, &why["fact"]["target"]), (200, &json!("Acme")), "{why}");
    let source = &why["sources"][0];
    assert_eq!(
        (&source["artifact_id"], &source["title"], &source["kind"]),
        (&json!(1), &json!("Monday"), &json!("knowledge"))
    );
    let words = source["raw_text"].as_str().expect("the words");
    assert_eq!(source["span"], json!({"start": 11, "end": 11 + words.len()}), "{why}");
    assert_eq!(why["sources"][1]["title"], "Friday");
    let events: Vec<_> = why["events"].as_array().expect("events").iter().map(|event| &event["event"]).collect();
    assert_eq!(events, ["created", "confirmed", "invalidated"]);
    let dir = TempDir::new().expect("a directory");
    let told = run(dir.path(), &["why", "1", "--server", &server.url]);
    assert_eq!((told.code, &*told.stderr), (0, ""));
    // Every line of the history begins with its time.
    let stable: Vec<_> = told
        .stdout
        .lines()
        .map(|line| line.split_once("  ").filter(|(time, _)| time.starts_with("20")).map_or(line, |(_, rest)| rest))
        .collect();
    insta::assert_snapshot!("why", stable.join("\n"));
    assert_eq!(run(dir.path(), &["why", "1", "--json", "--server", &server.url]).json(), why);
}

#[test]
fn a_session_and_models_are_given_on_the_command_line() {
    let dir = TempDir::new().expect("a directory");
    assert_eq!(run(dir.path(), &["remember", "Rui lives in Porto.", "--session-id", "s"]).code, 0);
    let asked = run(dir.path(), &["query", "Where does Rui live?", "--session", "s", "--json"]).json();
    let id = asked["run_id"].to_string();
    let logged = run(dir.path(), &["run", "show", &id, "--json"]).json();
    assert_eq!((&logged["session_id"], &logged["kind"]), (&json!("s"), &json!("query")));
    let of_session = run(dir.path(), &["run", "list", "--session", "s", "--json"]).json();
    assert_eq!(ids(&of_session), [2, 1]);
    let bad = run(dir.path(), &["query", "x", "--model", "query"]);
    assert_eq!(bad.code, 2, "{bad:?}");
}
