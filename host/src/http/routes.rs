//! Handlers, a file a noun: read the request, call the memory, answer. Nothing is decided here.

pub(crate) mod artifacts;
pub(crate) mod datasets;
pub(crate) mod edges;
pub(crate) mod entities;
pub(crate) mod facts;
pub(crate) mod health;
pub(crate) mod query;
pub(crate) mod remember;

/// What a handler ends with.
pub(crate) type Answer<T> = Result<axum::Json<T>, super::error::ApiError>;

/// Runs a write to its end even if its client hangs up.
async fn to_the_end<T: Send + 'static>(write: impl Future<Output = T> + Send + 'static) -> T {
    match tokio::spawn(write).await {
        Ok(answer) => answer,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
