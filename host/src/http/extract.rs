//! Requests as typed values: the body, the parameters, the number in the path, and who is asking.

use std::collections::HashMap;
use std::time::Duration;

use axum::body::{Body as Stream, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::BytesMut;
use gligabao_core::model::{AnchorTarget, ArtifactId, EdgeId, EntityId, SeriesId};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;

use super::error::ApiError;
use super::explain::explain;
use crate::memory::Scope;
use crate::store::{DatasetName, UserId};

/// The header that names the user.
const USER_HEADER: &str = "gb-user-id";

const MIB: usize = 1024 * 1024;

/// A text of 1 MiB fits whatever way JSON escapes it: a byte takes at most six.
pub(crate) const TEXT_LIMIT: usize = 6 * MIB + 64 * 1024;

/// Series that come by themselves.
pub(crate) const SERIES_LIMIT: usize = 16 * MIB;

/// A text with series.
pub(crate) const TEXT_AND_SERIES_LIMIT: usize = TEXT_LIMIT + SERIES_LIMIT;

/// A body over this is cut off.
const FORGOTTEN_LIMIT: usize = 64 * 1024 * 1024;

/// How long a client may take to send its body.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The body as JSON, of at most so many bytes. Unknown and repeated fields, wrong types and other content types are
/// refused.
pub(crate) struct Body<T, const LIMIT: usize = TEXT_LIMIT>(pub(crate) T);

impl<T: DeserializeOwned, const LIMIT: usize, S: Send + Sync> FromRequest<S> for Body<T, LIMIT> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let typed = is_json(request.headers());
        let bytes = read(request, LIMIT).await?;
        if !typed {
            return Err(not_json());
        }
        parse(&bytes).map(Self)
    }
}

/// The body as JSON, or what an empty object means when there is no body.
pub(crate) struct OptionalBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for OptionalBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let typed = is_json(request.headers());
        let bytes = read(request, TEXT_LIMIT).await?;
        match (bytes.is_empty(), typed) {
            (true, _) => parse(b"{}").map(Self),
            (false, true) => parse(&bytes).map(Self),
            (false, false) => Err(not_json()),
        }
    }
}

fn not_json() -> ApiError {
    let message = "the body must be JSON: send it with the header `content-type: application/json`";
    ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
}

/// A page of another origin can send a body without asking first, but not as this type.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let essence = value.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

async fn read(request: Request, limit: usize) -> Result<Bytes, ApiError> {
    match tokio::time::timeout(BODY_TIME, collect(request.into_body(), limit)).await {
        Ok(Ok(Some(body))) => Ok(body),
        Ok(Ok(None)) => {
            let series = if limit == TEXT_LIMIT { "" } else { ", and the series of one request 16 MiB" };
            let message = format!("the body is over {} MiB; a text may have 1 MiB{series}", limit / MIB);
            Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message))
        }
        Ok(Err(_)) => Err(ApiError::malformed("the body could not be read to its end")),
        Err(_) => Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "timed_out", "the body took too long to arrive")),
    }
}

/// The whole body; `None` when it is over the limit. Most of what is over it is read and forgotten, because a caller
/// that is cut off while it sends may never read why.
async fn collect(mut body: Stream, limit: usize) -> Result<Option<Bytes>, axum::Error> {
    let mut kept = BytesMut::new();
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        length += data.len();
        if length <= limit {
            kept.extend_from_slice(&data);
        } else if length > FORGOTTEN_LIMIT {
            break;
        } else {
            kept = BytesMut::new();
        }
    }
    Ok((length <= limit).then(|| kept.freeze()))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ApiError::malformed("the body is not UTF-8"))?;
    // serde would take an array as the fields of an object in their order.
    if text.trim_start().starts_with('[') {
        return Err(ApiError::malformed("the body must be an object, not an array"));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        if error.inner().is_data() {
            explain(&error, "field")
        } else {
            ApiError::malformed(format!("the body is not JSON: {}", error.inner()))
        }
    })?;
    json.end().map_err(|error| ApiError::malformed(format!("the body is not JSON: {error}")))?;
    Ok(value)
}

