//! Questions and their answers.

use gligabao_core::recall;
use gligabao_core::recall::Known;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fact::Fact;
use super::limit::EvidenceLimit;
use super::llm::{self, Llm, Models};
use super::series::stats::Stats;
use super::series::{Anchor, Series};
use super::time::{KnownInput, TimeInput};
use super::word::{ModeWord, Word};
use crate::memory::{Asked, Asking};
use crate::store::Usage;

/// A question.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"user_id": "me", "question": "Where does Anna work?", "at": "2022-06-01"}))]
pub struct QueryRequest {
    /// Whose data it is; also accepted as parameter or as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent.
    pub dataset: Option<String>,
    /// 1 byte to 4 KiB.
    pub question: String,
    /// When the answer should hold; now when absent.
    #[schema(inline)]
    pub at: Option<TimeInput>,
    /// As believed when; now when absent.
    #[schema(inline)]
    pub known_at: Option<KnownInput>,
    /// Facts of this wing or of none.
    pub wing: Option<String>,
    /// How many facts of evidence at most.
    #[schema(inline)]
    pub limit: Option<EvidenceLimit>,
    /// Your session, at most 256 bytes: what was asked in it before, and answered, goes along to a model.
    pub session_id: Option<String>,
    /// The model that answers, as `{"query": "…"}`; the operator's when absent.
    pub models: Option<Models>,
    /// Whether the question goes into the run log, and into its session; true when absent.
    pub log: Option<bool>,
}

impl QueryRequest {
    /// How it is asked, besides what it asks.
    #[must_use]
    pub fn asking(&self) -> Asking {
        Asking { session_id: self.session_id.clone(), log: self.log.unwrap_or(true) }
    }
}

impl From<QueryRequest> for recall::QueryRequest {
    fn from(request: QueryRequest) -> Self {
        Self {
            at: request.at.map(|at| at.0),
            known_at: request.known_at.map_or(Known::Now, |known| known.0),
            wing: request.wing,
            limit: request.limit.unwrap_or_default().0,
            models: llm::choices(request.models),
            ..Self::new(request.question)
        }
    }
}

/// A series that evidence is tied to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceSeries {
    /// The fact of the evidence.
    pub edge_id: u64,
    /// How the series is tied to it: to the fact, to one of its entities, or to a text that states it.
    pub anchor: Anchor,
    /// The series, without its anchors.
    pub series: Series,
    /// Of the points in the anchor's window; absent without one, or without points in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_stats: Option<Stats>,
    /// The same of the period that the question names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_stats: Option<Stats>,
}

impl From<recall::EvidenceSeries> for EvidenceSeries {
    fn from(evidence: recall::EvidenceSeries) -> Self {
        Self {
            edge_id: evidence.edge_id.0,
            anchor: evidence.anchor.into(),
            series: evidence.summary.into(),
            window_stats: evidence.window_stats.map(Stats::from),
            asked_stats: evidence.asked_stats.map(Stats::from),
        }
    }
}

/// An answer and what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QueryAnswer {
    /// The run that logs the question; absent when it was asked not to be logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<u64>,
    /// In words.
    pub answer: String,
    /// Who wrote it: a model that was shown the evidence, or the evidence itself.
    pub mode: ModeWord,
    /// Best first.
    pub evidence: Vec<Fact>,
    /// Series that the first facts of the evidence are tied to, at most 20; absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<EvidenceSeries>,
    /// Facts of the evidence that the model says it used, in its order; absent without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<u64>,
    /// What was asked of language models; absent when none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm: Option<Llm>,
}

impl From<Asked<recall::QueryAnswer>> for QueryAnswer {
    fn from(asked: Asked<recall::QueryAnswer>) -> Self {
        let Asked { run_id, answer, calls } = asked;
        Self {
            run_id: run_id.map(|run| run.0),
            answer: answer.answer,
            mode: Word(answer.mode),
            evidence: answer.evidence.into_iter().map(Fact::from).collect(),
            series: answer.series.into_iter().map(EvidenceSeries::from).collect(),
            used: answer.used.into_iter().map(|id| id.0).collect(),
            llm: Llm::of(Usage::of(&calls)),
        }
    }
}
