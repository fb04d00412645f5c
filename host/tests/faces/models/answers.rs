//! Answers of every bad kind, and of some that are usable in part.

use std::time::Duration;

use gligabao_tests::stand_in::Reply;
use serde_json::{Value, json};

/// The stages that ask a model.
pub(super) const STAGES: [&str; 3] = ["extract_graph", "resolve_edges", "query"];

/// More than any answer may have.
pub(super) const FLOOD: u64 = 100_000_000;

/// Kinds of answers after which a call has failed, whatever the stage.
pub(super) const UNUSABLE: [&str; 21] = [
    "nothing",
    "words",
    "garbage",
    "half JSON",
    "wrong types",
    "wrong types inside",
    "NaN",
    "a key too few",
    "deep nesting",
    "over 1 MiB",
    "half a body",
    "another API",
    "declined",
    "100 MB",
    "silence",
    "a byte at a time",
    "429",
    "500",
    "401",
    "404",
    "a redirect",
];

/// Kinds of answers that are usable in part, or look so, with the stages that may give them.
pub(super) const IN_PART: [(&str, &[&str]); 6] = [
    ("20,000 of them", &STAGES),
    ("empty lists", &STAGES),
    ("unknown IDs", &["resolve_edges", "query"]),
    ("one pair as both", &["resolve_edges"]),
    ("fenced, with a comma", &STAGES),
    ("more keys", &STAGES),
];

/// How a kind answers; `None` when there is no such kind.
pub(super) fn reply(kind: &str, stage: &str) -> Option<Reply> {
    let text = |text: &str| Reply::text(text.to_owned());
    Some(match kind {
        "nothing" => text(""),
        "words" => text("I am sorry, I can't help with that."),
        "garbage" => text("\u{fffd}\u{0}\u{1}%PDF-1.4 \u{202e}}{]["),
        "half JSON" => text(r#"{"entities": [{"name": "Al"#),
        "wrong types" => text(
            r#"{"entities": 1, "edges": "2", "duplicates": 3, "contradictions": {"new": "0"}, "answer": 5, "used": 6}"#,
        ),
        "wrong types inside" => text(
            r#"{"entities": [{"name": 1}], "edges": [], "duplicates": [{"new": "zero", "existing": true}],
                "contradictions": [], "answer": ["x"], "used": ["one"]}"#,
        ),
        "NaN" => text(
            r#"{"entities": NaN, "edges": [], "duplicates": [{"new": NaN, "existing": 1}], "contradictions": [],
                "answer": NaN, "used": []}"#,
        ),
        "a key too few" => text(r#"{"entities": [], "duplicates": [], "used": []}"#),
        "deep nesting" => Reply::text("[".repeat(500_000) + &"]".repeat(500_000)),
        "over 1 MiB" => Reply::text(with(stage, "answer", &json!("x".repeat(1 << 20)))),
        "half a body" => Reply::Half,
        "another API" => Reply::Raw("<html><h1>Welcome</h1></html>".to_owned()),
        "declined" => {
            let message = json!({"role": "assistant", "content": null, "refusal": "I must not."});
            Reply::Raw(json!({"choices": [{"index": 0, "message": message}]}).to_string())
        }
        "100 MB" => Reply::Flood(FLOOD),
        "silence" => Reply::Silence,
        "a byte at a time" => Reply::Drip(Duration::from_millis(50)),
        "almost 4 MiB" => Reply::text("x".repeat((4 << 20) - 1_000)),
        "429" => Reply::limited(&7),
        "429 without a time" => Reply::status(429, "too many questions"),
        "500" => Reply::status(500, "out of order"),
        "401" => Reply::status(401, "who are you?"),
        "404" => Reply::status(404, "there is no such model"),
        "a redirect" => Reply::Redirect("http://192.0.2.1/elsewhere".to_owned()),
        "20,000 of them" => Reply::text(many(stage)),
        "empty lists" => Reply::json(&json!({
            "entities": [], "edges": [], "duplicates": [], "contradictions": [], "answer": "", "used": [],
        })),
        "unknown IDs" => Reply::json(&json!({
            "duplicates": [{"new": 0, "existing": 77}, {"new": 9, "existing": 1}, {"new": 0.5, "existing": 1}],
            "contradictions": [{"new": 0, "existing": u64::MAX}, {"new": -1, "existing": 1}],
            "answer": "It is so.", "used": [77, 0, -1, 1.5, u64::MAX],
        })),
        "one pair as both" => {
            let pair = json!([{"new": 0, "existing": 1}]);
            Reply::json(&json!({"duplicates": pair, "contradictions": pair}))
        }
        "fenced, with a comma" => {
            Reply::text(format!("Sure!\n```json\n{},\n}}\n```\nMore?", usable(stage).trim_end_matches('}')))
        }
        "more keys" => Reply::text(with(stage, "sql", &json!("drop everything"))),
        _ => return None,
    })
}

/// An answer that is fine: a fact, no pairs, and the first fact used.
fn usable(stage: &str) -> String {
    let answer = match stage {
        "extract_graph" => {
            json!({"entities": [], "edges": [{"source": "Alice", "relation": "leads", "target": "Zephyr"}]})
        }
        "resolve_edges" => json!({"duplicates": [], "contradictions": []}),
        _ => json!({"answer": "Atlas.", "used": [1]}),
    };
    answer.to_string()
}

/// The same with one more key.
fn with(stage: &str, key: &str, value: &Value) -> String {
    format!("{{{:?}: {value}, {}", key, &usable(stage)[1..])
}

/// As many items as fit in what is read of an answer.
fn many(stage: &str) -> String {
    let list = |item: &dyn Fn(usize) -> String| (0..20_000).map(item).collect::<Vec<_>>().join(",");
    match stage {
        "extract_graph" => {
            let edges = list(&|n| format!(r#"{{"source":"S{n}","relation":"r","target":"T{n}"}}"#));
            format!(r#"{{"entities":[],"edges":[{edges}]}}"#)
        }
        "resolve_edges" => {
            let pairs = list(&|n| format!(r#"{{"new":{n},"existing":1}}"#));
            format!(r#"{{"duplicates":[],"contradictions":[{pairs}]}}"#)
        }
        _ => format!(r#"{{"answer":"All of them.","used":[{}]}}"#, list(&|n| n.to_string())),
    }
}
