//! The two chat APIs: what is sent and how an answer is read. Nothing here touches the network.

use std::str::FromStr;

use axum::http::{HeaderName, HeaderValue, header};
use serde_json::{Map, Value, json};

use super::settings::{Key, SettingsError};
use super::{Completion, Prompt};

/// Version of the Anthropic API that is spoken.
const ANTHROPIC_VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// Tokens that an answer may have, where the API demands a number: more than the facts of a chunk need, and no more than
/// a request may ask for that is not streamed.
const MAX_TOKENS: u32 = 16_384;

/// The same for models that refuse that many.
const FEW_TOKENS: u32 = 4_096;

/// An API of chats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// OpenAI's chat completions, as many servers speak it: Ollama, vLLM, llama.cpp …
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// What a model turned out not to take. It is left out from then on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lacks {
    schema: bool,
    temperature: bool,
    many_tokens: bool,
}

/// An answer as the API gives it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reply {
    pub(super) completion: Completion,
    pub(super) reasoning: Option<String>,
    pub(super) tokens_in: Option<u64>,
    pub(super) tokens_out: Option<u64>,
    /// The answer ends where the model had no more tokens to write with.
    pub(super) is_cut: bool,
}

/// Why a body is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// The model says that it will not answer; its words.
    Declined(String),
    /// It is not of the API.
    Foreign,
}

/// A name that is no API's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the API of a language model is openai or anthropic")]
pub struct UnknownApi;

impl FromStr for Api {
    type Err = UnknownApi;

    fn from_str(name: &str) -> Result<Self, UnknownApi> {
        match name {
            "openai" => Ok(Self::OpenAi),
            "anthropic" => Ok(Self::Anthropic),
            _ => Err(UnknownApi),
        }
    }
}

impl Api {
    /// The word in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// Where chats are, below the base URL.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "chat/completions",
            Self::Anthropic => "messages",
        }
    }

    /// The headers of every request.
    pub(super) fn headers(self, key: Option<&Key>) -> Result<Vec<(HeaderName, HeaderValue)>, SettingsError> {
        let mut headers = vec![(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        match self {
            Self::OpenAi => {
                if let Some(key) = key {
                    headers.push((header::AUTHORIZATION, key.header("Bearer ")?));
                }
            }
            Self::Anthropic => {
                headers.push((HeaderName::from_static("anthropic-version"), ANTHROPIC_VERSION));
                if let Some(key) = key {
                    headers.push((HeaderName::from_static("x-api-key"), key.header("")?));
                }
            }
        }
        Ok(headers)
    }

    /// The body of a request.
    pub(super) fn body(self, prompt: &Prompt, model: &str, lacks: Lacks) -> Value {
        let schema = serde_json::from_str::<Value>(&prompt.schema).ok().filter(Value::is_object);
        let system = match (&schema, lacks.schema) {
            // The server doesn't hold the model to the schema, so the model is told.
            (Some(_), true) => format!(
                "{}\n\nAnswer with one JSON document and nothing else. It has this JSON schema:\n{}",
                prompt.system, prompt.schema
            ),
            _ => prompt.system.clone(),
        };
        let schema = schema.filter(|_| !lacks.schema);
        let user = json!({"role": "user", "content": prompt.document});
        let mut body = Map::new();
        body.insert("model".to_owned(), model.into());
        if !lacks.temperature {
            body.insert("temperature".to_owned(), 0.into());
        }
        match self {
            Self::OpenAi => {
                body.insert("messages".to_owned(), json!([{"role": "system", "content": system}, user]));
                if let Some(schema) = schema {
                    let named = json!({"name": prompt.stage, "strict": true, "schema": schema});
                    body.insert("response_format".to_owned(), json!({"type": "json_schema", "json_schema": named}));
                }
            }
            Self::Anthropic => {
                let tokens = if lacks.many_tokens { FEW_TOKENS } else { MAX_TOKENS };
                body.insert("max_tokens".to_owned(), tokens.into());
                body.insert("system".to_owned(), system.into());
                body.insert("messages".to_owned(), json!([user]));
                if let Some(schema) = schema {
                    let format = json!({"type": "json_schema", "schema": schema});
                    body.insert("output_config".to_owned(), json!({"format": format}));
                }
            }
        }
        Value::Object(body)
    }

    /// Reads the body of a response of status 200.
    pub(super) fn read(self, body: &[u8], asked: &str) -> Result<Reply, Unreadable> {
        let body: Value = serde_json::from_slice(body).map_err(|_| Unreadable::Foreign)?;
        match self {
            Self::OpenAi => read_openai(&body, asked),
            Self::Anthropic => read_anthropic(&body, asked),
        }
    }
}

impl Lacks {
    /// Learns from a refusal what the model doesn't take. Whether that is new, so that it pays to ask again.
    pub(super) fn learn(&mut self, body: &str) -> bool {
        let before = *self;
        let body = body.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| body.contains(word));
        self.schema |= names(&["response_format", "schema", "output_config", "structured output"]);
        self.temperature |= names(&["temperature"]);
        self.many_tokens |= names(&["max_tokens"]);
        *self != before
    }

    /// What either says.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            schema: self.schema || other.schema,
            temperature: self.temperature || other.temperature,
            many_tokens: self.many_tokens || other.many_tokens,
        }
    }
}

