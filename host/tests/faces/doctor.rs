//! `gligabao doctor`: what it finds, and what it says to do.

use std::path::Path;

use gligabao_tests::stand_in::{Reply, StandIn};
use serde_json::Value;
use tempfile::TempDir;

use crate::running::{Finished, gligabao, run};

fn directory() -> TempDir {
    TempDir::new().expect("a directory")
}

/// What it shows, without what differs from run to run.
fn shown(found: &Finished, dir: &Path, stand_in: &StandIn) -> String {
    let cache = env!("CARGO_TARGET_TMPDIR");
    let text = found.stdout.replace(cache, "CACHE").replace(&stand_in.host(), "HOST");
    let text = text.replace(&dir.display().to_string(), "DIR");
    let lines = text.lines().map(|line| match line.rsplit_once(", after ") {
        Some((before, _)) => format!("{before}, after … s"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n" + &found.stderr
}

#[test]
fn a_memory_that_is_well_is_all_ticks() {
    let (dir, stand_in) = (directory(), StandIn::start());
    assert_eq!(run(dir.path(), &["remember", "Rui lives in Porto."]).code, 0);
    let patterns = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/patterns");
    std::fs::create_dir(dir.path().join("prompts")).expect("a directory");
    std::fs::write(dir.path().join("prompts/query.md"), "Be brief.").expect("written");
    let url = stand_in.openai();
    let args = ["doctor", "--llm-url", &url, "--llm-model", "small", "--patterns", patterns, "--prompts", "prompts"];
    let found = run(dir.path(), &args);
    assert_eq!(found.code, 0, "{found:?}");
    insta::assert_snapshot!("doctor_well", shown(&found, dir.path(), &stand_in));
    let asked = stand_in.asked().pop().expect("it was asked");
    assert_eq!(
        (&asked.document["facts"], &asked.schema.expect("a schema")["required"][0]),
        (&Value::Array(Vec::new()), &"answer".into())
    );
}

#[test]
fn a_memory_without_a_model_or_a_database_is_well_and_left_alone() {
    let dir = directory();
    let found = run(dir.path(), &["doctor", "--json"]).json();
    assert_eq!(found["ok"], true, "{found}");
    let last = found["checks"].as_array().and_then(|checks| checks.last()).expect("there are checks");
    assert_eq!((&last["check"], &last["status"]), (&"llm".into(), &"skipped".into()));
    assert_eq!(dir.path().read_dir().expect("readable").count(), 0, "it makes nothing");
}

#[test]
fn what_is_wrong_is_crossed_with_what_to_do() {
    let (dir, stand_in) = (directory(), StandIn::start());
    std::fs::write(dir.path().join("bad.db"), "no database".repeat(500)).expect("written");
    std::fs::create_dir(dir.path().join("empty")).expect("a directory");
    let url = stand_in.openai();
    let args = [
        "doctor",
        "--db",
        "bad.db",
        "--patterns",
        "empty",
        "--prompts",
        "empty",
        "--llm-url",
        &url,
        "--llm-model",
        "small",
        "--llm-key-env",
        "NO_SUCH_KEY",
    ];
    let found = run(dir.path(), &args);
    assert_eq!(found.code, 1, "{found:?}");
    insta::assert_snapshot!("doctor_ill", shown(&found, dir.path(), &stand_in));
    assert!(stand_in.asked().is_empty(), "it is not asked without its key");
}

#[test]
fn a_model_is_asked_and_its_fault_named() {
    let (dir, stand_in) = (directory(), StandIn::start());
    let url = stand_in.openai();
    let model = ["doctor", "--json", "--llm-model", "small", "--llm-timeout", "1", "--llm-url"];
    let fault = |url: &str, reply: Option<Reply>| {
        if let Some(reply) = reply {
            stand_in.queue("query", reply);
        }
        let found: Finished = gligabao(dir.path()).args(model).arg(url).output().expect("it runs").into();
        assert_eq!(found.code, 1, "{found:?}");
        let report: Value = serde_json::from_str(&found.stdout).expect("JSON");
        let checks = report["checks"].as_array().expect("checks").clone();
        let failed: Vec<_> = checks.into_iter().filter(|check| check["status"] == "failed").collect();
        assert_eq!((failed.len(), &report["ok"]), (1, &Value::Bool(false)), "{failed:?}");
        let text = |key: &str| failed[0][key].as_str().unwrap_or_default().to_owned();
        (text("check"), text("message").replace(&stand_in.host(), "HOST"), text("fix"))
    };
    for (url, reply, check, message, fix) in [
        (&*url, Some(Reply::status(401, "no")), "llm.model", "HOST answers 401 for small: no", "look at the key"),
        (
            &url,
            Some(Reply::status(404, "no small")),
            "llm.model",
            "HOST answers 404 for small: no small",
            "look at llm.url",
        ),
        (
            &url,
            Some(Reply::text("Nobody.")),
            "llm.model",
            "small answers, but not as the schema says",
            "choose a model",
        ),
        (
            &url,
            Some(Reply::Raw("<html>".to_owned())),
            "llm.model",
            "HOST does not answer as the openai API does",
            "look at",
        ),
        (&url, Some(Reply::Silence), "llm.model", "HOST did not answer within 1 s", "if the model needs longer"),
        ("http://127.0.0.1:1/v1", None, "llm.model", "127.0.0.1:1 can't be reached", ""),
        ("127.0.0.1:1", None, "llm.url", "llm.url: \"127.0.0.1:1\" is no address", "give the base URL"),
        ("https://llm.example.com", None, "llm.consent", "the language model at llm.example.com is not on", "agree"),
    ] {
        let found = fault(url, reply);
        assert!(found.0 == check && found.1.starts_with(message) && found.2.starts_with(fix), "{url}: {found:?}");
    }
    let wrong = run(dir.path(), &["doctor", "--config", "nowhere.toml"]);
    assert!(wrong.code == 1 && wrong.stdout.starts_with("✗ configuration  can't read"), "{wrong:?}");
}
