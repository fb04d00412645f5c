//! The memory with a language model, over its HTTP API: the model says what a script has it say.

mod answers;
mod bad_answers;
#[cfg(target_os = "linux")]
mod bounded;
mod costs;
mod facts;
mod hidden;
mod interrupted;
mod questions;
mod together;

use gligabao_tests::stand_in::{Asked, Reply, StandIn};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::running::Server;

/// A server that asks a stand-in.
struct Memory {
    server: Server,
    model: StandIn,
    dir: TempDir,
}

impl Memory {
    /// With the API of OpenAI, and these options besides.
    fn start(options: &[&str]) -> Self {
        Self::of("openai", options)
    }

    fn of(api: &str, options: &[&str]) -> Self {
        let (dir, model) = (TempDir::new().expect("a directory"), StandIn::start());
        model.answer("extract_graph", sentences);
        model.answer("resolve_edges", one_at_a_time);
        model.answer("query", the_last);
        let url = if api == "openai" { model.openai() } else { model.anthropic() };
        let server = Server::with(
            &dir.path().join("test.db"),
            &[&["--llm-url", &url, "--llm-api", api, "--llm-model", "small"], options].concat(),
        );
        Self { server, model, dir }
    }

    /// Tells `main` of a user a text, with more keys in the request; status and answer.
    async fn told(&self, user: &str, text: &str, more: Value) -> (u16, Value) {
        let mut body = json!({"user_id": user, "text": text, "reference_time": "2024-06-10"});
        merge(&mut body, more);
        self.server.post("/v1/gb/remember", body).await
    }

    /// Tells `main` of `u` a text that must be fine.
    async fn tell(&self, text: &str) -> Value {
        let (status, answer) = self.told("u", text, json!({})).await;
        assert_eq!(status, 200, "{text}: {answer}");
        answer
    }

    /// Asks `main` of `u` a question that must be fine.
    async fn ask(&self, question: &str, more: Value) -> Value {
        let mut body = json!({"user_id": "u", "question": question});
        merge(&mut body, more);
        let (status, answer) = self.server.post("/v1/gb/query", body).await;
        assert_eq!(status, 200, "{question}: {answer}");
        answer
    }

    /// Facts of `main` of `u`, with more parameters.
    async fn facts(&self, more: &str) -> Vec<Value> {
        let (status, answer) = self.server.get(&format!("/v1/gb/facts?user_id=u&limit=1000{more}")).await;
        assert_eq!(status, 200, "{answer}");
        answer["facts"].as_array().expect("facts").clone()
    }

    /// How many artifacts, entities and facts `main` of a user has.
    async fn counts(&self, user: &str) -> [u64; 3] {
        let (_, dataset) = self.server.get(&format!("/v1/gb/datasets/main?user_id={user}")).await;
        ["artifacts", "entities", "edges"].map(|kind| dataset["counts"][kind].as_u64().expect("a number"))
    }

    /// How many calls `main` of a user has seen, and which of them changed it last.
    async fn versions(&self, user: &str) -> [u64; 2] {
        let (_, dataset) = self.server.get(&format!("/v1/gb/datasets/main?user_id={user}")).await;
        ["seq", "version"].map(|key| dataset[key].as_u64().expect("a number"))
    }

    async fn run(&self, user: &str, id: &Value) -> Value {
        let (status, run) = self.server.get(&format!("/v1/gb/runs/{id}?user_id={user}")).await;
        assert_eq!(status, 200, "{run}");
        run
    }

    /// The stages that the stand-in was asked.
    fn stages(&self) -> Vec<String> {
        self.model.asked().into_iter().map(|asked| asked.stage).collect()
    }

    /// What it was asked last.
    fn last(&self) -> Asked {
        self.model.asked().pop().expect("it was asked")
    }
}

fn merge(body: &mut Value, more: Value) {
    let Value::Object(more) = more else { panic!("{more} is no object") };
    body.as_object_mut().expect("an object").extend(more);
}

/// Values of a key in a list.
fn each<'a>(list: &'a Value, key: &str) -> Vec<&'a Value> {
    list.as_array().expect("a list").iter().map(|item| &item[key]).collect()
}

fn answer(document: &Value) -> Reply {
    Reply::json(document)
}

/// Reads `Alice leads Atlas since 2023 until 2024-03.` word by word.
fn sentences(asked: &Asked) -> Reply {
    let text = asked.document["text"].as_str().expect("a text");
    let edges: Vec<_> = text.split('.').filter_map(edge).collect();
    answer(&json!({"entities": [], "edges": edges}))
}

fn edge(sentence: &str) -> Option<Value> {
    let words: Vec<_> = sentence.split_whitespace().collect();
    let [source, relation, target, rest @ ..] = words.as_slice() else { return None };
    let date = |word| rest.iter().position(|found| *found == word).and_then(|place| rest.get(place + 1));
    Some(json!({
        "source": source, "relation": relation, "target": target, "description": format!("{source} {relation} {target}"),
        "valid_at": date("since"), "invalid_at": date("until"),
    }))
}

/// A thing has one target of each relation at a time.
fn one_at_a_time(asked: &Asked) -> Reply {
    let facts = |key: &str| asked.document[key].as_array().expect("facts").clone();
    let (new, existing) = (facts("new"), facts("existing"));
    let pairs = new.iter().flat_map(|new| existing.iter().map(move |old| (new, old)));
    let contradict = |new: &Value, old: &Value| {
        ["source", "relation"].iter().all(|key| new[key] == old[key]) && new["target"] != old["target"]
    };
    let pairs = pairs.filter(|(new, old)| contradict(new, old));
    let pairs: Vec<_> = pairs.map(|(new, old)| json!({"new": new["index"], "existing": old["id"]})).collect();
    answer(&json!({"duplicates": [], "contradictions": pairs}))
}

/// Uses the last fact that it is shown.
fn the_last(asked: &Asked) -> Reply {
    let last = asked.document["facts"].as_array().and_then(|facts| facts.last()).map(|fact| &fact["id"]);
    let used: Vec<_> = last.into_iter().collect();
    answer(&json!({"answer": format!("After {}.", asked.document["question"]), "used": used}))
}
