//! A panic ends its request, not the process.

use std::any::Any;

use axum::response::{IntoResponse, Response};

use super::error::ApiError;
use crate::engine::new_id;

/// Logs a panic under an incident and answers 500 with it.
///
/// By-value box: that is how `tower_http::catch_panic` hands it over.
#[expect(clippy::needless_pass_by_value, reason = "the signature that the layer wants")]
pub(crate) fn answer(panic: Box<dyn Any + Send + 'static>) -> Response {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("something that is no text");
    let incident = new_id();
    tracing::error!(incident, "a handler panicked: {said}");
    ApiError::incident(incident).into_response()
}
