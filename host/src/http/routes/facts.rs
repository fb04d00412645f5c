//! Facts and timelines.

use axum::Json;
use axum::extract::State;

use super::Answer;
use crate::http::extract::{Caller, Names, Params};
use crate::memory::Memory;
use crate::wire::error::ErrorBody;
use crate::wire::fact::{Facts, FactsParams, Timeline};

/// Facts as of two times: when they hold, and as believed when.
#[utoipa::path(
    get, path = "/v1/gb/facts", tag = "memory", params(FactsParams),
    responses(
        (status = 200, description = "The facts", body = Facts),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
    )
)]
pub(crate) async fn facts(
    State(memory): State<Memory>,
    caller: Caller,
    Params(params): Params<FactsParams>,
) -> Answer<Facts> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    Ok(Json(memory.facts(&scope, params.into_facts()?).await?.into()))
}

/// All facts of an entity in time, retracted ones too, each with what closed it.
#[utoipa::path(
    get, path = "/v1/gb/timeline", tag = "memory", params(FactsParams),
    responses(
        (status = 200, description = "The facts", body = Timeline),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
    )
)]
pub(crate) async fn timeline(
    State(memory): State<Memory>,
    caller: Caller,
    Params(params): Params<FactsParams>,
) -> Answer<Timeline> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    Ok(Json(memory.timeline(&scope, params.into_timeline()?).await?.into()))
}