/// The parameters behind the `?`.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let raw = parts.uri.query().unwrap_or_default();
        let pairs = form_urlencoded::parse(raw.as_bytes());
        // Decoding puts U+FFFD where bytes are not UTF-8; a caller can also mean it, and then spells it out.
        let replaced = pairs.clone().any(|(name, value)| (name + value).contains('\u{FFFD}'));
        if replaced && !raw.to_ascii_uppercase().contains("%EF%BF%BD") {
            return Err(ApiError::malformed("the parameters are not UTF-8"));
        }
        let pairs = serde_urlencoded::Deserializer::new(pairs);
        serde_path_to_error::deserialize(pairs).map(Self).map_err(|error| explain(&error, "parameter"))
    }
}

/// The number that the path ends with or contains.
pub(crate) struct Id(pub(crate) u64);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let segment = Path::<String>::from_request_parts(parts, state).await;
        number("id", segment.as_deref().map_or("", String::as_str)).map(Self)
    }
}

/// A number in the path.
fn number(field: &str, text: &str) -> Result<u64, ApiError> {
    let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| ApiError::field(field, "must be a whole number"))
}

/// A series that the path names, and whether it asks for CSV.
pub(crate) struct SeriesPath {
    pub(crate) id: u64,
    pub(crate) csv: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for SeriesPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let segment = Path::<String>::from_request_parts(parts, state).await;
        let text = segment.as_deref().map_or("", String::as_str);
        let (digits, csv) = text.strip_suffix(".csv").map_or((text, false), |digits| (digits, true));
        Ok(Self { id: number("id", digits)?, csv })
    }
}

/// An anchor that the path names.
pub(crate) struct AnchorPath {
    pub(crate) series: SeriesId,
    pub(crate) target: AnchorTarget,
}

impl<S: Send + Sync> FromRequestParts<S> for AnchorPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let segments = Path::<(String, String, String)>::from_request_parts(parts, state).await;
        let Path((series, kind, target)) = segments.map_err(|_| ApiError::field("id", "must be a whole number"))?;
        let series = SeriesId(number("id", &series)?);
        let id = number("target_id", &target)?;
        let target = match &*kind {
            "artifact" => AnchorTarget::Artifact(ArtifactId(id)),
            "entity" => AnchorTarget::Entity(EntityId(id)),
            "edge" => AnchorTarget::Edge(EdgeId(id)),
            _ => return Err(ApiError::field("type", "must be one of artifact, entity, edge")),
        };
        Ok(Self { series, target })
    }
}

/// The dataset whose repository the path names, with `.git` at the end, and what follows.
pub(crate) struct RepositoryName(pub(crate) DatasetName);

impl<S: Send + Sync> FromRequestParts<S> for RepositoryName {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
        let name = path.ok().and_then(|Path(mut path)| path.remove("name"));
        let name = name.as_deref().and_then(|name| name.strip_suffix(".git"));
        let message = "must be that of a dataset, with .git at the end";
        name.and_then(|name| DatasetName::new(name).ok()).map(Self).ok_or_else(|| ApiError::field("name", message))
    }
}

/// The dataset that the path names.
pub(crate) struct Name(pub(crate) DatasetName);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::field("name", "is not UTF-8"))?;
        DatasetName::new(&text).map(Self).map_err(|error| ApiError::field("name", error.to_string()))
    }
}

/// Who is asking: every place that may name the user, and the ones that may name the dataset.
pub(crate) struct Caller {
    header: Option<String>,
}

