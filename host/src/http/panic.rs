//! A panic ends its request, not the process.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::response::{IntoResponse, Response};

use super::error::ApiError;

/// Logs a panic under an incident and answers 500 with it.
///
/// By-value box: that is how `tower_http::catch_panic` hands it over.
#[expect(clippy::needless_pass_by_value, reason = "the signature that the layer wants")]
pub(crate) fn answer(panic: Box<dyn Any + Send + 'static>) -> Response {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("something that is no text");
    let incident = incident();
    tracing::error!(incident, "a handler panicked: {said}");
    ApiError::incident(&incident).into_response()
}

/// A name that occurs once in this process's log, and most likely in all logs of a machine.
fn incident() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("p{:x}-{count}", chrono::Utc::now().timestamp())
}
