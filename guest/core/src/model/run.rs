//! Calls as the log has them.

use std::time::Duration;

use super::{RunId, Stage, words};
use crate::time::Micros;

words! {
    /// What kind of call a run logs.
    RunKind {
        /// A text was told.
        Remember = "remember",
        /// A question was asked.
        Query = "query",
        /// Something was changed by hand.
        Edit = "edit",
    }
}

/// One question to a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelCall {
    /// The stage that asked.
    pub stage: String,
    /// The model that was asked, or, where the provider says so, that answered.
    pub model: String,
    /// Who serves it, such as the host and port of a URL; never a key.
    pub provider: String,
    /// How hard it was told to think, or what it says that it thought.
    pub reasoning: Option<String>,
    /// Tokens of the prompt, where the provider counts them.
    pub tokens_in: Option<u64>,
    /// Tokens of the answer, where the provider counts them.
    pub tokens_out: Option<u64>,
    /// By the price table; `None` where it has no price for the model.
    pub cost_usd: Option<f64>,
    /// From the question to the answer or the last failure, all attempts and pauses included, in milliseconds.
    pub latency_ms: u64,
    /// How often it was sent.
    pub attempts: u32,
    /// Why there is no answer; `None`: there is one.
    pub error: Option<String>,
}

impl ModelCall {
    /// A question that has yet to be asked.
    #[must_use]
    pub fn new(stage: &str, model: &str, provider: &str) -> Self {
        let [stage, model, provider] = [stage, model, provider].map(str::to_owned);
        Self { stage, model, provider, ..Self::default() }
    }

    /// The same, after so long.
    #[must_use]
    pub fn after(self, latency: Duration) -> Self {
        Self { latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX), ..self }
    }
}

/// A call that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its number, in the order of the beginnings.
    pub id: RunId,
    /// Its number in the order of the ends.
    pub seq: u64,
    /// What kind of call it was.
    pub kind: RunKind,
    /// What was asked for: a JSON object.
    pub params: String,
    /// The caller's session.
    pub session_id: Option<String>,
    /// When it began, by the store's clock.
    pub started_at: Micros,
    /// When it ended.
    pub ended_at: Micros,
    /// Transaction time of its commit; `None` when it changed nothing.
    pub changed_at: Option<Micros>,
    /// Why it failed; `None`: it did what was asked.
    pub error: Option<String>,
    /// What it reached, in order.
    pub stages: Vec<Stage>,
    /// What it asked of models, in order.
    pub model_calls: Vec<ModelCall>,
}
