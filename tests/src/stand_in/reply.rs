//! How a question may be answered, well or badly.

use std::time::Duration;

/// An answer to one question.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The model writes this, and it counts 100 tokens of the prompt and 10 of the answer.
    Text(String),
    /// The model writes this after it has thought aloud.
    Thought(String, String),
    /// A refusal with a status, words, and seconds after which to come back.
    Status(u16, String, Option<String>),
    /// Any body with status 200.
    Raw(String),
    /// The connection ends in the middle of the body.
    Half,
    /// Nothing ever comes.
    Silence,
    /// A body of this many bytes, as fast as they are taken.
    Flood(u64),
    /// A byte at a time, at this distance, for ever.
    Drip(Duration),
    /// The way to another address.
    Redirect(String),
    /// The same, later.
    After(Duration, Box<Reply>),
}

impl Reply {
    /// The model writes this.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The model writes this document.
    #[must_use]
    pub fn json(document: &serde_json::Value) -> Self {
        Self::Text(document.to_string())
    }

    /// A refusal with a status and words.
    pub fn status(status: u16, words: impl Into<String>) -> Self {
        Self::Status(status, words.into(), None)
    }

    /// 429 with the header `Retry-After`.
    pub fn limited(retry_after: &(impl ToString + ?Sized)) -> Self {
        Self::Status(429, "too many requests".to_owned(), Some(retry_after.to_string()))
    }

    /// The same, later.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self::After(delay, Box::new(self))
    }
}
