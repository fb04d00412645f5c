//! What calls did, and repositories of it.

use gligabao_core::history;
use gligabao_core::model::{EdgeId, EntityId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::limit::ListLimit;
use super::time::Time;
use super::word::{FormatWord, LayoutWord, RunKindWord, Word};
use crate::memory::GitRequest;

/// What a call did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "seq": 3, "run_id": 3, "kind": "remember", "at": "2024-06-10T08:30:00Z", "failed": false,
    "subject": "remember #3: Anna Weber works at Globex since March 2024.",
    "lines": ["+1 entities, +1 edges", "- invalidated edge 1: Anna Weber works_at Acme"],
}))]
pub struct Entry {
    /// Its number in the order of the ends.
    pub seq: u64,
    /// Its run.
    pub run_id: u64,
    /// What kind of call it was.
    pub kind: RunKindWord,
    /// When it was, as its commit in a repository is dated.
    pub at: Time,
    /// Whether it failed.
    pub failed: bool,
    /// What it was about, as the subject of its commit says.
    pub subject: String,
    /// What it changed, as the body of its commit says; empty when it changed nothing.
    pub lines: Vec<String>,
}

impl From<history::Entry> for Entry {
    fn from(entry: history::Entry) -> Self {
        let history::Entry { seq, run_id, kind, at, failed, subject, lines } = entry;
        Self { seq, run_id: run_id.0, kind: Word(kind), at: at.into(), failed, subject, lines }
    }
}

/// A part of the history, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// The calls.
    pub entries: Vec<Entry>,
    /// Where to go on; absent: that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl From<history::HistoryAnswer> for History {
    fn from(answer: history::HistoryAnswer) -> Self {
        Self { entries: answer.entries.into_iter().map(Entry::from).collect(), cursor: answer.cursor }
    }
}

/// Which calls.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistoryParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// Only those that touched this entity or a fact of it.
    pub entity_id: Option<u64>,
    /// Only those that touched this fact.
    pub edge_id: Option<u64>,
    /// How many calls at most.
    #[param(inline)]
    pub limit: Option<ListLimit>,
    /// Where a list before this one left off.
    pub cursor: Option<String>,
}

impl From<HistoryParams> for history::HistoryRequest {
    fn from(params: HistoryParams) -> Self {
        Self {
            entity: params.entity_id.map(EntityId),
            edge: params.edge_id.map(EdgeId),
            limit: params.limit.unwrap_or_default().0,
            cursor: params.cursor,
        }
    }
}

/// What a repository is to be like.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct GitParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// How objects are stored; by their number when absent.
    #[param(inline)]
    pub format: Option<FormatWord>,
    /// How files are spread over directories. The first export fixes it; `flat` when it doesn't say.
    #[param(inline)]
    pub layout: Option<LayoutWord>,
    /// Whether the points of series are files too. The first export fixes it; not when it doesn't say.
    pub series: Option<bool>,
}

impl From<&GitParams> for GitRequest {
    fn from(params: &GitParams) -> Self {
        Self {
            format: params.format.map(|format| format.0),
            layout: params.layout.map(|layout| layout.0),
            series: params.series,
        }
    }
}

/// What git asks a server of files.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CloneParams {
    /// Whose data it is; also accepted as header `gb-user-id` or as the user of Basic authentication.
    pub user_id: Option<String>,
    /// What git would rather talk to; it gets files all the same.
    pub service: Option<String>,
}
