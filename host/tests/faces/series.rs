//! Time series over HTTP and on the command line.

mod bits;
mod files;
mod killed;
mod large;
mod reads;
mod refusals;
mod words;

use axum::Router;
use serde_json::{Value, json};

use crate::requests::{api, call, json as read, request};

/// An API whose dataset `main` of user `u` knows that Anna lives in Berlin.
async fn told() -> Router {
    let api = api();
    let text = json!({"user_id": "u", "text": "Anna lives in Berlin.", "reference_time": "2024-06-10"});
    assert_eq!(post(&api, "remember", &text).await.0, 200);
    api
}

async fn post(api: &Router, path: &str, body: &Value) -> (u16, Value) {
    read(call(api, request(&format!("POST /v1/gb/{path}"), body.to_string())).await).await
}

async fn get(api: &Router, path: &str) -> (u16, Value) {
    read(call(api, request(&format!("GET /v1/gb/{path}"), "")).await).await
}

/// Writes series that must be fine.
async fn put(api: &Router, series: Value) -> Value {
    let (status, answer) = post(api, "timeseries", &json!({"user_id": "u", "series": series})).await;
    assert_eq!(status, 200, "{answer}");
    answer
}
