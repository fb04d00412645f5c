//! What calls of models cost, and what is asked twice.

use gligabao_tests::stand_in::Reply;
use serde_json::{Value, json};

use super::{Memory, each};
use crate::running::run;

#[tokio::test]
async fn an_answer_that_is_no_use_is_asked_for_again_with_what_was_wrong() {
    for api in ["openai", "anthropic"] {
        let memory = Memory::of(api, &[]);
        memory.tell("Alice consults_for Acme since 2023.").await;
        for stage in ["extract_graph", "resolve_edges", "query"] {
            memory.model.queue(stage, Reply::text("Sorry?"));
        }
        let told = memory.tell("Alice consults_for Globex since 2024-03.").await;
        assert_eq!((&told["llm"]["calls"], &told["invalidated_edges"]), (&json!(4), &json!([1])), "{api}: {told}");
        let answer = memory.ask("Whom does Alice consult for?", json!({})).await;
        assert_eq!((&answer["mode"], &answer["llm"]["calls"]), (&json!("llm"), &json!(2)), "{api}: {answer}");
        let asked = memory.model.asked();
        assert_eq!(asked.len(), 7);
        for pair in asked[1..].chunks(2) {
            let [mut first, mut second] = [0, 1].map(|place| pair[place].document.clone());
            let wrong = second.as_object_mut().and_then(|document| document.remove("previous_error"));
            assert_eq!(wrong, Some(json!("there is no whole JSON object in the answer")), "{api}");
            assert_eq!(first.as_object_mut().and_then(|document| document.remove("previous_error")), None);
            assert_eq!((first, &pair[0].system), (second, &pair[1].system), "{api}: it is a call of its own");
            assert_eq!(
                pair[1].body["messages"].as_array().map(Vec::len),
                pair[0].body["messages"].as_array().map(Vec::len)
            );
        }
    }
}

#[tokio::test]
async fn what_passes_is_asked_again_and_counts_once() {
    let memory = Memory::start(&["--llm-prices", "small=1/20"]);
    memory.model.queue("extract_graph", Reply::status(503, "loading"));
    let told = memory.tell("Alice consults_for Acme since 2023.").await;
    let cost = |llm: &Value| (llm["cost_usd"].as_f64().expect("a number") * 1e6).round();
    assert_eq!((&told["llm"]["calls"], cost(&told["llm"])), (&json!(1), 300.0), "{told}");
    let run = memory.run("u", &told["run_id"]).await;
    let calls = &run["stages"][0]["model_calls"];
    assert_eq!((each(calls, "attempts"), each(calls, "model")), (vec![&json!(2)], vec![&json!("small")]), "{run}");
    assert_eq!(cost(&run["llm"]), 300.0);
    assert_eq!(memory.stages(), ["extract_graph"; 2]);
}

#[test]
fn the_command_line_asks_the_model_as_a_server_does() {
    let memory = Memory::start(&[]);
    let url = memory.model.openai();
    let options = ["--json", "--db", "mine.db", "--llm-url", &url, "--llm-model", "small"];
    let command = |args: &[&str]| run(memory.dir.path(), &[args, &options].concat()).json();
    let told = ["Alice consults_for Acme since 2023.", "Alice consults_for Globex since 2024-03."]
        .map(|text| command(&["remember", text]));
    assert_eq!((&told[0]["llm"]["calls"], &told[1]["llm"]["calls"]), (&json!(1), &json!(2)), "{told:?}");
    assert_eq!(told[1]["invalidated_edges"], json!([1]));
    let answer = command(&["query", "Whom does Alice consult for?", "--model", "query=large"]);
    assert_eq!((&answer["mode"], &answer["llm"]["calls"]), (&json!("llm"), &json!(1)), "{answer}");
    assert_eq!(memory.last().model, "large");
    memory.model.queue("query", Reply::status(401, "who are you?"));
    let refused = run(memory.dir.path(), &[&["query", "What of Alice?", "--db", "mine.db"], &options[3..]].concat());
    let words = "error: query: the model refuses (";
    assert!(refused.code == 1 && refused.stderr.starts_with(words), "{refused:?}");
    assert_eq!(refused.stderr.lines().count(), 1, "{refused:?}");
}
