//! Language models, as the host asks them on behalf of the component.
//!
//! The component writes the prompt and reads the answer. Which server is asked, with which key, whether the operator
//! consents to it, how long it may take and what is tried again is settled here and never by the component. Another
//! client than [`HttpModel`] is a [`LanguageModel`] given to [`Builder::llm`](crate::memory::Builder::llm).

mod api;
mod http;
mod prompts;
mod retry;
mod settings;
mod transport;

use std::time::Duration;

use async_trait::async_trait;

pub use self::api::Api;
pub use self::http::HttpModel;
pub use self::prompts::{MAX_INSTRUCTIONS, Prompts, PromptsError};
pub use self::settings::{HttpSettings, Key, Price, SettingsError};

/// The stages that ask a model.
pub const STAGES: [&str; 3] = ["extract_graph", "resolve_edges", "query"];

/// One chat call: a system message, then one user message that is exactly `document`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What it is for: one of [`STAGES`]; also the name of the schema.
    pub stage: String,
    /// The model that the request asked for; none: the operator's.
    pub model: Option<String>,
    /// The instructions.
    pub system: String,
    /// One JSON document, the only place of a user's text.
    pub document: String,
    /// JSON schema of the answer: every key required, and nullable where it may be absent.
    pub schema: String,
}

/// What a model wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// As it wrote it.
    pub text: String,
    /// The model that wrote it.
    pub model: String,
}

/// Why there is no completion. Each says what to do, and none holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LlmError {
    /// No model is configured, or the operator did not consent to it; what to do.
    #[error("{0}")]
    Missing(String),
    /// Too much is asked at once: seconds to wait.
    #[error("the language model takes no more questions at the moment; try again in {0} s")]
    Limited(u32),
    /// The server refused, and would again; why.
    #[error("{0}")]
    Refused(String),
    /// The server does not answer, after all attempts; why.
    #[error("{0}")]
    Unavailable(String),
}

/// What the run log keeps of one question to a model, answered or not. All attempts count as one.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCall {
    /// What it was for.
    pub stage: String,
    /// The model that answered, or that was asked if none did.
    pub model: String,
    /// Who serves it: host and port of the server.
    pub provider: String,
    /// What the model said of how it came to its answer, where it says so.
    pub reasoning: Option<String>,
    /// Tokens of the prompt, as the server counts them.
    pub tokens_in: Option<u64>,
    /// Tokens of the answer, as the server counts them.
    pub tokens_out: Option<u64>,
    /// What it cost in US dollars, where the model's price is configured.
    pub cost_usd: Option<f64>,
    /// From the question to its end, all attempts and pauses included.
    pub latency: Duration,
    /// Why there is no answer.
    pub error: Option<String>,
    /// How often the server was asked.
    pub attempts: u32,
}

/// What became of one prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// For the component.
    pub result: Result<Completion, LlmError>,
    /// For the run log.
    pub call: ModelCall,
}

/// Asks a language model. Settles time limits and retries by itself.
#[async_trait]
pub trait LanguageModel: Send + Sync + 'static {
    /// Asks once. Calls run side by side; one that is not awaited to its end is dropped.
    async fn complete(&self, prompt: &Prompt) -> Answer;
}

impl ModelCall {
    /// A call that has yet to be made.
    #[must_use]
    pub fn new(stage: &str, model: &str, provider: &str) -> Self {
        Self {
            stage: stage.to_owned(),
            model: model.to_owned(),
            provider: provider.to_owned(),
            reasoning: None,
            tokens_in: None,
            tokens_out: None,
            cost_usd: None,
            latency: Duration::ZERO,
            error: None,
            attempts: 0,
        }
    }
}

/// What the model calls of one request come to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Number of calls.
    pub calls: u64,
    /// Tokens of the prompts, as far as they are known.
    pub tokens_in: u64,
    /// Tokens of the answers, as far as they are known.
    pub tokens_out: u64,
    /// What they cost in US dollars; none if the price of none is known.
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// The sum of calls.
    #[must_use]
    pub fn of(calls: &[ModelCall]) -> Self {
        let tokens = |count: fn(&ModelCall) -> Option<u64>| calls.iter().filter_map(count).fold(0, u64::saturating_add);
        let costs = calls.iter().filter_map(|call| call.cost_usd);
        Self {
            calls: calls.len() as u64,
            tokens_in: tokens(|call| call.tokens_in),
            tokens_out: tokens(|call| call.tokens_out),
            cost_usd: costs.fold(None, |sum, cost| Some(sum.unwrap_or(0.0) + cost)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_adds_up_what_is_known() {
        let call = ModelCall::new("query", "m", "here");
        let paid = ModelCall { tokens_in: Some(10), tokens_out: Some(2), cost_usd: Some(0.5), ..call.clone() };
        let usage = |calls: &[ModelCall]| {
            let Usage { calls, tokens_in, tokens_out, cost_usd } = Usage::of(calls);
            (calls, tokens_in, tokens_out, cost_usd)
        };
        assert_eq!(usage(&[]), (0, 0, 0, None));
        assert_eq!(usage(std::slice::from_ref(&call)), (1, 0, 0, None));
        assert_eq!(usage(&[paid.clone(), call, paid]), (3, 20, 4, Some(1.0)));
    }
}
