//! Whose data a request is about.

use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// User and dataset, where a request has no other parameters.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ScopeParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent.
    pub dataset: Option<String>,
}

/// User, where the path names the dataset or the request is about all of them.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UserParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
}

/// The body of a request that says no more than whose data it is about. It may be left out.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScopeBody {
    /// Whose data it is.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent.
    pub dataset: Option<String>,
}
