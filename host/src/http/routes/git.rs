//! The history as a git repository: in one piece, and file by file for `git clone` and `git pull` over plain HTTP.

use std::io::{self, Write};
use std::path::{Path as FilePath, PathBuf};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::channel::{Channel, Sender};
use serde::Deserialize;
use tokio::runtime::Handle;
use tower::ServiceExt;
use tower_http::services::ServeFile;

use crate::http::error::ApiError;
use crate::http::extract::{Caller, GitCaller, Name, Params, RepositoryName};
use crate::memory::{Memory, Scope, Sending};
use crate::repository::names;
use crate::store::DatasetName;
use crate::wire::error::ErrorBody;
use crate::wire::history::{CloneParams, GitParams};

/// Bytes that go on their way together.
const PIECE: usize = 64 * 1024;

/// How long a client may take for a piece.
const PATIENCE: Duration = Duration::from_secs(60);

/// Pieces that wait for the client.
const AHEAD: usize = 4;

/// The history as a bare git repository, a tar.gz. The same data gives the same bytes.
#[utoipa::path(
    get, path = "/v1/gb/datasets/{name}/git", tag = "git",
    params(("name" = String, Path, description = "Name of the dataset"), GitParams),
    responses(
        (status = 200, description = "The repository `<name>.git`", body = Vec<u8>, content_type = "application/gzip"),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
        (status = 409, description = "It is exported in another layout, or with or without series", body = ErrorBody),
        (status = 503, description = "Too many exports at the same time", body = ErrorBody),
    )
)]
pub(crate) async fn archive(
    State(memory): State<Memory>,
    caller: Caller,
    Name(dataset): Name,
    Params(params): Params<GitParams>,
) -> Result<Response, ApiError> {
    let user = caller.user(params.user_id.as_deref(), None)?;
    let name = format!("{dataset}.git");
    let archive = memory.git_archive(&Scope { user, dataset }, (&params).into()).await?;
    let disposition = format!("attachment; filename=\"{name}.tar.gz\"");
    let headers = [(header::CONTENT_TYPE, "application/gzip".to_owned()), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, stream(archive, name)).into_response())
}

/// An archive on its way. One that fails is cut off, so that it is no whole gzip.
fn stream(sending: Sending, name: String) -> Body {
    let (sender, channel) = Channel::<Bytes, io::Error>::new(AHEAD);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let mut body = BodyWriter { sender, runtime };
        let written = sending.archive.write(&name, io::BufWriter::with_capacity(PIECE, &mut body));
        if let Err(error) = written {
            tracing::error!(%error, "a repository could not be sent to its end");
            body.sender.abort(error);
        }
    });
    Body::new(channel)
}

/// Writes to the body of an answer, no faster than the client takes it.
struct BodyWriter {
    sender: Sender<Bytes, io::Error>,
    runtime: Handle,
}

impl Write for BodyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let send = self.sender.send_data(Bytes::copy_from_slice(bytes));
        match self.runtime.block_on(async { tokio::time::timeout(PATIENCE, send).await }) {
            Ok(sent) => sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The branch that a clone checks out. Whoever asks for it gets what is new.
#[utoipa::path(
    get, path = "/v1/gb/datasets/{name}/HEAD", tag = "git",
    params(("name" = String, Path, description = "Name of the dataset, with `.git` at the end"), CloneParams),
    responses(
        (status = 200, description = "The file", body = String, content_type = "text/plain"),
        (status = 401, description = "Nobody says who is asking", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
    )
)]
pub(crate) async fn head(
    State(memory): State<Memory>,
    caller: GitCaller,
    RepositoryName(dataset): RepositoryName,
    Params(params): Params<CloneParams>,
    request: Request,
) -> Result<Response, ApiError> {
    newest(&memory, &caller, dataset, &params, "HEAD", request).await
}

/// The branch and its commit. Whoever asks for it gets what is new.
#[utoipa::path(
    get, path = "/v1/gb/datasets/{name}/info/refs", tag = "git",
    params(("name" = String, Path, description = "Name of the dataset, with `.git` at the end"), CloneParams),
    responses(
        (status = 200, description = "The file", body = String, content_type = "text/plain"),
        (status = 401, description = "Nobody says who is asking", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
        (status = 503, description = "Too many exports at the same time", body = ErrorBody),
    )
)]
pub(crate) async fn refs(
    State(memory): State<Memory>,
    caller: GitCaller,
    RepositoryName(dataset): RepositoryName,
    Params(params): Params<CloneParams>,
    request: Request,
) -> Result<Response, ApiError> {
    newest(&memory, &caller, dataset, &params, names::REFS, request).await
}

/// A file that says how new the repository is, once that is up to date.
async fn newest(
    memory: &Memory,
    caller: &GitCaller,
    dataset: DatasetName,
    params: &CloneParams,
    name: &str,
    request: Request,
) -> Result<Response, ApiError> {
    let scope = Scope { user: caller.user(params.user_id.as_deref())?, dataset };
    memory.git_update(&scope).await?;
    send(memory, &scope, name, request).await
}

/// An object, a pack, or the list of packs, as it lies.
#[utoipa::path(
    get, path = "/v1/gb/datasets/{name}/objects/{directory}/{file}", tag = "git",
    params(
        ("name" = String, Path, description = "Name of the dataset, with `.git` at the end"),
        ("directory" = String, Path, description = "`info`, `pack`, or the first two digits of an ID"),
        ("file" = String, Path, description = "`packs`, a pack or its index, or the other 38 digits"),
        CloneParams,
    ),
    responses(
        (status = 200, description = "The file", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 401, description = "Nobody says who is asking", body = ErrorBody),
        (status = 404, description = "No such dataset or file", body = ErrorBody),
    )
)]
pub(crate) async fn object(
    State(memory): State<Memory>,
    caller: GitCaller,
    RepositoryName(dataset): RepositoryName,
    Path(path): Path<ObjectPath>,
    Params(params): Params<CloneParams>,
    request: Request,
) -> Result<Response, ApiError> {
    let ObjectPath { directory, file: name } = path;
    let scope = Scope { user: caller.user(params.user_id.as_deref())?, dataset };
    send(&memory, &scope, &format!("objects/{directory}/{name}"), request).await
}

/// Where an object or a pack is.
#[derive(Debug, Deserialize)]
pub(crate) struct ObjectPath {
    directory: String,
    file: String,
}

async fn send(memory: &Memory, scope: &Scope, name: &str, request: Request) -> Result<Response, ApiError> {
    let kind = names::object_type(name).unwrap_or("text/plain; charset=utf-8");
    let sent = memory.git_file(scope, name, async |path: PathBuf| serve(&path, kind, request).await).await?;
    let missing = || ApiError::new(StatusCode::NOT_FOUND, "not_found", format!("the repository has no file {name}"));
    let mut response = sent.ok_or_else(missing)?;
    let lasts = if names::is_object(name) { "private, max-age=31536000, immutable" } else { "no-cache" };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(lasts));
    Ok(response)
}

async fn serve(path: &FilePath, kind: &str, request: Request) -> Response {
    let kind = kind.parse().expect("it is a content type");
    let Ok(response) = ServeFile::new_with_mime(path, &kind).oneshot(request).await;
    response.map(Body::new)
}
