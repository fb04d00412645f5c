//! The port to language models, as `wit/memory/llm.wit` names it.

/// One chat call: a system message, then one user message that is exactly `document`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What it is for; also the name of the schema.
    pub stage: String,
    /// The model that the request asked for; `None`: the operator's.
    pub model: Option<String>,
    /// The instructions.
    pub system: String,
    /// One JSON document, the only place of a user's text.
    pub document: String,
    /// JSON schema of the answer.
    pub schema: String,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// As the model wrote it.
    pub text: String,
    /// The model that wrote it.
    pub model: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LlmError {
    /// No model is configured, or the operator did not consent to it; what to do.
    #[error("{0}")]
    Missing(String),
    /// The budget is used up or the breaker is open: seconds to wait.
    #[error("the language model takes no more questions at the moment; try again in {0} s")]
    Limited(u32),
    /// The server refused, and would again; why.
    #[error("{0}")]
    Refused(String),
    /// The server does not answer, after the host's retries; why.
    #[error("{0}")]
    Unavailable(String),
}

/// Language models, wherever they are.
pub trait Llm {
    /// Answers in the order of the prompts, which may be asked side by side.
    fn complete(&self, prompts: &[Prompt]) -> Vec<Result<Completion, LlmError>>;
}

/// No model at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLlm;

impl Llm for NoLlm {
    fn complete(&self, prompts: &[Prompt]) -> Vec<Result<Completion, LlmError>> {
        let missing = || LlmError::Missing("no language model is configured; use the extractor `pattern`".to_owned());
        prompts.iter().map(|_| Err(missing())).collect()
    }
}
