//! One POST to a server of language models. No more of an answer is read than may be used, no redirect is followed, and
//! no proxy of the environment is asked: the operator consented to this server and no other.

use std::time::Duration;

use axum::http::uri::Scheme;
use axum::http::{HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use super::settings::SettingsError;

/// How long a server may take to accept a connection. One that is slower than that is tried again.
const CONNECT: Duration = Duration::from_secs(10);

/// A client of one server.
pub(super) struct Transport {
    client: Connected,
    uri: Uri,
    headers: Vec<(HeaderName, HeaderValue)>,
    max_body: usize,
}

/// Plain connections need no certificates, which a small machine may lack.
enum Connected {
    Plain(Client<HttpConnector, Full<Bytes>>),
    Tls(Client<HttpsConnector<HttpConnector>, Full<Bytes>>),
}

/// What came back.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: StatusCode,
    pub(super) retry_after: Option<String>,
    pub(super) body: Bytes,
}

/// Why nothing usable came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Broken {
    /// There was no connection; why.
    NoConnection(String),
    /// The connection broke; why.
    Lost(String),
    /// The answer is too long to be one.
    TooLong,
}

impl Transport {
    /// A client that is not connected yet.
    pub(super) fn new(
        uri: Uri,
        headers: Vec<(HeaderName, HeaderValue)>,
        max_body: usize,
    ) -> Result<Self, SettingsError> {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(CONNECT));
        connector.set_nodelay(true);
        connector.enforce_http(false);
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(Duration::from_secs(30)).pool_timer(hyper_util::rt::TokioTimer::new());
        let client = if uri.scheme() == Some(&Scheme::HTTP) {
            Connected::Plain(builder.build(connector))
        } else {
            let untrusted = |error: std::io::Error| {
                SettingsError::Tls(uri.host().unwrap_or_default().to_owned(), error.to_string())
            };
            let connector = HttpsConnectorBuilder::new()
                .with_provider_and_native_roots(rustls::crypto::ring::default_provider())
                .map_err(untrusted)?
                .https_only()
                .enable_http1()
                .wrap_connector(connector);
            Connected::Tls(builder.build(connector))
        };
        Ok(Self { client, uri, headers, max_body })
    }

    /// Host and port of the server.
    pub(super) fn host(&self) -> &str {
        self.uri.authority().map_or("", |authority| authority.as_str())
    }

    /// Sends a body, and reads what comes back as far as it may be used.
    pub(super) async fn post(&self, body: Vec<u8>) -> Result<Response, Broken> {
        let mut request = Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        request.headers_mut().extend(self.headers.iter().map(|(name, value)| (Some(name.clone()), value.clone())));
        let sent = match &self.client {
            Connected::Plain(client) => client.request(request).await,
            Connected::Tls(client) => client.request(request).await,
        };
        let response = sent.map_err(|error| {
            let words = innermost(&error);
            if error.is_connect() { Broken::NoConnection(words) } else { Broken::Lost(words) }
        })?;
        let status = response.status();
        let retry_after = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = retry_after.map(str::to_owned);
        let body = match Limited::new(response.into_body(), self.max_body).collect().await {
            Ok(body) => body.to_bytes(),
            // What a refusal says beyond its status may be missing.
            Err(_) if !status.is_success() => Bytes::new(),
            Err(error) if error.is::<LengthLimitError>() => return Err(Broken::TooLong),
            Err(error) => return Err(Broken::Lost(innermost(&*error))),
        };
        Ok(Response { status, retry_after, body })
    }
}

/// What is at the bottom of an error: that says most.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
