//! What was told.

use axum::Json;
use axum::extract::State;
use gligabao_core::model::ArtifactId;

use super::Answer;
use crate::http::extract::{Caller, Id, Names, Params};
use crate::memory::Memory;
use crate::wire::artifact::{ArtifactDetail, Artifacts, ArtifactsParams};
use crate::wire::error::ErrorBody;
use crate::wire::scope::ScopeParams;

/// What callers sent, newest first.
#[utoipa::path(
    get, path = "/v1/gb/artifacts", tag = "memory", params(ArtifactsParams),
    responses(
        (status = 200, description = "The artifacts", body = Artifacts),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
    )
)]
pub(crate) async fn list(
    State(memory): State<Memory>,
    caller: Caller,
    Params(params): Params<ArtifactsParams>,
) -> Answer<Artifacts> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    let limit = params.limit.unwrap_or_default().0;
    let (session, wing) = (params.session_id.as_deref(), params.wing.as_deref());
    Ok(Json(memory.list_artifacts(&scope, session, wing, limit, params.cursor.as_deref()).await?.into()))
}

/// One artifact, with what was derived from it.
#[utoipa::path(
    get, path = "/v1/gb/artifacts/{id}", tag = "memory",
    params(("id" = u64, Path, description = "Number of the artifact"), ScopeParams),
    responses(
        (status = 200, description = "The artifact", body = ArtifactDetail),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset or artifact", body = ErrorBody),
    )
)]
pub(crate) async fn show(
    State(memory): State<Memory>,
    caller: Caller,
    Id(id): Id,
    Params(params): Params<ScopeParams>,
) -> Answer<ArtifactDetail> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    Ok(Json(memory.get_artifact(&scope, ArtifactId(id)).await?.into()))
}
