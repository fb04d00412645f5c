//! The wire: reads questions of both APIs, and sends replies in the shape of the one that was asked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri, header};
use axum::routing::post;
use http_body_util::channel::Channel;
use serde_json::{Value, json};

use super::{Asked, Reply, Shared, lock};

/// What the stand-in counts, whatever was said.
const TOKENS: (u32, u32) = (100, 10);

pub(super) fn router(shared: Arc<Shared>) -> Router {
    let [openai, anthropic] = ["/openai/v1/chat/completions", "/anthropic/v1/messages"];
    Router::new().route(openai, post(chat)).route(anthropic, post(chat)).with_state(shared)
}

async fn chat(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let asked = read(uri.path(), &headers, &body);
    lock(&shared.asked).push(asked.clone());
    let waiting = Waiting::new(Arc::clone(&shared));
    let mut reply = shared.reply(&asked);
    while let Reply::After(delay, later) = reply {
        tokio::time::sleep(delay).await;
        reply = *later;
    }
    if reply == Reply::Silence {
        std::future::pending::<()>().await;
    }
    drop(waiting);
    send(&shared, &asked, reply)
}

/// A question that waits for its answer, until it has one or nobody waits any more.
struct Waiting(Arc<Shared>);

impl Waiting {
    fn new(shared: Arc<Shared>) -> Self {
        shared.waiting.fetch_add(1, Ordering::SeqCst);
        Self(shared)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

fn read(path: &str, headers: &HeaderMap, body: &[u8]) -> Asked {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let content = |role: &str| -> Vec<String> {
        let of_role = messages.iter().filter(|message| message["role"] == role);
        of_role.filter_map(|message| message["content"].as_str().map(str::to_owned)).collect()
    };
    let system = body["system"].as_str().map_or_else(|| content("system").concat(), str::to_owned);
    let document: Value = match content("user").as_slice() {
        [only] => serde_json::from_str(only).unwrap_or_default(),
        _ => Value::Null,
    };
    let schema = ["/response_format/json_schema/schema", "/output_config/format/schema"];
    let headers = headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
    Asked {
        path: path.to_owned(),
        headers: headers.collect::<BTreeMap<_, _>>(),
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        stage: document["stage"].as_str().unwrap_or_default().to_owned(),
        system,
        document,
        schema: schema.iter().find_map(|pointer| body.pointer(pointer).cloned()),
        body,
    }
}

fn send(shared: &Arc<Shared>, asked: &Asked, reply: Reply) -> Response<Body> {
    let is_anthropic = asked.path.starts_with("/anthropic");
    match reply {
        Reply::Text(text) => json_response(200, &completion(is_anthropic, &asked.model, None, &text)),
        Reply::Thought(thought, text) => {
            json_response(200, &completion(is_anthropic, &asked.model, Some(&thought), &text))
        }
        Reply::Status(status, words, retry_after) => {
            let error = json!({"type": "error", "error": {"type": "a_kind", "message": words}});
            let mut response = json_response(status, &error);
            if let Some(value) = retry_after.and_then(|value| value.parse().ok()) {
                response.headers_mut().insert(header::RETRY_AFTER, value);
            }
            response
        }
        Reply::Raw(body) => response(200, Body::from(body)),
        Reply::Half => {
            let whole = completion(is_anthropic, &asked.model, None, "{}").to_string();
            let half = Bytes::copy_from_slice(&whole.as_bytes()[..whole.len() / 2]);
            let (mut sender, body) = Channel::<Bytes, Broken>::new(1);
            tokio::spawn(async move {
                // The client may be gone.
                let _ = sender.send_data(half).await;
                sender.abort(Broken);
            });
            response(200, Body::new(body))
        }
        Reply::Flood(bytes) => response(200, slow(shared, Some(bytes), None)),
        Reply::Drip(distance) => response(200, slow(shared, None, Some(distance))),
        Reply::Redirect(to) => {
            let mut response = response(307, Body::empty());
            response.headers_mut().insert(header::LOCATION, to.parse().expect("a header's value"));
            response
        }
        Reply::Silence | Reply::After(..) => unreachable!("it was waited for"),
    }
}

/// The body ended before its end.
#[derive(Debug)]
struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the body ends here")
    }
}

impl std::error::Error for Broken {}

/// A body that comes in pieces, as many as are taken.
fn slow(shared: &Arc<Shared>, bytes: Option<u64>, distance: Option<Duration>) -> Body {
    let (mut sender, body) = Channel::<Bytes>::new(1);
    let shared = Arc::clone(shared);
    let piece = Bytes::from_static(if distance.is_some() { b" " } else { &[b' '; 16 << 10] });
    tokio::spawn(async move {
        let mut left = bytes.unwrap_or(u64::MAX);
        while left > 0 {
            if let Some(distance) = distance {
                tokio::time::sleep(distance).await;
            }
            if sender.send_data(piece.clone()).await.is_err() {
                return;
            }
            shared.sent.fetch_add(piece.len() as u64, Ordering::SeqCst);
            left = left.saturating_sub(piece.len() as u64);
        }
    });
    Body::new(body)
}

fn completion(is_anthropic: bool, model: &str, thought: Option<&str>, text: &str) -> Value {
    let (input, output) = TOKENS;
    if is_anthropic {
        let thought = thought.map(|thought| json!({"type": "thinking", "thinking": thought, "signature": "s"}));
        let parts: Vec<Value> = thought.into_iter().chain([json!({"type": "text", "text": text})]).collect();
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": parts,
            "stop_reason": "end_turn", "usage": {"input_tokens": input, "output_tokens": output},
        })
    } else {
        let mut message = json!({"role": "assistant", "content": text});
        if let Some(thought) = thought {
            message["reasoning"] = thought.into();
        }
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output},
        })
    }
}

fn json_response(status: u16, body: &Value) -> Response<Body> {
    response(status, Body::from(body.to_string()))
}

fn response(status: u16, body: Body) -> Response<Body> {
    let response = Response::builder().status(status).header(header::CONTENT_TYPE, "application/json");
    response.body(body).expect("the parts are fine")
}
