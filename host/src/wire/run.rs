//! The log of calls.

use gligabao_core::model::{RunId, Stage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::limit::ListLimit;
use super::llm::Llm;
use super::time::Time;
use super::word::{RunKindWord, RunStatusWord, Word};
use crate::store::{self, RunFilter, RunPage, RunRecord, Trajectory};

/// A logged call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "run_id": 12, "kind": "query", "status": "done", "started_at": "2024-06-10T08:30:00.25Z",
    "ended_at": "2024-06-10T08:30:01.5Z", "seq": 12, "session_id": "monday",
    "params": {"question": "Where does Anna work?", "limit": 20, "session_id": "monday"},
    "llm": {"calls": 1, "tokens_in": 640, "tokens_out": 32, "cost_usd": 0.0004},
}))]
pub struct Run {
    /// Number of the run in its dataset, in the order of the beginnings.
    pub run_id: u64,
    /// What kind of call it was.
    pub kind: RunKindWord,
    /// How far it is; a run that a crash left open is failed from the next start on.
    pub status: RunStatusWord,
    /// When it began.
    pub started_at: Time,
    /// When it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub ended_at: Option<Time>,
    /// Its number among the calls of the dataset, in the order of their ends; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The caller's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was asked for. A question is in it, and of a text how long it was.
    #[schema(value_type = Object)]
    pub params: Value,
    /// What it took of language models; absent when it asked none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm: Option<Llm>,
}

impl From<RunRecord> for Run {
    fn from(run: RunRecord) -> Self {
        Self {
            run_id: run.id.0,
            kind: Word(run.kind),
            status: Word(run.status),
            started_at: run.started_at.into(),
            ended_at: run.ended_at.map(Time::from),
            seq: run.seq,
            session_id: run.session_id,
            error: run.error,
            params: json(&run.params),
            llm: Llm::of(run.usage),
        }
    }
}

/// A part of a list of runs, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Runs {
    /// The runs.
    pub runs: Vec<Run>,
    /// Where to go on; absent: that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl From<RunPage> for Runs {
    fn from(page: RunPage) -> Self {
        Self { runs: page.runs.into_iter().map(Run::from).collect(), cursor: page.next.map(|run| run.to_string()) }
    }
}

/// One question to a language model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ModelCall {
    /// The stage that asked.
    pub stage: String,
    /// The model.
    pub model: String,
    /// Who serves it.
    pub provider: String,
    /// How hard it was told to think, or what it says that it thought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Tokens of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_in: Option<u64>,
    /// Tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_out: Option<u64>,
    /// In US dollars, by the operator's prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// From the question to the answer or the last failure.
    pub latency_ms: u64,
    /// How often it was sent.
    pub attempts: u32,
    /// Why there is no answer; absent: there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl From<store::ModelCall> for ModelCall {
    fn from(call: store::ModelCall) -> Self {
        let store::ModelCall { stage, model, provider, reasoning, tokens_in, tokens_out, cost_usd, .. } = call;
        let store::ModelCall { latency_ms, attempts, error, .. } = call;
        Self { stage, model, provider, reasoning, tokens_in, tokens_out, cost_usd, latency_ms, attempts, error }
    }
}

/// A stage of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunStage {
    /// Which: `extract_graph`, `find_candidates_by_name`, `load_candidates`, `resolve_edges`, `store_artifact`, `query` …
    pub name: String,
    /// What it worked on, where that is not the text or question of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it gave.
    #[schema(value_type = Object)]
    pub output: Value,
    /// Why it gave less than it should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it asked of language models, in order. Of several stages of one name the first shows the calls of all.
    pub model_calls: Vec<ModelCall>,
}

/// A logged call with all that was reached in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunDetail {
    /// The run.
    #[serde(flatten)]
    pub run: Run,
    /// Its stages, in order; none while it runs.
    pub stages: Vec<RunStage>,
    /// Calls of language models whose stage was not reached to its end, in order.
    pub model_calls: Vec<ModelCall>,
}

impl From<Trajectory> for RunDetail {
    fn from(trajectory: Trajectory) -> Self {
        let Trajectory { run, stages, calls } = trajectory;
        let mut stages: Vec<_> = stages.into_iter().map(RunStage::from).collect();
        let mut model_calls = Vec::new();
        for call in calls {
            let stage = stages.iter_mut().find(|stage| stage.name == call.stage);
            stage.map_or(&mut model_calls, |stage| &mut stage.model_calls).push(call.into());
        }
        Self { run: run.into(), stages, model_calls }
    }
}

impl From<Stage> for RunStage {
    fn from(stage: Stage) -> Self {
        let Stage { name, label, output, error } = stage;
        Self { name, label, output: json(&output), error, model_calls: Vec::new() }
    }
}

/// A document of the log. What another program put there is shown as it is.
fn json(document: &str) -> Value {
    serde_json::from_str(document).unwrap_or_else(|_| document.into())
}

/// Which runs.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RunsParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent.
    pub dataset: Option<String>,
    /// Runs of this kind.
    #[param(inline)]
    pub kind: Option<RunKindWord>,
    /// Runs in this status.
    #[param(inline)]
    pub status: Option<RunStatusWord>,
    /// Runs of this session.
    pub session_id: Option<String>,
    /// How many runs at most.
    #[param(inline)]
    pub limit: Option<ListLimit>,
    /// Where a list before this one left off.
    pub cursor: Option<String>,
}

impl RunsParams {
    /// The filter that they are.
    #[must_use]
    pub fn filter(&self) -> RunFilter {
        RunFilter {
            kind: self.kind.map(|kind| kind.0),
            status: self.status.map(|status| status.0),
            session_id: self.session_id.clone(),
        }
    }

    /// The run before which the list goes on; an error for a cursor that is none.
    pub(crate) fn before(&self) -> Result<Option<RunId>, &'static str> {
        let Some(cursor) = &self.cursor else { return Ok(None) };
        let digits = cursor.bytes().all(|byte| byte.is_ascii_digit());
        let run = cursor.parse().ok().filter(|_| digits).map(RunId);
        run.map(Some).ok_or("is none that a list gave")
    }
}
