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
    let log = request.log.unwrap_or(true);
    let (ended, answer) = memory.try_query(&scope, request.into(), log).await?;
    Ok(Json(QueryAnswer::new(ended.run.map(|run| run.0), answer)))
}
