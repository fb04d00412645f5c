//! What is refused before anything is called: every route, with the field that is to blame.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, header};
use gligabao::http::router::router;
use gligabao::memory::Memory;
use gligabao::store::SystemClock;
use gligabao::store::memory::MemoryStore;
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

pub(crate) fn api() -> Router {
    let store = Arc::new(MemoryStore::new(Arc::new(SystemClock)));
    let cache = Some(env!("CARGO_TARGET_TMPDIR").into());
    router(Memory::builder().store(store).cache_dir(cache).build().expect("a memory"))
}

pub(crate) async fn call(api: &Router, request: Request<Body>) -> Response<Body> {
    api.clone().oneshot(request).await.expect("a router answers")
}

pub(crate) async fn json(response: Response<Body>) -> (u16, Value) {
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.expect("a body").to_bytes();
    (status, serde_json::from_slice(&bytes).expect("JSON"))
}

/// `METHOD path` and perhaps a body, sent as JSON.
pub(crate) fn request(line: &str, body: impl Into<Body>) -> Request<Body> {
    let (method, path) = line.split_once(' ').expect("a method and a path");
    let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
    request.body(body.into()).expect("a request")
}

#[tokio::test]
async fn malformed_requests_are_refused_with_the_field_to_blame() {
    let api = api();
    for (line, body, field, words) in [
        // Bodies.
        ("POST /v1/gb/remember", r#"{"user_id":"u"}"#, "text", "text: is missing"),
        (
            "POST /v1/gb/remember",
            r#"{"text":"x"}"#,
            "user_id",
            "user_id: is missing; name the user in the body, as a parameter or as header gb-user-id",
        ),
        ("POST /v1/gb/remember", r#"{"user_id":"u","text":7}"#, "text", "text: must be a string, not a number"),
        ("POST /v1/gb/remember", r#"{"user_id":"u","text":null}"#, "text", "text: must be a string, not null"),
        ("POST /v1/gb/remember", r#"{"user_id":"u","text":["x"]}"#, "text", "text: must be a string, not an array"),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"u","txt":"x"}"#,
            "txt",
            "txt: there is no such field; did you mean text?",
        ),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"u","text":"x","image":"y"}"#,
            "image",
            "image: is reserved for a later version; leave this field out",
        ),
        ("POST /v1/gb/remember", r#"{"user_id":"u","text":"x","text":"y"}"#, "text", "text: is given twice"),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"u","text":"x","reference_time":"2022-01-01","valid_at":"2022-01-01"}"#,
            "reference_time",
            "reference_time: is given twice",
        ),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"u","text":"x","reference_time":"2022"}"#,
            "reference_time",
            "reference_time: must be a time in RFC 3339 or YYYY-MM-DD, such as 2024-06-10T08:30:00Z or 2024-06-10",
        ),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"u","text":"x","kind":"episod"}"#,
            "kind",
            "kind: must be one of knowledge, episode, chunk, summary, web_search, series_observation; did you mean episode?",
        ),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"","text":"x"}"#,
            "user_id",
            "user_id: must be 1 to 128 bytes, without control characters and without blanks at the ends",
        ),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"u","text":"x","dataset":"Main"}"#,
            "dataset",
            "dataset: must be 1 to 63 of a-z, 0-9, '_', '.' and '-', start with a letter or digit and not end in '.git'",
        ),
        (
            "POST /v1/gb/remember?user_id=v",
            r#"{"user_id":"u","text":"x"}"#,
            "user_id",
            "user_id: the parameter user_id and the body do not agree",
        ),
        (
            "POST /v1/gb/remember?dataset=a",
            r#"{"user_id":"u","text":"x","dataset":"b"}"#,
            "dataset",
            "dataset: the parameter dataset and the body do not agree",
        ),
        (
            "POST /v1/gb/remember?text=x",
            r#"{"user_id":"u","text":"x"}"#,
            "text",
            "text: there is no such parameter; known are user_id, dataset",
        ),
        ("POST /v1/gb/query", r#"{"user_id":"u"}"#, "question", "question: is missing"),
        (
            "POST /v1/gb/query",
            r#"{"user_id":"u","question":"x","limit":0}"#,
            "limit",
            "limit: must be a whole number from 1 to 100",
        ),
        (
            "POST /v1/gb/query",
            r#"{"user_id":"u","question":"x","limit":"5"}"#,
            "limit",
            "limit: must be a whole number from 1 to 100",
        ),
        (
            "POST /v1/gb/query",
            r#"{"user_id":"u","question":"x","log":"no"}"#,
            "log",
            "log: must be a boolean, not a string",
        ),
        (
            "POST /v1/gb/query",
            r#"{"user_id":"u","question":"x","known_at":true}"#,
            "known_at",
            "known_at: must be a time or a version, not a boolean",
        ),
        (
            "POST /v1/gb/edges/1/retract",
            r#"{"user_id":"u","edge":1}"#,
            "edge",
            "edge: there is no such field; known are user_id, dataset",
        ),
        ("PUT /v1/gb/datasets/d", r#"{"user_id":"u","tags":"x"}"#, "tags", "tags: must be an array, not a string"),
        (
            "PUT /v1/gb/datasets/d",
            r#"{"user_id":"u","tags":["x",1]}"#,
            "tags[1]",
            "tags[1]: must be a string, not a number",
        ),
        (
            "PUT /v1/gb/datasets/D?user_id=u",
            "",
            "name",
            "name: must be 1 to 63 of a-z, 0-9, '_', '.' and '-', start with a letter or digit and not end in '.git'",
        ),
        (
            "POST /v1/gb/query",
            r#"{"user_id":"u","question":"x","models":"small"}"#,
            "models",
            "models: must be an object, not a string",
        ),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"u","text":"x","models":{"extract_graph":1}}"#,
            "models.extract_graph",
            "models.extract_graph: must be a string, not a number",
        ),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"u","text":"x","dry_run":"yes"}"#,
            "dry_run",
            "dry_run: must be a boolean, not a string",
        ),
        (
            "POST /v1/gb/query",
            r#"{"user_id":"u","question":"x","session_id":" "}"#,
            "session_id",
            "session_id: is empty; leave it out or give it a value",
        ),
        // Parameters.
        ("GET /v1/gb/runs?user_id=u&kind=ask", "", "kind", "kind: must be one of remember, query, edit"),
        (
            "GET /v1/gb/runs?user_id=u&status=fail",
            "",
            "status",
            "status: must be one of running, done, failed; did you mean failed?",
        ),
        (
            "GET /v1/gb/runs?user_id=u&session_id=a%0Ab",
            "",
            "session_id",
            "session_id: has a control character; remove it",
        ),
        ("GET /v1/gb/runs?user_id=u&limit=1001", "", "limit", "limit: must be a whole number from 1 to 1000"),
        ("GET /v1/gb/runs?user_id=u&cursor=x", "", "cursor", "cursor: is none that a list gave"),
        ("GET /v1/gb/runs?user_id=u&cursor=", "", "cursor", "cursor: is none that a list gave"),
        ("GET /v1/gb/runs/x?user_id=u", "", "id", "id: must be a whole number"),
        ("GET /v1/gb/edges/x/why?user_id=u", "", "id", "id: must be a whole number"),
        (
            "GET /v1/gb/facts",
            "",
            "user_id",
            "user_id: is missing; name the user in the body, as a parameter or as header gb-user-id",
        ),
        ("GET /v1/gb/facts?user_id=u&limit=0", "", "limit", "limit: must be a whole number from 1 to 1000"),
        ("GET /v1/gb/facts?user_id=u&limit=1001", "", "limit", "limit: must be a whole number from 1 to 1000"),
        ("GET /v1/gb/facts?user_id=u&limit=-1", "", "limit", "limit: must be a whole number from 1 to 1000"),
        ("GET /v1/gb/facts?user_id=u&limit=ten", "", "limit", "limit: must be a whole number from 1 to 1000"),
        ("GET /v1/gb/facts?user_id=u&limit=", "", "limit", "limit: must be a whole number from 1 to 1000"),
        (
            "GET /v1/gb/facts?user_id=u&entiti=x",
            "",
            "entiti",
            "entiti: there is no such parameter; did you mean entity?",
        ),
        ("GET /v1/gb/facts?user_id=u&entity=a&entity=b", "", "entity", "entity: is given twice"),
        ("GET /v1/gb/facts?user_id=u&direction=up", "", "direction", "direction: must be one of out, in, both"),
        (
            "GET /v1/gb/facts?user_id=u&at=2024",
            "",
            "at",
            "at: must be a time in RFC 3339 or YYYY-MM-DD, `now` or `any`",
        ),
        (
            "GET /v1/gb/facts?user_id=u&at=any&from=2024-01-01",
            "",
            "at",
            "at: give either `at` or `from` and `until`, not both",
        ),
        (
            "GET /v1/gb/facts?user_id=u&from=2024-01-02&until=2024-01-01",
            "",
            "until",
            "until: must not be before `from`",
        ),
        (
            "GET /v1/gb/facts?user_id=u&known_at=-1",
            "",
            "known_at",
            "known_at: must be a time in RFC 3339 or YYYY-MM-DD, `now`, or a version (digits only)",
        ),
        ("GET /v1/gb/timeline?user_id=u", "", "entity", "entity: is missing; a timeline is about one entity"),
        (
            "GET /v1/gb/timeline?user_id=u&entity=x&at=now",
            "",
            "at",
            "at: a timeline shows all times; narrow it with `from` and `until`",
        ),
        ("GET /v1/gb/artifacts?user_id=u&limit=x", "", "limit", "limit: must be a whole number from 1 to 1000"),
        ("GET /v1/gb/artifacts/x?user_id=u", "", "id", "id: must be a whole number"),
        ("GET /v1/gb/artifacts/+1?user_id=u", "", "id", "id: must be a whole number"),
        (
            "GET /v1/gb/artifacts/1?user_id=u&limit=1",
            "",
            "limit",
            "limit: there is no such parameter; known are user_id, dataset",
        ),
        ("GET /v1/gb/entities?user_id=u&typ=x", "", "typ", "typ: there is no such parameter; did you mean type?"),
        ("GET /v1/gb/entities/99999999999999999999?user_id=u", "", "id", "id: must be a whole number"),
        ("GET /v1/gb/edges/%FF?user_id=u", "", "id", "id: must be a whole number"),
        (
            "GET /v1/gb/datasets?user_id=u&dataset=x",
            "",
            "dataset",
            "dataset: there is no such parameter; known are user_id, limit, cursor",
        ),
        ("GET /v1/gb/datasets?user_id=u&cursor=%2F", "", "cursor", "cursor: is none that a list gave"),
        (
            "GET /v1/gb/datasets/x.git?user_id=u",
            "",
            "name",
            "name: must be 1 to 63 of a-z, 0-9, '_', '.' and '-', start with a letter or digit and not end in '.git'",
        ),
        (
            "GET /v1/gb/datasets/x/history?user_id=u&entity_id=Anna",
            "",
            "entity_id",
            "entity_id: must be a whole number",
        ),
        (
            "GET /v1/gb/datasets/x/history?user_id=u&limit=0",
            "",
            "limit",
            "limit: must be a whole number from 1 to 1000",
        ),
        ("GET /v1/gb/datasets/x/git?user_id=u&series=1", "", "series", "series: must be true or false"),
        ("GET /v1/gb/datasets/x/git?user_id=u&format=zip", "", "format", "format: must be one of loose, pack"),
        (
            "GET /v1/gb/datasets/x/git?user_id=u&layout=shard",
            "",
            "layout",
            "layout: must be one of flat, sharded; did you mean sharded?",
        ),
        ("GET /v1/gb/datasets/x/HEAD?user_id=u", "", "name", "name: must be that of a dataset, with .git at the end"),
        (
            "GET /v1/gb/datasets/x.git/info/refs?user_id=u&services=x",
            "",
            "services",
            "services: there is no such parameter; did you mean service?",
        ),
        (
            "DELETE /v1/gb/datasets/%20?user_id=u",
            "",
            "name",
            "name: must be 1 to 63 of a-z, 0-9, '_', '.' and '-', start with a letter or digit and not end in '.git'",
        ),
    ] {
        let (status, answer) = json(call(&api, request(line, body)).await).await;
        let expected = serde_json::json!({"error": words, "code": "invalid", "field": field});
        assert_eq!((status, answer), (400, expected), "{line} {body}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_refused() {
    let api = api();
    let deep = "[".repeat(200);
    for (body, words) in [
        (&b""[..], "the body is not JSON: "),
        (b"{", "the body is not JSON: "),
        (b"{\"user_id\": \"u\", \"question\": \"x\"} {}", "the body is not JSON: "),
        (b"{'text': 1}", "the body is not JSON: "),
        (b"[]", "the body must be an object, not an array"),
        (b"[\"u\", null, \"question\"]", "the body must be an object, not an array"),
        (b"7", "the body must be an object, not a number"),
        (b"{\"text\": \"\xff\"}", "the body is not UTF-8"),
        (deep.as_bytes(), "the body must be an object, not an array"),
    ] {
        let (status, answer) = json(call(&api, request("POST /v1/gb/query", body.to_vec())).await).await;
        let error = answer["error"].as_str().expect("words");
        assert_eq!(status, 400, "{answer}");
        assert!(error.starts_with(words), "{error}");
        assert_eq!(answer.get("field"), None, "{answer}");
    }
}

#[tokio::test]
async fn an_error_names_a_value_s_kind_and_not_the_value() {
    let secret = "a".repeat(100_000);
    let body = format!(r#"{{"user_id": "u", "question": "x", "limit": "{secret}", "log": "{secret}"}}"#);
    let (_, answer) = json(call(&api(), request("POST /v1/gb/query", body)).await).await;
    assert!(answer.to_string().len() < 300, "{answer}");
    let body = format!(r#"{{"user_id": "u", "{secret}": 1}}"#);
    let (_, answer) = json(call(&api(), request("POST /v1/gb/query", body)).await).await;
    assert!(answer.to_string().len() < 500, "{answer}");
}

#[tokio::test]
async fn other_content_types_are_refused_and_json_ones_are_not() {
    let api = api();
    for (kind, status) in [
        (None, 415),
        (Some("text/plain"), 415),
        (Some("application/x-www-form-urlencoded"), 415),
        (Some("application/jsonp"), 415),
        (Some("application/json"), 404),
        (Some("Application/JSON; charset=utf-8"), 404),
    ] {
        let mut request = request("POST /v1/gb/query", r#"{"user_id": "u", "question": "x"}"#);
        request.headers_mut().remove(header::CONTENT_TYPE);
        if let Some(kind) = kind {
            request.headers_mut().insert(header::CONTENT_TYPE, kind.parse().expect("a header"));
        }
        let (got, answer) = json(call(&api, request).await).await;
        assert_eq!(got, status, "{kind:?}: {answer}");
    }
}

#[tokio::test]
async fn header_parameter_and_body_must_name_the_same_user() {
    let api = api();
    for (header, param, body, status) in [
        (None, None, Some("u"), 404),
        (None, Some("u"), None, 404),
        (Some("u"), None, None, 404),
        (Some("u"), Some("u"), Some("u"), 404),
        (Some("José"), Some("Jos%C3%A9"), Some("José"), 404),
        (Some("u"), None, Some("v"), 400),
        (Some("u"), Some("v"), None, 400),
        (Some("u"), Some("u"), Some("v"), 400),
        (None, Some("u"), Some("v"), 400),
        (None, None, None, 400),
    ] {
        let line = format!("POST /v1/gb/query{}", param.map_or(String::new(), |user| format!("?user_id={user}")));
        let json_body = match body {
            Some(user) => serde_json::json!({"question": "x", "user_id": user}),
            None => serde_json::json!({"question": "x"}),
        };
        let mut request = request(&line, json_body.to_string());
        if let Some(user) = header {
            request.headers_mut().insert("gb-user-id", user.as_bytes().try_into().expect("a header"));
        }
        let (got, answer) = json(call(&api, request).await).await;
        assert_eq!(got, status, "{header:?} {param:?} {body:?}: {answer}");
        if status == 400 {
            assert_eq!(answer["field"], "user_id", "{answer}");
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_404_and_405_in_json() {
    let api = api();
    for line in ["GET /", "GET /v1/gb/nothing", "POST /v1/gb", "GET /v1/gb/facts/", "GET /v1/gb/artifacts/1/2"] {
        let (status, answer) = json(call(&api, request(line, "")).await).await;
        assert_eq!((status, &answer["code"]), (404, &"not_found".into()), "{line}");
    }
    for (line, allow) in [
        ("GET /v1/gb/remember", "POST"),
        ("POST /v1/gb/facts", "GET,HEAD"),
        ("DELETE /v1/gb/timeline", "GET,HEAD"),
        ("PUT /v1/gb/query", "POST"),
        ("POST /v1/gb/datasets", "GET,HEAD"),
        ("POST /v1/gb/datasets/x", "GET,HEAD,PUT,DELETE"),
        ("GET /v1/gb/edges/1/retract", "POST"),
        ("DELETE /v1/gb/runs/1", "GET,HEAD"),
        ("POST /healthz", "GET,HEAD"),
    ] {
        let response = call(&api, request(line, "")).await;
        let allowed = response.headers().get(header::ALLOW).expect("the header").to_str().expect("a text").to_owned();
        let (status, answer) = json(response).await;
        assert_eq!((status, &answer["code"], &*allowed), (405, &"method_not_allowed".into(), allow), "{line}");
    }
}

#[tokio::test]
async fn parameters_that_are_not_utf_8_are_refused() {
    let api = api();
    let (status, answer) = json(call(&api, request("GET /v1/gb/facts?user_id=%FF", "")).await).await;
    assert_eq!((status, &answer["error"]), (400, &"the parameters are not UTF-8".into()));
    let (status, _) = json(call(&api, request("GET /v1/gb/facts?user_id=%EF%BF%BD", "")).await).await;
    assert_eq!(status, 404, "U+FFFD itself may be meant");
}
