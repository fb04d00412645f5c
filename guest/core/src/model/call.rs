//! A call: what it gets from its host, what it leaves in the log, and why it failed.

use super::words;
use crate::time::Micros;

/// What every call gets from its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The call's time. It serves reading and prompts; transaction time comes out of the commit.
    pub now: Micros,
}

/// The model that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    /// For this stage.
    pub stage: String,
    /// Its name at the server of the models.
    pub model: String,
}

/// A stage of a call, for its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Which.
    pub name: String,
    /// What it worked on, where that is not the text or question of the call.
    pub label: Option<String>,
    /// What it gave: one JSON document.
    pub output: String,
    /// Why it gave less than it should; `None`: nothing went wrong.
    pub error: Option<String>,
}

words! {
    /// What kind of failure a call ended with.
    FailureCode {
        /// The request is malformed.
        Invalid = "invalid",
        /// No such thing.
        NotFound = "not_found",
        /// It contradicts what is stored, or others kept changing it.
        Conflict = "conflict",
        /// It is over a limit.
        TooLarge = "too_large",
        /// It is well formed, and can't be met.
        Unsatisfiable = "unsatisfiable",
        /// A budget is used up; later it works.
        Limited = "limited",
        /// A model gave no usable answer.
        Model = "model",
        /// It needs something that is not configured or does not answer.
        Unavailable = "unavailable",
        /// A defect.
        Internal = "internal",
    }
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What kind.
    pub code: FailureCode,
    /// What is wrong and what to do next; fit to show, free of internals.
    pub message: String,
    /// The field of the request that it is about, as a path.
    pub field: Option<String>,
    /// Seconds after which it may work; `None`: unknown.
    pub retry_after: Option<u32>,
    /// The stages that were reached, for the log of the call.
    pub stages: Vec<Stage>,
}

impl Failure {
    /// A failure that is about no field.
    #[must_use]
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: None, retry_after: None, stages: Vec::new() }
    }

    /// A malformed field.
    #[must_use]
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        let field = field.into();
        Self::new(FailureCode::Invalid, format!("{field}: {}", message.into())).about(field)
    }

    /// The same, about this field.
    #[must_use]
    pub fn about(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }
}
