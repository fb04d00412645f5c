//! What every failed request answers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "error": "limit: must be a whole number from 1 to 1000",
    "code": "invalid",
    "field": "limit",
}))]
pub struct ErrorBody {
    /// What is wrong and what to do next.
    pub error: String,
    /// What kind of failure it is, for programs.
    pub code: String,
    /// The field of the request that it is about, as a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The run that logs the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<u64>,
}