/// Who is asking where git is: it can only say so by Basic authentication.
pub(crate) struct GitCaller {
    caller: Caller,
    basic: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for GitCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let Some(header) = parts.headers.get(header::AUTHORIZATION) else { return Ok(Self { caller, basic: None }) };
        let message = "the header authorization is not Basic authentication, which names the user";
        let basic = basic_user(header.as_bytes()).ok_or_else(|| ApiError::field("user_id", message))?;
        Ok(Self { caller, basic: Some(basic) })
    }
}

impl GitCaller {
    /// The user that all places name; git is asked for one if none does.
    pub(crate) fn user(&self, param: Option<&str>) -> Result<UserId, ApiError> {
        let places = [
            ("the header gb-user-id", self.caller.header.as_deref()),
            ("the parameter user_id", param),
            ("the user of the header authorization", self.basic.as_deref()),
        ];
        match agreed("user_id", &places)? {
            Some(name) => UserId::new(name).map_err(|error| ApiError::field("user_id", error.to_string())),
            None => Err(ApiError::unknown_user()),
        }
    }
}

/// The user of Basic authentication. There are no tokens, so there is nothing to hold a password against.
fn basic_user(header: &[u8]) -> Option<String> {
    let (scheme, encoded) = std::str::from_utf8(header).ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = BASE64_STANDARD.decode(encoded.trim()).ok()?;
    let (user, _) = std::str::from_utf8(&decoded).ok()?.split_once(':')?;
    Some(user.to_owned())
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut values = parts.headers.get_all(USER_HEADER).iter();
        let header = match values.next() {
            None => None,
            Some(value) => {
                let text = std::str::from_utf8(value.as_bytes());
                Some(text.map_err(|_| ApiError::field("user_id", "the header gb-user-id is not UTF-8"))?.to_owned())
            }
        };
        if values.next().is_some() {
            return Err(ApiError::field("user_id", "the header gb-user-id is given twice"));
        }
        Ok(Self { header })
    }
}

impl Caller {
    /// The user that header, parameter and body name; they must agree.
    pub(crate) fn user(&self, param: Option<&str>, body: Option<&str>) -> Result<UserId, ApiError> {
        let places =
            [("the header gb-user-id", self.header.as_deref()), ("the parameter user_id", param), ("the body", body)];
        let name = agreed("user_id", &places)?.ok_or_else(|| {
            ApiError::field("user_id", "is missing; name the user in the body, as a parameter or as header gb-user-id")
        })?;
        UserId::new(name).map_err(|error| ApiError::field("user_id", error.to_string()))
    }

    /// The user and the dataset that the request is about; the dataset is `main` when nothing names one.
    pub(crate) fn scope(&self, param: Names<'_>, body: Names<'_>) -> Result<Scope, ApiError> {
        let user = self.user(param.user_id, body.user_id)?;
        let places = [("the parameter dataset", param.dataset), ("the body", body.dataset)];
        let dataset = match agreed("dataset", &places)? {
            Some(name) => DatasetName::new(name).map_err(|error| ApiError::field("dataset", error.to_string()))?,
            None => DatasetName::default(),
        };
        Ok(Scope { user, dataset })
    }
}

/// What one place of a request says of whose data it is about.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Names<'a> {
    pub(crate) user_id: Option<&'a str>,
    pub(crate) dataset: Option<&'a str>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(user_id: Option<&'a String>, dataset: Option<&'a String>) -> Self {
        Self { user_id: user_id.map(String::as_str), dataset: dataset.map(String::as_str) }
    }
}

/// The one value that all places with a value name.
fn agreed<'a>(field: &str, places: &[(&str, Option<&'a str>)]) -> Result<Option<&'a str>, ApiError> {
    let mut named = places.iter().filter_map(|(place, value)| value.map(|value| (place, value)));
    let Some((first, value)) = named.next() else { return Ok(None) };
    match named.find(|(_, other)| *other != value) {
        Some((second, _)) => Err(ApiError::field(field, format!("{first} and {second} do not agree"))),
        None => Ok(Some(value)),
    }
}
