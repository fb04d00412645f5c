//! The client of the API: on a server, or on a router in this process.

use std::io::Write;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower::ServiceExt;

use super::error::CliError;
use super::screen;
use crate::loopback::is_loopback;
use crate::wire::error::ErrorBody;

/// Calls the API for one user and one dataset.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    transport: Transport,
    user: String,
    dataset: String,
}

#[derive(Debug, Clone)]
enum Transport {
    Inside(Router),
    Server { http: reqwest::Client, base: String },
}

/// What the API answered: JSON, as it came.
#[derive(Debug)]
pub(crate) struct Reply(String);

impl Reply {
    /// As it came, on one line. What a terminal would obey is escaped, as JSON may be.
    pub(crate) fn json(&self) -> String {
        let mut json = String::with_capacity(self.0.len());
        for c in self.0.chars() {
            match c {
                _ if screen::obeyed(c) => json += &format!("\\u{:04x}", u32::from(c)),
                _ => json.push(c),
            }
        }
        json
    }

    /// As a wire type, to be shown: its texts are harmless.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, CliError> {
        let read = || {
            let mut value: Value = serde_json::from_str(&self.0)?;
            disarm(&mut value);
            serde_json::from_value(value)
        };
        read().map_err(|error| {
            CliError::failed(format!("the server answers in a way this version does not understand: {error}"))
        })
    }
}

/// Makes every text of an answer harmless.
fn disarm(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(screen::obeyed) => *text = screen::harmless(text),
        Value::Array(items) => items.iter_mut().for_each(disarm),
        Value::Object(fields) => fields.values_mut().for_each(disarm),
        _ => {}
    }
}

impl Client {
    /// Of a router in this process.
    pub(crate) fn inside(router: Router, user: &str, dataset: &str) -> Self {
        Self { transport: Transport::Inside(router), user: user.to_owned(), dataset: dataset.to_owned() }
    }

    /// Of a server.
    pub(crate) fn of_server(url: &str, user: &str, dataset: &str) -> Result<Self, CliError> {
        let parsed = reqwest::Url::parse(url).ok().filter(|url| url.host().is_some());
        let Some(parsed) = parsed.filter(|url| url.scheme() == "http") else {
            return Err(CliError::start(format!(
                "{url} is no address of a server; give one like http://127.0.0.1:7878"
            )));
        };
        // A proxy of the environment is for the world, not for this machine.
        let here = parsed.host_str().is_some_and(is_loopback);
        let builder = reqwest::Client::builder();
        let http = if here { builder.no_proxy() } else { builder }
            .build()
            .map_err(|error| CliError::start(format!("can't make an HTTP client: {error}")))?;
        let transport = Transport::Server { http, base: url.trim_end_matches('/').to_owned() };
        Ok(Self { transport, user: user.to_owned(), dataset: dataset.to_owned() })
    }

    /// Reads. Absent parameters are left out.
    pub(crate) async fn get(&self, path: &str, params: &[(&str, Option<String>)]) -> Result<Reply, CliError> {
        self.call(Method::GET, path, params, None).await
    }

    /// Reads something of the dataset.
    pub(crate) async fn get_of_dataset(
        &self,
        path: &str,
        params: &[(&str, Option<String>)],
    ) -> Result<Reply, CliError> {
        let mut params = params.to_vec();
        params.push(("dataset", Some(self.dataset.clone())));
        self.get(path, &params).await
    }

    /// Writes to the dataset. Absent fields are left out.
    pub(crate) async fn post(&self, path: &str, fields: Vec<(&str, Option<Value>)>) -> Result<Reply, CliError> {
        let dataset = Some(Value::from(self.dataset.clone()));
        let body = object(fields.into_iter().chain([("dataset", dataset)]));
        self.call(Method::POST, path, &[], Some(body.to_string())).await
    }

    /// Writes a body to the dataset that is long, and JSON already.
    pub(crate) async fn post_json(&self, path: &str, body: String) -> Result<Reply, CliError> {
        self.call(Method::POST, path, &[("dataset", Some(self.dataset.clone()))], Some(body)).await
    }

    /// Makes or changes.
    pub(crate) async fn put(&self, path: &str, fields: Vec<(&str, Option<Value>)>) -> Result<Reply, CliError> {
        self.call(Method::PUT, path, &[], Some(object(fields).to_string())).await
    }

