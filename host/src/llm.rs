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

use async_trait::async_trait;
pub use gligabao_core::llm::{Completion, LlmError, Prompt};

pub use self::api::Api;
pub use self::http::HttpModel;
pub use self::prompts::{MAX_INSTRUCTIONS, Prompts, PromptsError};
pub use self::settings::{HttpSettings, Key, Price, SettingsError};
pub use crate::store::{ModelCall, Usage};

/// The stages that ask a model.
pub const STAGES: [&str; 3] = ["extract_graph", "resolve_edges", "query"];

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
