//! Datasets.

use gligabao_core::knowledge;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::limit::ListLimit;
use super::time::Time;
use crate::store::DatasetSummary;

/// How much is in a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Counts {
    /// Number of artifacts.
    pub artifacts: u64,
    /// Number of entities.
    pub entities: u64,
    /// Number of facts, retracted ones included.
    pub edges: u64,
    /// Number of facts that are neither closed by a rule nor retracted.
    pub live_edges: u64,
}

/// A dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Dataset {
    /// Unique among the user's datasets.
    pub name: String,
    /// For people.
    pub description: String,
    /// Sorted, once each.
    pub tags: Vec<String>,
    /// When it was made.
    pub created_at: Time,
    /// Number of the last logged call.
    pub seq: u64,
    /// `seq` of the last call that changed it; 0 when none did. `known_at` takes it.
    pub version: u64,
    /// How much is in it.
    pub counts: Counts,
}

impl From<DatasetSummary> for Dataset {
    fn from(summary: DatasetSummary) -> Self {
        let DatasetSummary { head, artifacts, entities, edges, live_edges } = summary;
        Self {
            name: head.name,
            description: head.description,
            tags: head.tags,
            created_at: head.created_at.into(),
            seq: head.seq,
            version: head.version,
            counts: Counts { artifacts, entities, edges, live_edges },
        }
    }
}

/// A part of a list of datasets, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Datasets {
    /// The datasets.
    pub datasets: Vec<Dataset>,
    /// Where to go on; absent: that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What people say of a dataset. What is absent stays as it is.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"description": "Three years of a small company", "tags": ["demo"]}))]
pub struct DatasetBody {
    /// Whose data it is; also accepted as parameter or as header `gb-user-id`.
    pub user_id: Option<String>,
    /// At most 4,000 bytes.
    pub description: Option<String>,
    /// At most 64 tags of 1 to 64 bytes.
    pub tags: Option<Vec<String>>,
}

impl From<DatasetBody> for knowledge::DatasetRequest {
    fn from(body: DatasetBody) -> Self {
        Self { description: body.description, tags: body.tags }
    }
}

/// Which datasets.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DatasetsParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// How many datasets at most.
    #[param(inline)]
    pub limit: Option<ListLimit>,
    /// Where a list before this one left off.
    pub cursor: Option<String>,
}
