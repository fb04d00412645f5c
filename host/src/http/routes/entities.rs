//! Whom and what the facts are about.

use axum::Json;
use axum::extract::State;
use gligabao_core::model::EntityId;

use super::Answer;
use crate::http::extract::{Caller, Id, Names, Params};
use crate::memory::Memory;
use crate::wire::entity::{Entities, EntitiesParams, EntityDetail};
use crate::wire::error::ErrorBody;
use crate::wire::scope::ScopeParams;

/// Entities, by ID.
#[utoipa::path(
    get, path = "/v1/gb/entities", tag = "memory", params(EntitiesParams),
    responses(
        (status = 200, description = "The entities", body = Entities),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
    )
)]
pub(crate) async fn list(
    State(memory): State<Memory>,
    caller: Caller,
    Params(params): Params<EntitiesParams>,
) -> Answer<Entities> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    let limit = params.limit.unwrap_or_default().0;
    Ok(Json(memory.list_entities(&scope, params.r#type.as_deref(), limit, params.cursor.as_deref()).await?.into()))
}

/// One entity, with its other names and the artifacts that mention it.
#[utoipa::path(
    get, path = "/v1/gb/entities/{id}", tag = "memory",
    params(("id" = u64, Path, description = "Number of the entity"), ScopeParams),
    responses(
        (status = 200, description = "The entity", body = EntityDetail),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset or entity", body = ErrorBody),
    )
)]
pub(crate) async fn show(
    State(memory): State<Memory>,
    caller: Caller,
    Id(id): Id,
    Params(params): Params<ScopeParams>,
) -> Answer<EntityDetail> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    Ok(Json(memory.get_entity(&scope, EntityId(id)).await?.into()))
}
