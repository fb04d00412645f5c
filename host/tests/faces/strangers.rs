//! Every route with a number or a dataset, tried by those whose it is not.

use std::cmp::Reverse;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use gligabao::http::router::router;
use gligabao::memory::Memory;
use gligabao::store::memory::MemoryStore;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::openapi::{document, filled};

/// Routes that make what is missing or have nothing of one dataset, so that a stranger gets something of their own.
const OWN: &[(&str, &str)] =
    &[("get", "/healthz"), ("get", "/v1/gb/datasets"), ("post", "/v1/gb/remember"), ("put", "/v1/gb/datasets/{name}")];

fn api() -> Router {
    let cache = Some(env!("CARGO_TARGET_TMPDIR").into());
    let store = Arc::new(MemoryStore::default());
    router(Memory::builder().store(store).cache_dir(cache).build().expect("a memory"))
}

async fn call(api: &Router, method: &str, path: &str, body: &Value) -> (u16, String) {
    let request = Request::builder().method(method.to_uppercase().as_str()).uri(path);
    let request = request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body.to_string()));
    let response = api.clone().oneshot(request.expect("a request")).await.expect("a router answers");
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.expect("a body").to_bytes();
    (status, String::from_utf8_lossy(&bytes).into_owned())
}

/// Method and path of every route that could tell something of a dataset: first what reads, last what deletes.
fn routes() -> Vec<(String, String)> {
    let document = document();
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("an object").keys() {
            if !OWN.contains(&(method.as_str(), path.as_str())) {
                routes.push((method.clone(), path.clone()));
            }
        }
    }
    // What belongs to something goes before it, and the dataset last.
    routes.sort_by_key(|(method, path)| {
        let goes = method == "delete";
        (method != "get", goes, goes && path.contains("{name}"), Reverse(path.len() * usize::from(goes)))
    });
    routes
}

/// What a route needs to be understood.
fn body(path: &str) -> Value {
    match path {
        path if path.ends_with("/query") => json!({"question": "Where does Secretname live?"}),
        path if path.ends_with("/timeseries") => {
            json!({"series": [{"key": "k", "points": [["2024-01-01T00:00:00Z", 1]]}]})
        }
        _ => json!({}),
    }
}

#[tokio::test]
async fn what_is_another_user_s_or_another_dataset_s_is_not_there() {
    let api = api();
    for text in ["Secretname lives in Porto.", "Secretname likes tea."] {
        let (status, told) = call(&api, "post", "/v1/gb/remember?user_id=owner", &json!({"text": text})).await;
        assert_eq!(status, 200, "{told}");
    }
    let series =
        |key: &str| json!({"key": key, "points": [["2024-01-01T00:00:00Z", 1]], "anchors": [{"entity_id": 1}]});
    let series = json!({"series": [series("Secretname a"), series("Secretname b")]});
    let (status, put) = call(&api, "post", "/v1/gb/timeseries?user_id=owner", &series).await;
    assert_eq!(status, 200, "{put}");
    // One with a dataset of the same name, and nothing in it but the run that made it.
    assert_eq!(call(&api, "put", "/v1/gb/datasets/main?user_id=neighbour", &json!({})).await.0, 200);
    assert_eq!(call(&api, "put", "/v1/gb/datasets/empty?user_id=owner", &json!({})).await.0, 200);
    let routes = routes();
    assert!(routes.len() >= 14, "{routes:?}");
    let tell = async |route: &(String, String), name: &str, scope: &str| {
        let path = filled(&route.1, name, "2").replace("{target_id}", "1").replace("{type}", "entity");
        let extra = if path.ends_with("/timeline") { "&entity=Secretname" } else { "" };
        call(&api, &route.0, &format!("{path}?{scope}{extra}"), &body(&path)).await
    };
    for route in &routes {
        let of_dataset = route.1.contains("{name}");
        let (status, answer) = tell(route, "main", "user_id=stranger").await;
        assert_eq!(status, 404, "{route:?}: {answer}");
        if of_dataset {
            continue;
        }
        let (status, answer) = tell(route, "", "user_id=owner&dataset=nowhere").await;
        assert_eq!(status, 404, "{route:?}: {answer}");
        for scope in ["user_id=neighbour", "user_id=owner&dataset=empty"] {
            let (status, answer) = tell(route, "", scope).await;
            let expected = if route.1.contains("{id}") { 404 } else { 200 };
            assert_eq!(status, expected, "{route:?} {scope}: {answer}");
            assert!(!answer.contains("Secretname") && !answer.contains("Porto"), "{route:?} {scope}: {answer}");
        }
    }
    for route in &routes {
        let (status, answer) = tell(route, "main", "user_id=owner").await;
        assert!((200..300).contains(&status), "{route:?}: {status} {answer}");
    }
}
