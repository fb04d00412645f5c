//! What is not there: every operation of the OpenAPI document that says 404.

use serde_json::Value;

use crate::openapi::{document, filled};
use crate::requests::{api, call, json, request};

/// Each operation that says 404, as method, path and example of its body.
fn operations() -> Vec<(String, String, String)> {
    let document = document();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("an object") {
            if operation["responses"].get("404").is_some() {
                operations.push((method.to_uppercase(), path.clone(), example(&document, operation)));
            }
        }
    }
    operations
}

/// A body that is fine.
fn example(document: &Value, operation: &Value) -> String {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let schema = schema["$ref"].as_str().map(|pointer| document.pointer(pointer.trim_start_matches('#')));
    let example = schema.flatten().map_or(&Value::Null, |schema| &schema["example"]);
    if example.is_null() { "{}".to_owned() } else { example.to_string() }
}

/// The path of something that isn't there.
fn missing(path: &str) -> String {
    filled(path, "nowhere", "999").replace("{target_id}", "999").replace("{type}", "edge")
}

#[tokio::test]
async fn what_names_nothing_is_404_wherever_the_document_says_so() {
    let api = api();
    let body = r#"{"user_id":"me","text":"Anna lives in Berlin."}"#;
    assert_eq!(json(call(&api, request("POST /v1/gb/remember", body)).await).await.0, 200);
    let operations = operations();
    assert!(operations.len() > 15, "{operations:?}");
    for (method, path, body) in operations {
        let scope = match &*path {
            path if path.contains("{name}") => "user_id=me",
            "/v1/gb/timeline" => "user_id=me&dataset=nowhere&entity=Anna",
            _ => "user_id=me&dataset=nowhere",
        };
        let sent = request(&format!("{method} {}?{scope}", missing(&path)), body.clone());
        let (status, answer) = json(call(&api, sent).await).await;
        let is_missing = (status, answer["code"].as_str(), answer["field"].as_str());
        assert_eq!(is_missing, (404, Some("not_found"), Some("dataset")), "{method} {path}: {answer}");
        if path.contains("{id}") {
            let sent = request(&format!("{method} {}?user_id=me", missing(&path)), body);
            let (status, answer) = json(call(&api, sent).await).await;
            assert_eq!((status, answer["code"].as_str()), (404, Some("not_found")), "{method} {path}: {answer}");
        }
    }
    for parameter in ["entity_id", "artifact_id", "edge_id"] {
        let sent = request(&format!("GET /v1/gb/timeseries?user_id=me&{parameter}=999"), "");
        assert_eq!(json(call(&api, sent).await).await.0, 404, "{parameter}");
    }
}
