//! Datasets.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::Answer;
use crate::http::error::ApiError;
use crate::http::extract::{Caller, Name, OptionalBody, Params};
use crate::memory::{Memory, Scope};
use crate::store::DatasetName;
use crate::wire::dataset::{Dataset, DatasetBody, Datasets, DatasetsParams};
use crate::wire::error::ErrorBody;
use crate::wire::scope::UserParams;

/// The user's datasets, by name.
#[utoipa::path(
    get, path = "/v1/gb/datasets", tag = "datasets", params(DatasetsParams),
    responses(
        (status = 200, description = "The datasets", body = Datasets),
        (status = 400, description = "Malformed", body = ErrorBody),
    )
)]
pub(crate) async fn list(
    State(memory): State<Memory>,
    caller: Caller,
    Params(params): Params<DatasetsParams>,
) -> Answer<Datasets> {
    let user = caller.user(params.user_id.as_deref(), None)?;
    let after = params.cursor.as_deref().map(DatasetName::new).transpose();
    let after = after.map_err(|_| ApiError::field("cursor", "is none that a list gave"))?;
    let limit = params.limit.unwrap_or_default().0;
    // One more than asked for tells whether the list goes on.
    let mut found = memory.list_datasets(&user, after.as_ref(), limit + 1).await?;
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let datasets: Vec<_> = found.into_iter().map(Dataset::from).collect();
    let cursor = datasets.last().filter(|_| more).map(|last| last.name.clone());
    Ok(Json(Datasets { datasets, cursor }))
}

/// One dataset, with its counts.
#[utoipa::path(
    get, path = "/v1/gb/datasets/{name}", tag = "datasets",
    params(("name" = String, Path, description = "Name of the dataset"), UserParams),
    responses(
        (status = 200, description = "The dataset", body = Dataset),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
    )
)]
pub(crate) async fn show(
    State(memory): State<Memory>,
    caller: Caller,
    Name(dataset): Name,
    Params(params): Params<UserParams>,
) -> Answer<Dataset> {
    let user = caller.user(params.user_id.as_deref(), None)?;
    Ok(Json(memory.get_dataset(&Scope { user, dataset }).await?.into()))
}

/// Make a dataset, or change what people say of it.
#[utoipa::path(
    put, path = "/v1/gb/datasets/{name}", tag = "datasets",
    params(("name" = String, Path, description = "Name of the dataset"), UserParams),
    request_body(content = Option<DatasetBody>, description = "May be left out"),
    responses(
        (status = 200, description = "The dataset", body = Dataset),
        (status = 400, description = "Malformed", body = ErrorBody),
    )
)]
pub(crate) async fn put(
    State(memory): State<Memory>,
    caller: Caller,
    Name(dataset): Name,
    Params(params): Params<UserParams>,
    OptionalBody(body): OptionalBody<DatasetBody>,
) -> Answer<Dataset> {
    let user = caller.user(params.user_id.as_deref(), body.user_id.as_deref())?;
    let scope = Scope { user, dataset };
    let summary = memory.try_put_dataset(&scope, body.into()).await?;
    Ok(Json(summary.into()))
}

/// Delete a dataset with all that is in it.
#[utoipa::path(
    delete, path = "/v1/gb/datasets/{name}", tag = "datasets",
    params(("name" = String, Path, description = "Name of the dataset"), UserParams),
    responses(
        (status = 204, description = "It is gone"),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
    )
)]
pub(crate) async fn delete(
    State(memory): State<Memory>,
    caller: Caller,
    Name(dataset): Name,
    Params(params): Params<UserParams>,
) -> Result<StatusCode, ApiError> {
    let user = caller.user(params.user_id.as_deref(), None)?;
    let scope = Scope { user, dataset };
    memory.delete_dataset(&scope).await?;
    Ok(StatusCode::NO_CONTENT)
}
