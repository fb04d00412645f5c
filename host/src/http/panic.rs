//! A panic ends its request, not the process.

use std::any::Any;

use axum::response::{IntoResponse, Response};

use super::error::ApiError;
use crate::engine::new_id;

/// Logs a panic under an incident and answers 500 with it. What it panicked with may hold a text of the user.
pub(crate) fn answer(_panic: Box<dyn Any + Send + 'static>) -> Response {
    let incident = new_id();
    tracing::error!(incident, "a handler panicked");
    ApiError::incident(incident).into_response()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

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

    /// A log in memory.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_log_has_the_panic_and_not_the_words_of_the_panic() {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        tracing::subscriber::with_default(subscriber, || {
            answer(Box::new("the secret"));
            answer(Box::new("the secret".to_owned()));
        });
        let logged = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert_eq!(logged.matches("a handler panicked").count(), 2, "{logged}");
        assert!(!logged.contains("secret"), "{logged}");
    }
}
