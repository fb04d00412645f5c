//! What became of series that were sent.

use gligabao_core::remember;
use gligabao_core::series::{anchor, answer};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Anchor;
use crate::memory::Logged;
use crate::store::Usage;
use crate::wire::llm::Llm;
use crate::wire::remember::{ToldEntity, ToldFact};

/// An anchor of a request, as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WrittenAnchor {
    /// The anchor.
    #[serde(flatten)]
    pub anchor: Anchor,
    /// Whether the entity was made for it.
    pub created: bool,
}

/// An anchor that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkippedAnchor {
    /// `entity` or `edge`.
    pub r#type: String,
    /// What was looked for.
    pub name: String,
    /// Why it was left out.
    pub reason: String,
}

impl From<anchor::Skipped> for SkippedAnchor {
    fn from(anchor::Skipped { kind, name, reason }: anchor::Skipped) -> Self {
        Self { r#type: kind, name, reason }
    }
}

/// What became of a series that was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WrittenSeries {
    /// Its number.
    pub id: u64,
    /// Your identifier.
    pub key: String,
    /// Which value of the key.
    pub field: String,
    /// Whether it is new.
    pub created: bool,
    /// How many points were sent.
    pub points: u32,
    /// How many of them overwrote another value.
    pub replaced: u32,
    /// How many points it has now.
    pub point_count: u64,
    /// The anchors of the request.
    pub anchors: Vec<WrittenAnchor>,
    /// Those that were left out; absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_anchors: Vec<SkippedAnchor>,
}

impl From<answer::WrittenSeries> for WrittenSeries {
    fn from(written: answer::WrittenSeries) -> Self {
        let anchors = written.anchors.into_iter();
        let anchors = anchors.map(|made| WrittenAnchor { anchor: made.anchor.into(), created: made.created });
        Self {
            id: written.id.0,
            key: written.key,
            field: written.field,
            created: written.created,
            points: written.points,
            replaced: written.replaced,
            point_count: written.point_count,
            anchors: anchors.collect(),
            skipped_anchors: written.skipped_anchors.into_iter().map(SkippedAnchor::from).collect(),
        }
    }
}

/// A series told in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SeriesObservation {
    /// The series.
    pub series_id: u64,
    /// Your identifier.
    pub key: String,
    /// Which value of the key.
    pub field: String,
    /// The text, as stored; absent where there was an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_id: Option<u64>,
    /// The text.
    pub text: String,
    /// Whether it was there already.
    pub known: bool,
    /// In the order of the text.
    pub entities: Vec<ToldEntity>,
    /// In the order of the text.
    pub edges: Vec<ToldFact>,
    /// Facts that a rule closed, the new ones among them, ascending.
    pub invalidated_edges: Vec<u64>,
    /// Why its facts are missing; absent when they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl From<remember::SeriesObservation> for SeriesObservation {
    fn from(told: remember::SeriesObservation) -> Self {
        Self {
            series_id: told.series_id.0,
            key: told.key,
            field: told.field,
            artifact_id: told.artifact_id.map(|id| id.0),
            text: told.text,
            known: told.known,
            entities: told.entities.into_iter().map(ToldEntity::from).collect(),
            edges: told.edges.into_iter().map(ToldFact::from).collect(),
            invalidated_edges: told.invalidated_edges.into_iter().map(|id| id.0).collect(),
            error: told.error,
        }
    }
}

/// What was stored of series that came by themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PutSeries {
    /// The run that logs the call.
    pub run_id: u64,
    /// Whose data it is.
    pub user_id: String,
    /// The dataset that it is in.
    pub dataset: String,
    /// In the order of the request.
    pub series: Vec<WrittenSeries>,
    /// Those that were told in words; absent when none was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series_observations: Vec<SeriesObservation>,
    /// What is odd about the request, and was done all the same; absent when nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What was asked of language models; absent when none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm: Option<Llm>,
}

impl PutSeries {
    /// What a run stored for a user in a dataset.
    #[must_use]
    pub fn new(user_id: String, dataset: String, done: Logged<remember::SeriesPutAnswer>) -> Self {
        let Logged { run_id, answer, calls } = done;
        Self {
            run_id: run_id.0,
            user_id,
            dataset,
            series: answer.series.into_iter().map(WrittenSeries::from).collect(),
            series_observations: answer.observations.into_iter().map(SeriesObservation::from).collect(),
            warnings: answer.warnings,
            llm: Llm::of(Usage::of(&calls)),
        }
    }
}
