//! Whether the server can do its work.

use axum::Json;
use axum::extract::State;

use super::Answer;
use crate::memory::Memory;
use crate::wire::error::ErrorBody;
use crate::wire::health::Health;

/// Whether the server and its database answer.
#[utoipa::path(
    get, path = "/healthz", tag = "server",
    responses(
        (status = 200, description = "All is well", body = Health),
        (status = 503, description = "The database does not answer", body = ErrorBody),
    )
)]
pub(crate) async fn healthz(State(memory): State<Memory>) -> Answer<Health> {
    memory.ping().await?;
    Ok(Json(Health { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }))
}
