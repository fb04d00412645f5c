//! Facts from plain language without a model. So far the interface only: nothing is read yet.

use crate::extract::Extraction;
use crate::time::Instant;

/// What reading a text depends on besides the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternContext<'a> {
    /// What "now" means in the text.
    pub reference_time: Instant,
    /// The zone in which relative dates are meant.
    pub timezone: chrono_tz::Tz,
    /// Who "I" is.
    pub speaker: Option<&'a str>,
    /// The pattern set to read with; `None`: all of them.
    pub language: Option<&'a str>,
}

/// Why a text can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There is no such pattern set.
    #[error("there is no pattern set {0:?}")]
    UnknownLanguage(String),
}

/// The facts that a text states.
///
/// # Errors
/// When the language is unknown.
pub fn extract(_text: &str, context: &PatternContext<'_>) -> Result<Extraction, PatternError> {
    match context.language {
        None | Some("en" | "pt-br") => Ok(Extraction::default()),
        Some(other) => Err(PatternError::UnknownLanguage(other.to_owned())),
    }
}