/// What the body of a refusal says.
pub(super) fn message(body: &[u8]) -> String {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    let error = json.get("error").unwrap_or(&json);
    let words = [error.get("message"), Some(error), json.get("message"), json.get("detail")];
    match words.into_iter().flatten().find_map(Value::as_str) {
        Some(words) => words.to_owned(),
        None => String::from_utf8_lossy(body).into_owned(),
    }
}

fn read_openai(body: &Value, asked: &str) -> Result<Reply, Unreadable> {
    let choice = body.pointer("/choices/0").ok_or(Unreadable::Foreign)?;
    let message = choice.get("message").filter(|message| message.is_object()).ok_or(Unreadable::Foreign)?;
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
        return Err(Unreadable::Declined(refusal.to_owned()));
    }
    let text = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => join(parts, "text", "text").unwrap_or_default(),
        Some(Value::Null) | None => String::new(),
        Some(_) => return Err(Unreadable::Foreign),
    };
    let reasoning = ["reasoning", "reasoning_content"].iter().find_map(|key| message.get(*key)?.as_str());
    let usage = |key: &str| body.pointer(&format!("/usage/{key}")).and_then(Value::as_u64);
    Ok(Reply {
        completion: Completion { text, model: model(body, asked) },
        reasoning: reasoning.filter(|words| !words.is_empty()).map(str::to_owned),
        tokens_in: usage("prompt_tokens"),
        tokens_out: usage("completion_tokens"),
        is_cut: choice.get("finish_reason").and_then(Value::as_str) == Some("length"),
    })
}

fn read_anthropic(body: &Value, asked: &str) -> Result<Reply, Unreadable> {
    let parts = body.get("content").and_then(Value::as_array).ok_or(Unreadable::Foreign)?;
    let stop = body.get("stop_reason").and_then(Value::as_str);
    let text = join(parts, "text", "text").unwrap_or_default();
    if stop == Some("refusal") {
        return Err(Unreadable::Declined(text));
    }
    let usage = |key: &str| body.pointer(&format!("/usage/{key}")).and_then(Value::as_u64);
    // Tokens that came from the cache or went there are counted apart.
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"].iter().filter_map(|key| usage(key));
    Ok(Reply {
        completion: Completion { text, model: model(body, asked) },
        reasoning: join(parts, "thinking", "thinking"),
        tokens_in: usage("input_tokens").map(|tokens| cached.fold(tokens, u64::saturating_add)),
        tokens_out: usage("output_tokens"),
        is_cut: stop == Some("max_tokens"),
    })
}

