//! Artifacts: what callers sent, and what was derived from it.

use gligabao_core::{model, recall};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::limit::ListLimit;
use super::time::Time;
use super::word::{KindWord, Word};

/// One piece of ingested data, without its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Artifact {
    /// Number of the artifact in its dataset.
    pub id: u64,
    /// The artifact that it was derived from; absent for what a caller sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<u64>,
    /// The series that it tells, where it is an observation of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series_id: Option<u64>,
    /// What it is.
    pub kind: KindWord,
    /// Length of its text in bytes.
    pub bytes: u32,
    /// A heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The caller's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The wing that its facts inherit; absent is neutral.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wing: Option<String>,
    /// The reference time: what "now" means in the text.
    pub valid_at: Time,
    /// When the store learned it.
    pub created_at: Time,
}

impl From<model::Artifact> for Artifact {
    fn from(artifact: model::Artifact) -> Self {
        Self {
            id: artifact.id.0,
            parent_id: artifact.parent.map(|id| id.0),
            series_id: artifact.series.map(|id| id.0),
            kind: Word(artifact.kind),
            bytes: artifact.bytes,
            title: artifact.title,
            session_id: artifact.session_id,
            wing: artifact.wing,
            valid_at: artifact.valid_at.into(),
            created_at: artifact.created_at.into(),
        }
    }
}

/// A part of a list of artifacts, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Artifacts {
    /// The artifacts.
    pub artifacts: Vec<Artifact>,
    /// Where to go on; absent: that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl From<recall::ArtifactsAnswer> for Artifacts {
    fn from(answer: recall::ArtifactsAnswer) -> Self {
        Self { artifacts: answer.artifacts.into_iter().map(Artifact::from).collect(), cursor: answer.cursor }
    }
}

/// An artifact with its text and what was derived from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ArtifactDetail {
    /// The artifact.
    #[serde(flatten)]
    pub artifact: Artifact,
    /// The whole text.
    pub text: String,
    /// The newest 1,000 of its children, ascending.
    pub children: Vec<u64>,
}

impl From<recall::ArtifactAnswer> for ArtifactDetail {
    fn from(answer: recall::ArtifactAnswer) -> Self {
        Self {
            artifact: answer.artifact.into(),
            text: answer.text,
            children: answer.children.into_iter().map(|id| id.0).collect(),
        }
    }
}

/// Which artifacts.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ArtifactsParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent.
    pub dataset: Option<String>,
    /// Artifacts of this session.
    pub session_id: Option<String>,
    /// Artifacts of this wing or of none.
    pub wing: Option<String>,
    /// How many artifacts at most.
    #[param(inline)]
    pub limit: Option<ListLimit>,
    /// Where a list before this one left off.
    pub cursor: Option<String>,
}
