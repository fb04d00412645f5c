//! Time series: as they are sent, and as they are read.

pub mod answer;
pub mod points;
pub mod read;
pub mod request;
pub mod stats;

use gligabao_core::model;
use gligabao_core::series::answer::{SeriesList as CoreList, SeriesSummary};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use self::stats::Stats;
use super::limit::ListLimit;
use super::time::Time;
use super::word::{SeriesSourceWord, Word};

/// What a series is tied to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Anchor {
    /// `artifact`, `entity` or `edge`.
    pub r#type: String,
    /// Number of the artifact, entity or edge.
    pub id: u64,
    /// What the series is to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// First time of the slice that matters to it; absent with `window_end` when all of the series does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub window_start: Option<Time>,
    /// Last time of the slice, inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub window_end: Option<Time>,
}

impl From<model::Anchor> for Anchor {
    fn from(anchor: model::Anchor) -> Self {
        let (window_start, window_end) = anchor.window.unzip();
        Self {
            r#type: anchor.target.kind().to_owned(),
            id: anchor.target.number(),
            role: anchor.role,
            window_start: window_start.map(Time::from),
            window_end: window_end.map(Time::from),
        }
    }
}

/// A series without its points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Series {
    /// Its number.
    pub id: u64,
    /// Who was asked for it; absent for what callers send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Your or the provider's identifier.
    pub key: String,
    /// Which value of the key.
    pub field: String,
    /// For people; the key where nobody gave a name.
    pub name: String,
    /// Of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// A label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<String>,
    /// `supplied` or `fetched`.
    pub source: SeriesSourceWord,
    /// What the provider was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// When it was stored first.
    pub created_at: Time,
    /// How many points it has.
    pub point_count: u64,
    /// Time of the first point; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub first_ts: Option<Time>,
    /// Time of the last point; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub last_ts: Option<Time>,
    /// Of all its points; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stats: Option<Stats>,
    /// The first 1,000 of its anchors.
    pub anchors: Vec<Anchor>,
}

impl From<SeriesSummary> for Series {
    fn from(SeriesSummary { series, stats, anchors }: SeriesSummary) -> Self {
        Self {
            id: series.id.0,
            name: series.title().to_owned(),
            provider: series.provider,
            key: series.key,
            field: series.field,
            unit: series.unit,
            frequency: series.frequency,
            source: Word(series.source),
            definition: series.definition,
            created_at: series.created_at.into(),
            point_count: stats.map_or(0, |stats| stats.count),
            first_ts: stats.map(|stats| stats.first_ts.into()),
            last_ts: stats.map(|stats| stats.last_ts.into()),
            stats: stats.map(Stats::from),
            anchors: anchors.into_iter().map(Anchor::from).collect(),
        }
    }
}

/// Parameters of a list of series. At most one of the numbers says what they are anchored to.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SeriesListParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent.
    pub dataset: Option<String>,
    /// Anchored to this entity.
    pub entity_id: Option<u64>,
    /// Anchored to this text.
    pub artifact_id: Option<u64>,
    /// Anchored to this fact.
    pub edge_id: Option<u64>,
    /// How many at most.
    #[param(inline)]
    pub limit: Option<ListLimit>,
    /// Where a list before this one left off.
    pub cursor: Option<String>,
}

/// A part of a list of series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SeriesList {
    /// The series, by number.
    pub series: Vec<Series>,
    /// Where to go on; absent when that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl From<CoreList> for SeriesList {
    fn from(list: CoreList) -> Self {
        Self { series: list.series.into_iter().map(Series::from).collect(), cursor: list.cursor }
    }
}

/// What a deletion took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Deleted {
    /// The run that logs the call.
    pub run_id: u64,
    /// How many points there were in that time; absent where more than points is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
}
