//! Telling a text.

use axum::Json;
use axum::extract::State;

use super::Answer;
use crate::http::extract::{Body, Caller, Names, Params, TEXT_AND_SERIES_LIMIT};
use crate::memory::Memory;
use crate::wire::error::ErrorBody;
use crate::wire::remember::{RememberRequest, Remembered};
use crate::wire::scope::ScopeParams;

/// Remember a text: its entities, facts and time series are stored in one commit, or shown as they would be (`dry_run`).
#[utoipa::path(
    post, path = "/v1/gb/remember", tag = "memory", params(ScopeParams), request_body = RememberRequest,
    responses(
        (status = 200, description = "What was stored", body = Remembered),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 413, description = "The text is over 1 MiB, or the series are over 16 MiB", body = ErrorBody),
        (status = 422, description = "Well formed, and can't be met", body = ErrorBody),
        (status = 429, description = "A budget is used up; `retry-after` says for how long", body = ErrorBody),
        (status = 502, description = "The model gave no usable answer; nothing is stored", body = ErrorBody),
        (status = 503, description = "Busy, or something that is needed does not answer", body = ErrorBody),
    )
)]
pub(crate) async fn remember(
    State(memory): State<Memory>,
    caller: Caller,
    Params(params): Params<ScopeParams>,
    Body(request): Body<RememberRequest, TEXT_AND_SERIES_LIMIT>,
) -> Answer<Remembered> {
    let scope = caller.scope(
        Names::new(params.user_id.as_ref(), params.dataset.as_ref()),
        Names::new(request.user_id.as_ref(), request.dataset.as_ref()),
    )?;
    let dataset = scope.dataset.to_string();
    let told = if request.dry_run.unwrap_or(false) {
        memory.preview(&scope, request.into()).await?
    } else {
        memory.try_remember(&scope, request.into()).await?.into()
    };
    Ok(Json(Remembered::new(dataset, told)))
}
