//! A panic ends its request, not the process.

use std::any::Any;

use axum::response::{IntoResponse, Response};

use super::error::ApiError;
use crate::engine::new_id;

/// Logs a panic under an incident and answers 500 with it.
#[expect(clippy::needless_pass_by_value, reason = "the signature that the layer wants")]
pub(crate) fn answer(panic: Box<dyn Any + Send + 'static>) -> Response {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("something that is no text");
    let incident = new_id();
    tracing::error!(incident, "a handler panicked: {said}");
    ApiError::incident(incident).into_response()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::extract::Request;
    use axum::http::StatusCode;
    use http_body_util::BodyExt;
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;
    use crate::wire::error::ErrorBody;

    #[tokio::test]
    async fn a_panic_is_answered_with_an_incident_and_not_with_its_words() {
        async fn broken() {
            panic!("the secret");
        }
        let router = Router::new().fallback(broken).layer(CatchPanicLayer::custom(answer));
        let response = router.oneshot(Request::new(Body::empty())).await.expect("a router answers");
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        let body: ErrorBody = serde_json::from_slice(&body).expect("an error");
        assert_eq!(body.code, "internal");
        assert!(body.error.contains("incident") && !body.error.contains("secret"), "{}", body.error);
    }
}
