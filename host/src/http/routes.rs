//! Handlers, a file a noun: read the request, call the memory, answer. Nothing is decided here.

pub(crate) mod artifacts;
pub(crate) mod datasets;
pub(crate) mod edges;
pub(crate) mod entities;
pub(crate) mod facts;
pub(crate) mod git;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod query;
pub(crate) mod remember;
pub(crate) mod runs;
pub(crate) mod timeseries;

/// What a handler ends with.
pub(crate) type Answer<T> = Result<axum::Json<T>, super::error::ApiError>;
