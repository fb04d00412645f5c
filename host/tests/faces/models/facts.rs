//! Facts by a model: what it is asked, how often, and what becomes of its answers.

use serde_json::{Value, json};

use super::{Memory, each};

fn targets(facts: &[Value]) -> Vec<&str> {
    facts.iter().map(|fact| fact["target"].as_str().expect("an entity")).collect()
}

/// What calls took at a stand-in, which counts 100 and 10 tokens an answer.
fn llm(calls: u64) -> Value {
    json!({"calls": calls, "tokens_in": 100 * calls, "tokens_out": 10 * calls})
}

#[tokio::test]
async fn a_text_costs_one_call_or_two_and_its_news_close_what_they_contradict() {
    let two = &["extract_graph", "resolve_edges"][..];
    for (api, path, relation, second) in [
        ("openai", "/openai/v1/chat/completions", "consults_for", two),
        ("anthropic", "/anthropic/v1/messages", "consults_for", two),
        // This one has a rule, which needs no model.
        ("openai", "/openai/v1/chat/completions", "works_at", &two[..1]),
    ] {
        let memory = Memory::of(api, &[]);
        let first = memory.tell(&format!("Alice {relation} Acme since 2023.")).await;
        assert_eq!((&first["llm"], &first["invalidated_edges"]), (&llm(1), &json!([])), "{api} {relation}");
        assert_eq!((memory.stages(), memory.last().path), (vec![two[0].to_owned()], path.to_owned()));
        let later = memory.tell(&format!("Alice {relation} Globex since 2024-03.")).await;
        assert_eq!(later["llm"], llm(second.len() as u64), "{api} {relation}");
        assert_eq!(memory.stages()[1..], *second, "{api} {relation}");
        assert_eq!(later["invalidated_edges"], json!([1]), "{api} {relation}: {later}");
        assert_eq!((&later["edges"][0]["outcome"], &later["edges"][0]["id"]), (&json!("created"), &json!(2)));

        for (times, expected) in [
            ("", &["Globex"][..]),
            ("&at=2023-06-15", &["Acme"]),
            ("&known_at=1", &["Acme"]),
            ("&at=2023-06-15&known_at=1", &["Acme"]),
            ("&at=2024-06-15&known_at=2", &["Globex"]),
            ("&at=2022-06-15", &[]),
        ] {
            assert_eq!(targets(&memory.facts(times).await), expected, "{api} {relation}{times}");
        }
        let before = &memory.facts("&known_at=1").await[0];
        let after = &memory.facts("&at=2023-06-15").await[0];
        assert_eq!((&before["invalid_at"], &before["expired_at"]), (&Value::Null, &Value::Null));
        assert_eq!((&after["invalid_at"], &after["superseded"]), (&json!("2024-03-01T00:00:00Z"), &json!(true)));
        assert!(after["expired_at"].is_string(), "{after}");

        let run = memory.run("u", &later["run_id"]).await;
        assert_eq!((&run["status"], &run["llm"]), (&json!("done"), &later["llm"]));
        let asking = run["stages"].as_array().expect("stages").iter();
        let asking = asking.filter(|stage| stage["model_calls"] != json!([])).map(|stage| &stage["name"]);
        assert_eq!(asking.collect::<Vec<_>>(), second, "{run}");
        assert_eq!(run["stages"][0]["model_calls"][0]["provider"], memory.model.host());
    }
}

#[tokio::test]
async fn late_news_end_where_what_is_known_begins() {
    for (relation, calls) in [("consults_for", 2), ("works_at", 1)] {
        let memory = Memory::start(&[]);
        memory.tell(&format!("Alice {relation} Globex since 2024-03.")).await;
        let late = memory.tell(&format!("Alice {relation} Acme since 2023.")).await;
        assert_eq!((&late["invalidated_edges"], &late["llm"]), (&json!([2]), &llm(calls)), "{relation}");
        let fact = &late["edges"][0];
        assert_eq!(
            (&fact["outcome"], &fact["superseded"], &fact["invalid_at"]),
            (&json!("superseded"), &json!(true), &json!("2024-03-01T00:00:00Z")),
            "{relation}"
        );
        assert_eq!(targets(&memory.facts("").await), ["Globex"]);
        assert_eq!(targets(&memory.facts("&at=2023-06-15").await), ["Acme"]);
        let (_, edge) = memory.server.get("/v1/gb/edges/2?user_id=u").await;
        assert_eq!(each(&edge["events"], "event"), ["created", "superseded"], "{relation}");
        let (_, timeline) = memory.server.get("/v1/gb/timeline?user_id=u&entity=Alice").await;
        let closed_by = &timeline["facts"][0]["closed_by"];
        assert_eq!((&closed_by["event"], &closed_by["edge_id"]), (&json!("superseded"), &json!(1)), "{timeline}");
        let (_, edge) = memory.server.get("/v1/gb/edges/1?user_id=u").await;
        assert_eq!(each(&edge["events"], "event"), ["created"], "{relation}");
    }
}

