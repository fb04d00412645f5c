//! Models: which ones a request asks for, and what they took.

use std::collections::BTreeMap;

use gligabao_core::model::ModelChoice;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::store;

/// The model of each stage that a request names.
pub type Models = BTreeMap<String, String>;

/// Choices of models as the memory takes them.
pub(crate) fn choices(models: Option<Models>) -> Vec<ModelChoice> {
    models.into_iter().flatten().map(|(stage, model)| ModelChoice { stage, model }).collect()
}

/// What a call took of language models.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"calls": 2, "tokens_in": 1250, "tokens_out": 210, "cost_usd": 0.0021}))]
pub struct Llm {
    /// How often models were asked; an attempt that was repeated counts once.
    pub calls: u64,
    /// Tokens of the prompts, as far as they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_in: Option<u64>,
    /// Tokens of the answers, as far as they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_out: Option<u64>,
    /// What those with a known price cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Llm {
    /// What a call took; `None` when it asked no model.
    #[must_use]
    pub fn of(usage: store::Usage) -> Option<Self> {
        let store::Usage { calls, tokens_in, tokens_out, cost_usd } = usage;
        (calls > 0).then_some(Self { calls, tokens_in, tokens_out, cost_usd })
    }
}
