//! A language model that answers at once: what is left is what the memory does around it.

use async_trait::async_trait;
use gligabao::llm::{Answer, Completion, LanguageModel, ModelCall, Prompt};
use serde_json::{Value, json};

/// Reads the texts of this bench, and never finds that facts repeat or contradict each other.
pub(crate) struct AtOnce;

#[async_trait]
impl LanguageModel for AtOnce {
    async fn complete(&self, prompt: &Prompt) -> Answer {
        let document: Value = serde_json::from_str(&prompt.document).expect("a document is JSON");
        let text = match prompt.stage.as_str() {
            "extract_graph" => graph(document["text"].as_str().expect("there is a text")),
            _ => json!({ "duplicates": [], "contradictions": [] }),
        };
        let completion = Completion { text: text.to_string(), model: "at-once".to_owned() };
        Answer { result: Ok(completion), call: ModelCall::new(&prompt.stage, "at-once", "here") }
    }
}

/// Of `Subject 1 joined Company 2 in June 2024 and lives in Town 2.` a fact that its relation settles, and one that a
/// model is asked about.
fn graph(text: &str) -> Value {
    let words: Vec<&str> = text.split(' ').collect();
    let name = |at: usize| format!("{} {}", words[at], words[at + 1].trim_end_matches('.'));
    let (subject, company, town) = (name(0), name(3), name(words.len() - 2));
    let entity = |name: &str, r#type: &str| json!({ "name": name, "type": r#type, "description": "" });
    let edge = |relation: &str, target: &str, valid_at: Option<&str>| {
        let description = format!("{subject} {relation} {target}.");
        json!({
            "source": subject, "relation": relation, "target": target, "description": description,
            "valid_at": valid_at, "invalid_at": null,
        })
    };
    json!({
        "entities": [entity(&subject, "person"), entity(&company, "company"), entity(&town, "city")],
        "edges": [edge("works_at", &company, Some("2024-06")), edge("moved_near", &town, None)],
    })
}