/// The texts of the parts of a type, one after the other; none if there is no such part.
fn join(parts: &[Value], r#type: &str, key: &str) -> Option<String> {
    let wanted = parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some(r#type));
    let texts: Vec<_> = wanted.filter_map(|part| part.get(key)?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.concat())
}

fn model(body: &Value, asked: &str) -> String {
    body.get("model").and_then(Value::as_str).filter(|name| !name.is_empty()).unwrap_or(asked).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt() -> Prompt {
        Prompt {
            stage: "query".to_owned(),
            model: None,
            system: "Be brief.".to_owned(),
            document: r#"{"stage":"query"}"#.to_owned(),
            schema: r#"{"type":"object"}"#.to_owned(),
        }
    }

    #[test]
    fn a_request_of_openai_s_names_the_schema_after_the_stage() {
        let expected = json!({
            "model": "m", "temperature": 0,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "{\"stage\":\"query\"}"},
            ],
            "response_format": {"type": "json_schema", "json_schema": {
                "name": "query", "strict": true, "schema": {"type": "object"},
            }},
        });
        assert_eq!(Api::OpenAi.body(&prompt(), "m", Lacks::default()), expected);
    }

    #[test]
    fn a_request_of_anthropic_s_has_its_system_apart_and_a_number_of_tokens() {
        let expected = json!({
            "model": "m", "temperature": 0, "max_tokens": 16_384, "system": "Be brief.",
            "messages": [{"role": "user", "content": "{\"stage\":\"query\"}"}],
            "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
        });
        assert_eq!(Api::Anthropic.body(&prompt(), "m", Lacks::default()), expected);
    }

    #[test]
    fn what_a_model_lacks_is_left_out() {
        let mut lacks = Lacks::default();
        assert!(!lacks.learn("no such model"));
        assert!(lacks.learn("Unsupported parameter: 'Temperature'"));
        assert!(lacks.learn("`response_format` is not supported, nor is max_tokens > 4096"));
        assert!(!lacks.learn("response_format"));
        for api in [Api::OpenAi, Api::Anthropic] {
            let body = api.body(&prompt(), "m", lacks);
            assert!(body.get("temperature").or(body.get("response_format")).or(body.get("output_config")).is_none());
            assert!(body.to_string().contains("It has this JSON schema"), "{body}");
        }
        assert_eq!(Api::Anthropic.body(&prompt(), "m", lacks)["max_tokens"], 4_096);
        let without = Prompt { schema: String::new(), ..prompt() };
        assert_eq!(Api::Anthropic.body(&without, "m", lacks)["system"], "Be brief.");
    }

    #[test]
    fn answers_of_both_apis_are_read() {
        let openai = json!({
            "model": "m-1", "usage": {"prompt_tokens": 7, "completion_tokens": 3},
            "choices": [{"finish_reason": "length", "message": {"content": "{}", "reasoning_content": "hm"}}],
        });
        let anthropic = json!({
            "model": "m-1", "stop_reason": "max_tokens",
            "usage": {"input_tokens": 4, "cache_read_input_tokens": 3, "output_tokens": 3},
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "{"},
                        {"type": "text", "text": "}"}],
        });
        let expected = Reply {
            completion: Completion { text: "{}".to_owned(), model: "m-1".to_owned() },
            reasoning: Some("hm".to_owned()),
            tokens_in: Some(7),
            tokens_out: Some(3),
            is_cut: true,
        };
        for (api, body) in [(Api::OpenAi, openai), (Api::Anthropic, anthropic)] {
            assert_eq!(api.read(body.to_string().as_bytes(), "m").as_ref(), Ok(&expected), "{api:?}");
        }
        let parts = json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}]}}]}).to_string();
        let reply = Api::OpenAi.read(parts.as_bytes(), "asked").expect("readable");
        assert_eq!((&*reply.completion.text, &*reply.completion.model, reply.tokens_in), ("a", "asked", None));
    }

    #[test]
    fn what_is_no_answer_is_told_apart_from_a_model_that_declines() {
        for body in [
            "",
            "{",
            "null",
            "[]",
            "<html>",
            r#"{"choices": []}"#,
            r#"{"choices": [{"message": 1}]}"#,
            r#"{"choices": [{"message": {"content": 1}}]}"#,
            r#"{"content": "text"}"#,
        ] {
            for api in [Api::OpenAi, Api::Anthropic] {
                assert_eq!(api.read(body.as_bytes(), "m"), Err(Unreadable::Foreign), "{api:?} {body}");
            }
        }
        let declined = Err(Unreadable::Declined("no".to_owned()));
        let openai = r#"{"choices": [{"message": {"content": null, "refusal": "no"}}]}"#;
        let anthropic = r#"{"content": [{"type": "text", "text": "no"}], "stop_reason": "refusal"}"#;
        assert_eq!(Api::OpenAi.read(openai.as_bytes(), "m"), declined);
        assert_eq!(Api::Anthropic.read(anthropic.as_bytes(), "m"), declined);
    }

    #[test]
    fn the_words_of_a_refusal_are_found() {
        for (body, words) in [
            (r#"{"error": {"message": "a", "type": "t"}}"#, "a"),
            (r#"{"error": "b"}"#, "b"),
            (r#"{"type": "error", "error": {"message": "c"}}"#, "c"),
            (r#"{"message": "d"}"#, "d"),
            (r#"{"detail": "e"}"#, "e"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(message(body.as_bytes()), words, "{body}");
        }
    }
}