    /// Deletes.
    pub(crate) async fn delete(&self, path: &str) -> Result<Reply, CliError> {
        self.call(Method::DELETE, path, &[], None).await
    }

    /// Deletes something of the dataset.
    pub(crate) async fn delete_of_dataset(
        &self,
        path: &str,
        params: &[(&str, Option<String>)],
    ) -> Result<Reply, CliError> {
        let mut params = params.to_vec();
        params.push(("dataset", Some(self.dataset.clone())));
        self.call(Method::DELETE, path, &params, None).await
    }

    /// Reads something large of a server into a file.
    pub(crate) async fn download(
        &self,
        path: &str,
        params: &[(&str, Option<String>)],
        file: &mut std::fs::File,
    ) -> Result<u64, CliError> {
        let Transport::Server { http, base } = &self.transport else {
            return Err(CliError::failed("there is no server to read from; name one with --server"));
        };
        let mut response = send(http, base, Method::GET, &self.query(path, params), None).await?;
        if !response.status().is_success() {
            let status = response.status();
            return Err(refused(status, &response.bytes().await.unwrap_or_default()));
        }
        let broke = |_| CliError::failed(format!("the answer of {base} broke off; try again"));
        let mut length = 0;
        while let Some(piece) = response.chunk().await.map_err(broke)? {
            file.write_all(&piece)?;
            length += piece.len() as u64;
        }
        Ok(length)
    }

    /// A path with its parameters and the user.
    fn query(&self, path: &str, params: &[(&str, Option<String>)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in params {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        query.append_pair("user_id", &self.user);
        format!("{path}?{}", query.finish())
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        params: &[(&str, Option<String>)],
        body: Option<String>,
    ) -> Result<Reply, CliError> {
        let path = self.query(path, params);
        let (status, bytes) = match &self.transport {
            Transport::Inside(router) => inside(router.clone(), method, &path, body).await?,
            Transport::Server { http, base } => outside(http, base, method, &path, body).await?,
        };
        if status.is_success() {
            let text = String::from_utf8(bytes);
            return text.map(Reply).map_err(|_| CliError::failed("this is no gligabao server: its answer is no text"));
        }
        Err(refused(status, &bytes))
    }
}

/// What a server says that refuses.
fn refused(status: StatusCode, bytes: &[u8]) -> CliError {
    match serde_json::from_slice::<ErrorBody>(bytes) {
        Ok(body) => CliError::failed(body.error),
        Err(_) => CliError::failed(format!("this is no gligabao server: it answers {status} without words")),
    }
}

fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Option<Value>)>) -> Value {
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

async fn inside(
    router: Router,
    method: Method,
    path: &str,
    body: Option<String>,
) -> Result<(StatusCode, Vec<u8>), CliError> {
    let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
    let request = request
        .body(body.map_or_else(Body::empty, Body::from))
        .map_err(|error| CliError::failed(format!("can't make the request: {error}")))?;
    let Ok(response) = router.oneshot(request).await;
    let status = response.status();
    let bytes = response.into_body().collect().await;
    let bytes = bytes.map_err(|error| CliError::failed(format!("the answer broke off: {error}")))?;
    Ok((status, bytes.to_bytes().to_vec()))
}

async fn outside(
    http: &reqwest::Client,
    base: &str,
    method: Method,
    path: &str,
    body: Option<String>,
) -> Result<(StatusCode, Vec<u8>), CliError> {
    let response = send(http, base, method, path, body).await?;
    let status = response.status();
    let bytes = response.bytes().await.map_err(|_| CliError::failed(format!("the answer of {base} broke off")))?;
    Ok((status, bytes.to_vec()))
}

async fn send(
    http: &reqwest::Client,
    base: &str,
    method: Method,
    path: &str,
    body: Option<String>,
) -> Result<reqwest::Response, CliError> {
    let request = http.request(method, format!("{base}{path}"));
    let request = match body {
        Some(body) => request.header(header::CONTENT_TYPE, "application/json").body(body),
        None => request,
    };
    request.send().await.map_err(|error| {
        let why =
            if error.is_connect() { "nothing listens there; start it with `gligabao serve`" } else { "it broke off" };
        CliError::failed(format!("can't reach {base}: {why}"))
    })
}