#[tokio::test]
async fn patterns_join_a_model_and_the_model_s_words_stay() {
    let memory = Memory::start(&[]);
    let edge = |relation: &str, target: &str| json!({"source": "Anna Weber", "relation": relation, "target": target});
    memory.model.answer("extract_graph", move |_| {
        super::answer(&json!({"entities": [], "edges": [edge("lives in", "Berlin"), edge("leads", "Atlas")]}))
    });
    let text = "Anna Weber lives in Berlin. Anna Weber works at Acme. Anna Weber is the head of Atlas.";
    for (user, extractor, calls, expected) in [
        ("l", "llm", 1, &[("lives_in", 0.7), ("leads", 0.7)][..]),
        ("b", "both", 1, &[("lives_in", 0.7), ("leads", 0.7), ("works_at", 0.5)]),
        ("p", "pattern", 0, &[("lives_in", 0.5), ("leads", 0.5), ("works_at", 0.5)]),
        ("o", "off", 0, &[]),
    ] {
        let (status, told) = memory.told(user, text, json!({"extractor": extractor})).await;
        assert_eq!((status, &told["llm"]["calls"].as_u64().unwrap_or(0)), (200, &calls), "{extractor}: {told}");
        let found = told["edges"].as_array().expect("edges").iter();
        let found = found.map(|edge| (edge["relation"].as_str().expect("a name"), &edge["confidence"]));
        let mut found: Vec<_> =
            found.map(|(name, confidence)| (name, confidence.as_f64().expect("a number"))).collect();
        let mut expected = expected.to_vec();
        found.sort_by_key(|(name, _)| *name);
        expected.sort_by_key(|(name, _)| *name);
        assert_eq!(found, expected, "{extractor}");
    }
}

#[tokio::test]
async fn a_document_has_what_is_known_and_goes_to_the_model_of_its_stage() {
    let memory = Memory::start(&["--llm-models", "query=wise"]);
    memory.tell("Alice consults_for Acme since 2023. Bob owns Boat.").await;
    let more = json!({
        "models": {"extract_graph": "fast", "resolve_edges": "slow"}, "speaker": "Carol", "timezone": "Europe/Lisbon",
    });
    let (status, told) = memory.told("u", "Alice consults_for Globex since 2024-03.", more).await;
    assert_eq!(status, 200, "{told}");
    memory.ask("What of Alice?", json!({})).await;
    memory.ask("What of Alice?", json!({"models": {"query": "wiser"}})).await;
    let asked = memory.model.asked();
    let models: Vec<_> = asked.iter().map(|asked| (&*asked.stage, &*asked.model)).collect();
    let (extract, resolve) = ("extract_graph", "resolve_edges");
    assert_eq!(
        models,
        [(extract, "small"), (extract, "fast"), (resolve, "slow"), ("query", "wise"), ("query", "wiser")]
    );
    let known = &asked[1].document;
    assert_eq!((&known["known_entities"], &known["speaker"]), (&json!(["Alice"]), &json!("Carol")), "{known}");
    assert_eq!(
        (&known["timezone"], &known["reference_time"]),
        (&json!("Europe/Lisbon"), &json!("2024-06-10T00:00:00Z"))
    );
    let relations = known["known_relations"].as_array().expect("relations");
    assert!(relations.contains(&json!("consults_for")) && relations.contains(&json!("owns")), "{known}");
    assert_eq!(asked[0].document["known_entities"], json!([]));
    let (new, existing) = (&asked[2].document["new"], &asked[2].document["existing"]);
    assert_eq!(each(new, "target"), ["Globex"]);
    assert_eq!(each(existing, "target"), ["Acme"]);
    let run = memory.run("u", &told["run_id"]).await;
    let calls: Vec<_> =
        each(&run["stages"], "model_calls").into_iter().flat_map(|calls| each(calls, "model")).collect();
    assert_eq!(calls, ["fast", "slow"]);
}

#[tokio::test]
async fn a_dry_run_asks_and_says_the_same_and_stores_nothing() {
    let memory = Memory::start(&[]);
    memory.tell("Alice consults_for Acme since 2023.").await;
    let before = memory.counts("u").await;
    let text = "Alice consults_for Globex since 2024-03. Alice knows Bob.";
    let (status, tried) = memory.told("u", text, json!({"dry_run": true})).await;
    assert_eq!((status, &tried["llm"], tried.get("run_id")), (200, &llm(2), None), "{tried}");
    assert_eq!(memory.counts("u").await, before);
    let (_, runs) = memory.server.get("/v1/gb/runs?user_id=u").await;
    assert_eq!(each(&runs["runs"], "run_id"), [&json!(1)]);
    let told = memory.tell(text).await;
    let times = ["created_at", "expired_at"];
    let timeless = |mut answer: Value| {
        for edge in answer["edges"].as_array_mut().expect("edges") {
            edge.as_object_mut().expect("an edge").retain(|key, _| !times.contains(&&**key));
        }
        answer.as_object_mut().expect("an answer").retain(|key, _| key != "run_id" && key != "dry_run");
        answer
    };
    assert_eq!(timeless(tried), timeless(told));
    assert_eq!(memory.stages()[1..], ["extract_graph", "resolve_edges", "extract_graph", "resolve_edges"]);
}
