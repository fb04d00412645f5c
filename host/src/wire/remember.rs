//! Telling a text.

use gligabao_core::model::ArtifactKind;
use gligabao_core::remember;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fact::Fact;
use super::llm::{self, Llm, Models};
use super::series::answer::{SeriesObservation, WrittenSeries};
use super::series::request::TimeseriesInput;
use super::time::TimeInput;
use super::word::{ExtractorWord, KindWord, OutcomeWord, Word};
use crate::memory::Asked;
use crate::store::Usage;

/// What to remember.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "user_id": "me", "text": "Anna Weber joined Acme in March 2022.", "reference_time": "2022-03-14",
}))]
pub struct RememberRequest {
    /// Whose data it is; also accepted as parameter or as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent. A missing one is made.
    pub dataset: Option<String>,
    /// 1 byte to 1 MiB, without NUL.
    pub text: String,
    /// `knowledge` (when absent) or `episode`.
    #[schema(value_type = Option<String>, example = "knowledge")]
    pub kind: Option<KindWord>,
    /// What "now" means in the text; now when absent. Also accepted as `valid_at`.
    #[serde(alias = "valid_at")]
    #[schema(inline)]
    pub reference_time: Option<TimeInput>,
    /// A heading; at most 256 bytes.
    pub title: Option<String>,
    /// The caller's session; at most 256 bytes.
    pub session_id: Option<String>,
    /// The wing of its facts; at most 64 bytes.
    pub wing: Option<String>,
    /// Who finds the facts; the operator's choice when absent: `llm` where a model is configured, else `pattern`.
    #[schema(inline)]
    pub extractor: Option<ExtractorWord>,
    /// IANA name of the zone in which relative dates are meant; UTC when absent.
    pub timezone: Option<String>,
    /// Who "I" is.
    pub speaker: Option<String>,
    /// The pattern set to read with; all of them when absent.
    pub language: Option<String>,
    /// Models of stages, as `{"extract_graph": "…"}`; the operator's where a stage has none here.
    pub models: Option<Models>,
    /// Time series that come with the text.
    pub timeseries: Option<TimeseriesInput>,
    /// Whether to say what would be stored, and store nothing; false when absent. Models are asked all the same.
    pub dry_run: Option<bool>,
}

impl From<RememberRequest> for remember::Request {
    fn from(request: RememberRequest) -> Self {
        Self {
            kind: request.kind.map_or(ArtifactKind::Knowledge, |kind| kind.0),
            reference_time: request.reference_time.map(|at| at.0),
            title: request.title,
            session_id: request.session_id,
            wing: request.wing,
            extractor: request.extractor.map(|extractor| extractor.0),
            timezone: request.timezone,
            speaker: request.speaker,
            language: request.language,
            models: llm::choices(request.models),
            timeseries: request.timeseries.map(Into::into),
            ..Self::new(request.text)
        }
    }
}

/// An entity that the text mentions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToldEntity {
    /// Number of the entity in its dataset.
    pub id: u64,
    /// As first written.
    pub name: String,
    /// `person`, `organization`, `place` …
    pub r#type: String,
    /// One sentence, or empty.
    pub description: String,
    /// Whether it is new.
    pub created: bool,
}

impl From<remember::ToldEntity> for ToldEntity {
    fn from(told: remember::ToldEntity) -> Self {
        let entity = told.entity;
        Self {
            id: entity.id.0,
            name: entity.name,
            r#type: entity.r#type,
            description: entity.description,
            created: told.created,
        }
    }
}

/// A fact that the text states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToldFact {
    /// As it is now.
    #[serde(flatten)]
    pub fact: Fact,
    /// What became of it.
    pub outcome: OutcomeWord,
}

impl From<remember::ToldFact> for ToldFact {
    fn from(told: remember::ToldFact) -> Self {
        Self { fact: told.fact.into(), outcome: Word(told.outcome) }
    }
}

/// How many extracted items were dropped, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Dropped {
    /// Private by relation.
    pub pii: u32,
    /// Without a name.
    pub empty: u32,
    /// Of an entity to itself.
    pub self_loop: u32,
    /// Over a limit.
    pub invalid: u32,
}

/// What was stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Remembered {
    /// The run that logs the call; absent for a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<u64>,
    /// Whether this is what would be stored, and nothing was; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The text, as stored.
    pub artifact_id: u64,
    /// The dataset that it is in.
    pub dataset: String,
    /// In the order of the text.
    pub entities: Vec<ToldEntity>,
    /// In the order of the text.
    pub edges: Vec<ToldFact>,
    /// Facts that a rule closed, the new ones among them, ascending.
    pub invalidated_edges: Vec<u64>,
    /// What was dropped.
    pub dropped: Dropped,
    /// What became of the series, in the order of the request; absent when none was sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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

impl Remembered {
    /// What a run stored in a dataset, or would store where there is no run.
    #[must_use]
    pub fn new(dataset: String, told: Asked<remember::Answer>) -> Self {
        let Asked { run_id, answer, calls } = told;
        let series = answer.timeseries;
        let remember::Dropped { pii, empty, self_loop, invalid } = answer.dropped;
        Self {
            run_id: run_id.map(|run| run.0),
            dry_run: run_id.is_none(),
            artifact_id: answer.artifact_id.0,
            dataset,
            entities: answer.entities.into_iter().map(ToldEntity::from).collect(),
            edges: answer.edges.into_iter().map(ToldFact::from).collect(),
            invalidated_edges: answer.invalidated_edges.into_iter().map(|id| id.0).collect(),
            dropped: Dropped { pii, empty, self_loop, invalid },
            series: series.series.into_iter().map(WrittenSeries::from).collect(),
            series_observations: series.observations.into_iter().map(SeriesObservation::from).collect(),
            warnings: series.warnings,
            llm: Llm::of(Usage::of(&calls)),
        }
    }
}
