//! Questions.

use axum::Json;
use axum::extract::State;

use super::Answer;
use crate::http::extract::{Body, Caller, Names, Params};
use crate::memory::Memory;
use crate::wire::error::ErrorBody;
use crate::wire::query::{QueryAnswer, QueryRequest};
use crate::wire::scope::ScopeParams;

/// Answer a question, with the facts that the answer rests on.
#[utoipa::path(
    post, path = "/v1/gb/query", tag = "memory", params(ScopeParams), request_body = QueryRequest,
    responses(
        (status = 200, description = "The answer", body = QueryAnswer),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
        (status = 429, description = "A budget is used up; `retry-after` says for how long", body = ErrorBody),
        (status = 502, description = "The model gave no usable answer", body = ErrorBody),
        (status = 503, description = "Busy, or something that is needed does not answer", body = ErrorBody),
    )
)]
pub(crate) async fn query(
    State(memory): State<Memory>,
    caller: Caller,
    Params(params): Params<ScopeParams>,
    Body(request): Body<QueryRequest>,
) -> Answer<QueryAnswer> {
    let scope = caller.scope(
        Names::new(params.user_id.as_ref(), params.dataset.as_ref()),
        Names::new(request.user_id.as_ref(), request.dataset.as_ref()),
    )?;
    let asking = request.asking();
    Ok(Json(memory.try_query(&scope, request.into(), asking).await?.into()))
}
