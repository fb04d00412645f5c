//! The OpenAPI document, generated from the handlers and the wire types.

use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::{HeaderName, header};
use utoipa::OpenApi;

use super::routes::{
    artifacts, datasets, edges, entities, facts, git, health, history, query, remember, runs, timeseries,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "gligabao",
        description = "A bi-temporal memory: every fact has a time when it is true in the world and a time when the \
                       store believed it. Users are named by `user_id` in the body or as parameter, or by the header \
                       `gb-user-id`; where several name one, they must agree. Errors are `{error, code, field?, \
                       run_id?}`.",
    ),
    tags(
        (name = "memory", description = "Telling, reading and correcting"),
        (name = "series", description = "Values over time, tied to what the memory knows"),
        (name = "runs", description = "The log of calls"),
        (name = "datasets", description = "Where memories are kept"),
        (name = "git", description = "What calls did, as a list and as a git repository"),
        (name = "server", description = "The server itself"),
    ),
    paths(
        remember::remember,
        facts::facts,
        facts::timeline,
        query::query,
        artifacts::list,
        artifacts::show,
        entities::list,
        entities::show,
        edges::show,
        edges::retract,
        edges::why,
        timeseries::put,
        timeseries::list,
        timeseries::show,
        timeseries::delete,
        timeseries::delete_anchor,
        runs::list,
        runs::show,
        datasets::list,
        datasets::show,
        datasets::put,
        datasets::delete,
        history::list,
        git::archive,
        git::head,
        git::refs,
        git::object,
        health::healthz,
    )
)]
struct Document;

/// The document as a value.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

/// The document as it is served.
pub(crate) async fn serve() -> ([(HeaderName, &'static str); 1], Bytes) {
    static JSON: LazyLock<Bytes> = LazyLock::new(|| {
        let json = serde_json::to_vec(&document()).expect("the document has string keys only");
        json.into()
    });
    ([(header::CONTENT_TYPE, "application/json")], JSON.clone())
}
