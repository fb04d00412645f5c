//! The core's port to language models over the component's import.

use gligabao_core::convert::Convert;
use gligabao_core::llm::{Completion, Llm, LlmError, Prompt};

use crate::bindings::gligabao::memory::llm;

/// The models of the host.
pub(crate) struct HostLlm;

impl Llm for HostLlm {
    fn complete(&self, prompts: &[Prompt]) -> Vec<Result<Completion, LlmError>> {
        let prompts: Vec<llm::Prompt> = prompts.iter().cloned().map(Convert::convert).collect();
        llm::complete(&prompts).into_iter().map(Convert::convert).collect()
    }
}
