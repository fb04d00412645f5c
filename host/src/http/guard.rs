//! What a request meets before its route: who may come in, how many at a time, and for how long.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;
use tower_http::csrf::{CsrfLayer, ProtectionError};

use super::error::ApiError;
use crate::loopback;
use crate::memory::CallError;

/// How many calls run at once. The others are told to come back.
pub(crate) const CONCURRENT_CALLS: usize = 256;

/// How long a request may take. Calls have a stricter limit of their own ([`crate::memory::Limits`]); this one is for
/// what hangs outside of them.
const CALL_TIME: Duration = Duration::from_secs(330);

/// Refuses names that are not this machine's own, so that a page whose name was rebound to it can't reach a loopback
/// server from a browser. A request without a name comes from no browser.
pub(crate) async fn loopback_name(request: Request, next: Next) -> Response {
    let from_uri = request.uri().authority().cloned();
    let name = match (from_uri, request.headers().get(header::HOST)) {
        (Some(authority), _) => Some(authority),
        (None, Some(host)) => match host.as_bytes().try_into() {
            Ok(authority) => Some(authority),
            Err(_) => return foreign(),
        },
        (None, None) => None,
    };
    if name.is_none_or(|name| is_loopback(&name)) { next.run(request).await } else { foreign() }
}

fn foreign() -> Response {
    let message = "this server answers only to localhost; call it as http://127.0.0.1 or http://localhost";
    ApiError::new(StatusCode::FORBIDDEN, "forbidden", message).into_response()
}

fn is_loopback(authority: &Authority) -> bool {
    loopback::is_loopback(authority.host())
}

/// Refuses writes that a browser sends on behalf of a page of another origin.
pub(crate) fn same_origin() -> CsrfLayer<fn(ProtectionError) -> Response> {
    CsrfLayer::new().with_rejection_response(|_| {
        let message = "a page of another origin may not write here";
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", message).into_response()
    })
}

/// Runs a call if there is room for it, and says so at once if there isn't.
pub(crate) async fn admit(State(room): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    let Ok(_permit) = room.try_acquire() else { return ApiError::from(CallError::Busy).into_response() };
    match tokio::time::timeout(CALL_TIME, next.run(request)).await {
        Ok(response) => response,
        Err(_) => ApiError::from(CallError::TimedOut).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use axum::{Router, middleware};
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn a_call_that_finds_no_room_is_told_when_to_come_back() {
        for (room, status, retry_after) in [(1, StatusCode::OK, None), (0, StatusCode::SERVICE_UNAVAILABLE, Some("1"))]
        {
            let admit = middleware::from_fn_with_state(Arc::new(Semaphore::new(room)), admit);
            let router = Router::new().fallback(get(async || "done")).layer(admit);
            let response = router.oneshot(Request::new(Body::empty())).await.expect("a router answers");
            let header = response.headers().get(header::RETRY_AFTER).map(|value| value.to_str().expect("a text"));
            assert_eq!((response.status(), header), (status, retry_after), "room for {room}");
        }
    }

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for (name, expected) in [
            ("localhost", true),
            ("LOCALHOST:7878", true),
            ("127.0.0.1:7878", true),
            ("127.8.9.1", true),
            ("[::1]:7878", true),
            ("localhost.example.com", false),
            ("example.com:7878", false),
            ("10.0.0.1", false),
            ("127.0.0.1.example.com", false),
        ] {
            assert_eq!(is_loopback(&name.parse().expect("an authority")), expected, "{name}");
        }
    }
}
