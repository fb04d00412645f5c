//! Whether the server can do its work.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// That all is well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`.
    #[schema(example = "ok")]
    pub status: String,
    /// Version of the server.
    #[schema(example = "0.1.0")]
    pub version: String,
}
