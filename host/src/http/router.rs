//! Every route, on one screen.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{Method, StatusCode, Uri};
use axum::routing::{delete, get, post};
use axum::{Router, middleware};
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;

use super::error::ApiError;
use super::routes::{
    artifacts, datasets, edges, entities, facts, git, health, history, query, remember, runs, timeseries,
};
use super::{guard, openapi, panic};
use crate::memory::Memory;

/// The API over a memory: what the server serves and what the command line calls in its own process.
pub fn router(memory: Memory) -> Router {
    let room = Arc::new(Semaphore::new(guard::CONCURRENT_CALLS));
    Router::new()
        .route("/v1/gb/remember", post(remember::remember))
        .route("/v1/gb/facts", get(facts::facts))
        .route("/v1/gb/timeline", get(facts::timeline))
        .route("/v1/gb/query", post(query::query))
        .route("/v1/gb/artifacts", get(artifacts::list))
        .route("/v1/gb/artifacts/{id}", get(artifacts::show))
        .route("/v1/gb/entities", get(entities::list))
        .route("/v1/gb/entities/{id}", get(entities::show))
        .route("/v1/gb/edges/{id}", get(edges::show))
        .route("/v1/gb/edges/{id}/retract", post(edges::retract))
        .route("/v1/gb/edges/{id}/why", get(edges::why))
        .route("/v1/gb/timeseries", get(timeseries::list).post(timeseries::put))
        .route("/v1/gb/timeseries/{id}", get(timeseries::show).delete(timeseries::delete))
        .route("/v1/gb/timeseries/{id}/anchors/{type}/{target_id}", delete(timeseries::delete_anchor))
        .route("/v1/gb/runs", get(runs::list))
        .route("/v1/gb/runs/{id}", get(runs::show))
        .route("/v1/gb/datasets", get(datasets::list))
        .route("/v1/gb/datasets/{name}", get(datasets::show).put(datasets::put).delete(datasets::delete))
        .route("/v1/gb/datasets/{name}/history", get(history::list))
        .route("/v1/gb/datasets/{name}/git", get(git::archive))
        // What git asks for at `<name>.git`.
        .route("/v1/gb/datasets/{name}/HEAD", get(git::head))
        .route("/v1/gb/datasets/{name}/info/refs", get(git::refs))
        .route("/v1/gb/datasets/{name}/objects/{directory}/{file}", get(git::object))
        .route_layer(middleware::from_fn_with_state(room, guard::admit))
        // A server at its limit is still in good health.
        .route("/healthz", get(health::healthz))
        .route("/openapi.json", get(openapi::serve))
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(CatchPanicLayer::custom(panic::answer))
        .with_state(memory)
}

async fn no_route(uri: Uri) -> ApiError {
    let message = format!("there is nothing at {}; /openapi.json lists what there is", uri.path());
    ApiError::new(StatusCode::NOT_FOUND, "not_found", message)
}

async fn no_method(method: Method, request: Request) -> ApiError {
    let message = format!("{} does not take {method}; the header `allow` lists what it takes", request.uri().path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}
