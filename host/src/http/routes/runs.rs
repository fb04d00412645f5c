//! The log of calls.

use axum::Json;
use axum::extract::State;
use gligabao_core::model::RunId;

use super::Answer;
use crate::http::error::ApiError;
use crate::http::extract::{Caller, Id, Names, Params};
use crate::memory::Memory;
use crate::wire::error::ErrorBody;
use crate::wire::run::{RunDetail, Runs, RunsParams};
use crate::wire::scope::ScopeParams;

/// Logged calls, newest first.
#[utoipa::path(
    get, path = "/v1/gb/runs", tag = "runs", params(RunsParams),
    responses(
        (status = 200, description = "The runs", body = Runs),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
    )
)]
pub(crate) async fn list(
    State(memory): State<Memory>,
    caller: Caller,
    Params(params): Params<RunsParams>,
) -> Answer<Runs> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    let before = params.before().map_err(|what| ApiError::field("cursor", what))?;
    let limit = params.limit.unwrap_or_default().0;
    Ok(Json(memory.list_runs(&scope, &params.filter(), before, limit).await?.into()))
}

/// One logged call with its stages, what each gave, and what it asked of language models.
#[utoipa::path(
    get, path = "/v1/gb/runs/{id}", tag = "runs",
    params(("id" = u64, Path, description = "Number of the run"), ScopeParams),
    responses(
        (status = 200, description = "The run", body = RunDetail),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset or run", body = ErrorBody),
    )
)]
pub(crate) async fn show(
    State(memory): State<Memory>,
    caller: Caller,
    Id(id): Id,
    Params(params): Params<ScopeParams>,
) -> Answer<RunDetail> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    Ok(Json(memory.get_run(&scope, RunId(id)).await?.into()))
}
