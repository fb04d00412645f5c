//! The `llm` import.

use super::bindings::gligabao::memory::llm::{Completion, Host, LlmError, Prompt};
use super::state::State;

/// What a caller can do about it.
const MISSING: &str = "no language model is configured; use the extractor `pattern`, which needs none";

impl Host for State {
    async fn complete(&mut self, prompts: Vec<Prompt>) -> wasmtime::Result<Vec<Result<Completion, LlmError>>> {
        Ok(prompts.iter().map(|_| Err(LlmError::Missing(MISSING.to_owned()))).collect())
    }
}
