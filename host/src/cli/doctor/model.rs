//! Whether the language model is there: its address, consent, its key, and an answer of each model that is named.

use std::collections::BTreeSet;

use gligabao_core::remember::Extractor;
use serde_json::{Value, json};

use super::Check;
use crate::cli::settings::LlmSettings;
use crate::llm::{HttpModel, HttpSettings, LanguageModel, Prompt, SettingsError};

const URL: &str = "llm.url";
const MODEL: &str = "llm.model";
const KEY: &str = "llm.key_env";
const CONSENT: &str = "llm.consent";

/// All that is to be said of the language model.
pub(super) async fn checks(settings: Option<&LlmSettings>, extractor: Option<Extractor>) -> Vec<Check> {
    let Some(settings) = settings else {
        return vec![match extractor {
            Some(Extractor::Llm | Extractor::Both) => Check::failed(
                "llm",
                &"memory.extractor needs a language model; name one with --llm-url and --llm-model, or choose pattern",
            ),
            _ => Check::skipped("llm", "none; texts are read by patterns, and questions answered by the facts"),
        }];
    };
    let mut checks = Vec::new();
    let (http, has_key) = match settings.http() {
        Ok(http) => {
            checks.push(match &settings.key_env {
                Some(name) => Check::ok(KEY, format!("{name} is set")),
                None => Check::skipped(KEY, "no key is sent"),
            });
            (http, true)
        }
        Err(error) => {
            checks.push(Check::failed(KEY, &error));
            (settings.keyless().clone(), false)
        }
    };
    // What is wrong is said at once.
    let model = match HttpModel::new(HttpSettings { attempts: 1, ..http }) {
        Ok(model) => model,
        Err(error) => {
            checks.push(Check::failed(of(&error), &error));
            return checks;
        }
    };
    let settings = model.settings();
    checks.push(match settings.consent {
        true => Check::ok(CONSENT, format!("texts may be sent to {}", settings.url)),
        false => Check::ok(CONSENT, format!("none is needed: {} is on this machine", settings.url)),
    });
    for name in names(settings) {
        checks.push(match has_key {
            true => answers(&model, &name).await,
            false => Check::skipped(MODEL, format!("{name} was not asked without its key")),
        });
    }
    checks
}

/// What an error is about.
fn of(error: &SettingsError) -> &'static str {
    match error {
        SettingsError::Url(_) | SettingsError::Credentials | SettingsError::Tls(..) => URL,
        SettingsError::NoConsent(_) => CONSENT,
        SettingsError::NoModel => MODEL,
        SettingsError::Key => KEY,
    }
}

/// Every model that a stage may ask.
fn names(settings: &HttpSettings) -> BTreeSet<String> {
    settings.models.values().chain([&settings.model]).cloned().collect()
}

/// Asks a question that has no facts to go by. What counts is the shape of the answer.
async fn answers(model: &HttpModel, name: &str) -> Check {
    let document = json!({
        "stage": "query", "now": "2025-01-01T00:00:00Z", "question": "Is anybody there?",
        "facts": [], "series": [], "history": [],
    });
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["answer", "used"],
        "properties": {
            "answer": {"type": "string"},
            "used": {"type": "array", "items": {"type": "integer"}},
        },
    });
    let prompt = Prompt {
        stage: "query".to_owned(),
        model: Some(name.to_owned()),
        system: "Answer the question of the document in one short sentence from its facts, and list the IDs of those \
                 that you used. Answer with one JSON document: {\"answer\": \"…\", \"used\": [1]}."
            .to_owned(),
        document: document.to_string(),
        schema: schema.to_string(),
    };
    let answer = model.complete(&prompt).await;
    let took = answer.call.latency_ms as f64 / 1e3;
    match answer.result {
        Err(error) => Check::failed(MODEL, &error),
        Ok(completion) if is_as_asked(&completion.text) => {
            let by = if completion.model == name { String::new() } else { format!(" (as {})", completion.model) };
            Check::ok(MODEL, format!("{name}{by} answers as the schema says, after {took:.1} s"))
        }
        Ok(_) => Check::failed(
            MODEL,
            &format!("{name} answers, but not as the schema says; choose a model that can write JSON"),
        ),
    }
}

/// Whether a text holds the document that was asked for, fenced or not.
fn is_as_asked(text: &str) -> bool {
    let document = text.find('{').zip(text.rfind('}')).and_then(|(start, end)| text.get(start..=end));
    let value: Value = document.and_then(|document| serde_json::from_str(document).ok()).unwrap_or_default();
    value["answer"].is_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_if_its_shape_is_right() {
        for (text, expected) in [
            (r#"{"answer": "no", "used": []}"#, true),
            ("```json\n{\"answer\": \"no\"}\n```", true),
            (r#"{"used": []}"#, false),
            ("}{", false),
            ("Nobody is there.", false),
        ] {
            assert_eq!(is_as_asked(text), expected, "{text}");
        }
    }
}
