//! What calls did.

use axum::Json;
use axum::extract::State;

use super::Answer;
use crate::http::extract::{Caller, Name, Params};
use crate::memory::{Memory, Scope};
use crate::wire::error::ErrorBody;
use crate::wire::history::{History, HistoryParams};

/// What calls did, oldest first, as the commits of the repository say.
#[utoipa::path(
    get, path = "/v1/gb/datasets/{name}/history", tag = "git",
    params(("name" = String, Path, description = "Name of the dataset"), HistoryParams),
    responses(
        (status = 200, description = "The calls", body = History),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
    )
)]
pub(crate) async fn list(
    State(memory): State<Memory>,
    caller: Caller,
    Name(dataset): Name,
    Params(params): Params<HistoryParams>,
) -> Answer<History> {
    let user = caller.user(params.user_id.as_deref(), None)?;
    Ok(Json(memory.list_history(&Scope { user, dataset }, params.into()).await?.into()))
}
