//! Single facts.

use axum::Json;
use axum::extract::State;
use gligabao_core::model::EdgeId;

use super::Answer;
use crate::http::extract::{Caller, Id, Names, OptionalBody, Params};
use crate::memory::Memory;
use crate::wire::edge::{EdgeDetail, Retracted};
use crate::wire::error::ErrorBody;
use crate::wire::scope::{ScopeBody, ScopeParams};
use crate::wire::why::Why;

/// One fact, with its history and its sources.
#[utoipa::path(
    get, path = "/v1/gb/edges/{id}", tag = "memory",
    params(("id" = u64, Path, description = "Number of the fact"), ScopeParams),
    responses(
        (status = 200, description = "The fact", body = EdgeDetail),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset or fact", body = ErrorBody),
    )
)]
pub(crate) async fn show(
    State(memory): State<Memory>,
    caller: Caller,
    Id(id): Id,
    Params(params): Params<ScopeParams>,
) -> Answer<EdgeDetail> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    Ok(Json(memory.get_edge(&scope, EdgeId(id)).await?.into()))
}

/// Why a fact is as it is: what its sources say, the words of their texts, and all that happened to it.
#[utoipa::path(
    get, path = "/v1/gb/edges/{id}/why", tag = "memory",
    params(("id" = u64, Path, description = "Number of the fact"), ScopeParams),
    responses(
        (status = 200, description = "The reasons", body = Why),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset or fact", body = ErrorBody),
    )
)]
pub(crate) async fn why(
    State(memory): State<Memory>,
    caller: Caller,
    Id(id): Id,
    Params(params): Params<ScopeParams>,
) -> Answer<Why> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    Ok(Json(memory.why(&scope, EdgeId(id)).await?.into()))
}

/// Take a fact out of belief. The row stays; what only it had closed holds again.
#[utoipa::path(
    post, path = "/v1/gb/edges/{id}/retract", tag = "memory",
    params(("id" = u64, Path, description = "Number of the fact"), ScopeParams),
    request_body(content = Option<ScopeBody>, description = "May be left out"),
    responses(
        (status = 200, description = "What changed", body = Retracted),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset or fact", body = ErrorBody),
        (status = 409, description = "Already retracted", body = ErrorBody),
    )
)]
pub(crate) async fn retract(
    State(memory): State<Memory>,
    caller: Caller,
    Id(id): Id,
    Params(params): Params<ScopeParams>,
    OptionalBody(body): OptionalBody<ScopeBody>,
) -> Answer<Retracted> {
    let scope = caller.scope(
        Names::new(params.user_id.as_ref(), params.dataset.as_ref()),
        Names::new(body.user_id.as_ref(), body.dataset.as_ref()),
    )?;
    let done = memory.try_retract(&scope, EdgeId(id)).await?;
    Ok(Json(Retracted::new(done.run_id.0, done.answer)))
}
