//! Questions that a model answers: what it is shown, and what is kept of it.

use gligabao_tests::stand_in::Reply;
use serde_json::{Value, json};

use super::{Memory, each};

/// Alice consulted for Acme and does for Globex, and knows Bob.
async fn company(memory: &Memory) {
    memory.tell("Alice consults_for Acme since 2020.").await;
    memory.tell("Alice consults_for Globex since 2024-03. Alice knows Bob since 2022.").await;
}

#[tokio::test]
async fn what_the_model_used_comes_first_and_superseded_facts_are_marked() {
    for api in ["openai", "anthropic"] {
        let memory = Memory::of(api, &[]);
        company(&memory).await;
        memory.model.answer("query", |_| super::answer(&json!({"answer": "At Acme.", "used": [1, 99, 1]})));
        let answer = memory.ask("Whom did Alice consult for before?", json!({})).await;
        assert_eq!((&answer["answer"], &answer["mode"]), (&json!("At Acme."), &json!("llm")), "{api}: {answer}");
        assert_eq!(answer["used"], json!([1]), "what was not shown or is there twice is dropped");
        assert_eq!(answer["llm"], json!({"calls": 1, "tokens_in": 100, "tokens_out": 10}));
        assert_eq!(each(&answer["evidence"], "id")[0], 1, "{answer}");
        assert_eq!(answer["evidence"][0]["superseded"], true);
        let asked = memory.last();
        let facts = asked.document["facts"].as_array().expect("facts");
        assert_eq!(facts.len(), 3);
        for fact in facts {
            assert_eq!(fact["superseded"], fact["id"] == 1, "{fact}");
            assert_eq!(fact.get("invalid_at").is_some(), fact["id"] == 1, "{fact}");
        }
        assert_eq!(asked.document["question"], "Whom did Alice consult for before?");
        assert!(!asked.system.contains("Alice"), "{}", asked.system);
        let run = memory.run("u", &answer["run_id"]).await;
        assert_eq!((&run["status"], each(&run["stages"], "name")), (&json!("done"), vec![&json!("query")]));
        assert_eq!(run["stages"][0]["model_calls"].as_array().map(Vec::len), Some(1));
    }
}

#[tokio::test]
async fn a_session_s_questions_and_answers_go_along_in_order() {
    let memory = Memory::start(&[]);
    company(&memory).await;
    let ask = async |question: &str, session: &str, log: bool| {
        memory.ask(question, json!({"session_id": session, "log": log})).await;
        memory.last().document["history"].clone()
    };
    assert_eq!(ask("What of Alice?", "s", true).await, json!([]));
    let first = json!({"question": "What of Alice?", "answer": "After \"What of Alice?\"."});
    assert_eq!(ask("And before?", "s", true).await, json!([first]));
    assert_eq!(ask("And of Bob?", "another", true).await, json!([]));
    let both = ask("And after that?", "s", false).await;
    assert_eq!(each(&both, "question"), ["What of Alice?", "And before?"]);
    assert_eq!(ask("And then?", "s", true).await, both, "what is not logged is in no session");
    for number in 0..10 {
        ask(&format!("Question {number}?"), "s", true).await;
    }
    let last = ask("The last one?", "s", true).await;
    let expected: Vec<_> = (0..10).map(|number| format!("Question {number}?")).collect();
    assert_eq!(each(&last, "question"), expected.iter().collect::<Vec<_>>());
    let (_, logged) = memory.server.get("/v1/gb/runs?user_id=u&session_id=s&limit=1000").await;
    assert_eq!(logged["runs"].as_array().map(Vec::len), Some(14));
    assert!(!logged.to_string().contains("And after that?"));
}

#[tokio::test]
async fn a_session_goes_on_after_failures_and_endless_answers() {
    let memory = Memory::start(&[]);
    company(&memory).await;
    let ask = async |question: &str| {
        let body = json!({"user_id": "u", "question": question, "session_id": "s"});
        let (status, answer) = memory.server.post("/v1/gb/query", body).await;
        (status, answer, memory.last())
    };
    memory.model.queue("query", Reply::status(401, "who are you?"));
    assert_eq!(ask("What of Alice at first?").await.0, 502);
    for round in 0..12 {
        let long = "\"\\\n".repeat(150_000);
        memory.model.queue("query", Reply::json(&json!({"answer": format!("{round}{long}"), "used": []})));
        let (status, answer, _) = ask("What of Alice?").await;
        assert_eq!(status, 200, "{round}: {}", answer["error"]);
    }
    let (status, answer, asked) = ask("What of Alice in the end?").await;
    assert_eq!(status, 200, "{answer}");
    let history = &asked.document["history"];
    assert_eq!(each(history, "question"), vec!["What of Alice?"; 10], "a question without an answer is none of it");
    assert!(asked.document.to_string().len() < 1 << 20);
}

#[tokio::test]
async fn a_model_sees_what_held_and_was_known_then() {
    let memory = Memory::start(&[]);
    company(&memory).await;
    let seen = async |times: Value| {
        let answer = memory.ask("Whom does Alice consult for?", times).await;
        let document = memory.last().document;
        let facts = document["facts"].as_array().expect("facts").iter();
        let facts = facts.map(|fact| (fact["target"].as_str().expect("a name"), fact["superseded"] == true));
        let mut facts: Vec<_> =
            facts.map(|(target, old)| format!("{target}{}", if old { " old" } else { "" })).collect();
        facts.sort();
        let mut evidence: Vec<_> = each(&answer["evidence"], "target").into_iter().map(Value::to_string).collect();
        evidence.sort();
        let now = document["now"].as_str().expect("a time")[..10].to_owned();
        (now, facts.join(", "), evidence.len())
    };
    let (_, facts, _) = seen(json!({})).await;
    assert_eq!(facts, "Acme old, Bob, Globex");
    let (_, facts, _) = seen(json!({"known_at": 1})).await;
    assert_eq!(facts, "Acme");
    let then = seen(json!({"at": "2021-05-01", "limit": 1})).await;
    assert_eq!(then, ("2021-05-01".to_owned(), "Acme old".to_owned(), 1));
}

#[tokio::test]
async fn the_operator_s_words_go_to_the_model_and_the_others_stay() {
    let memory = Memory::start(&[]);
    company(&memory).await;
    memory.ask("What of Alice?", json!({})).await;
    let built_in = memory.model.asked();
    let prompts = memory.dir.path().join("prompts");
    std::fs::create_dir(&prompts).expect("a directory");
    for stage in ["extract_graph", "query"] {
        std::fs::write(prompts.join(format!("{stage}.md")), format!("The words for {stage}.\n")).expect("written");
    }
    for api in ["openai", "anthropic"] {
        let memory = Memory::of(api, &["--prompts", prompts.to_str().expect("UTF-8")]);
        company(&memory).await;
        memory.ask("What of Alice?", json!({})).await;
        let asked = memory.model.asked();
        assert_eq!(asked.len(), built_in.len());
        for (asked, built_in) in asked.iter().zip(&built_in) {
            let words = match &*asked.stage {
                "resolve_edges" => built_in.system.clone(),
                stage => format!("The words for {stage}."),
            };
            assert_eq!((&asked.stage, &asked.system), (&built_in.stage, &words), "{api}");
            assert_eq!(asked.schema, built_in.schema, "{api}");
        }
    }
}
