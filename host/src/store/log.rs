//! The log of calls: what a run is, what was reached in it, and what was asked of models.

pub use gligabao_core::model::{ModelCall, RunKind};
use gligabao_core::model::{RunId, Stage};
use gligabao_core::recall::Turn;
use gligabao_core::storage::answer::Weigh;
use gligabao_core::time::Micros;
use gligabao_core::words;

words! {
    /// How far a run is.
    RunStatus {
        /// Its call has not ended.
        Running = "running",
        /// Its call did what was asked.
        Done = "done",
        /// Its call failed, or a crash ended it.
        Failed = "failed",
    }
}

/// A run that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    /// What kind of call it logs.
    pub kind: RunKind,
    /// What was asked for: a JSON object. Counts stand for texts and points; only a question is there in its words.
    pub params: String,
    /// The caller's session, at most 256 bytes.
    pub session_id: Option<String>,
}

/// How a call ended that committed nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// It did what was asked, and that changed nothing.
    Done,
    /// It failed; why, in the words that its caller got.
    Failed(String),
}

/// What a call that committed nothing leaves in its run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunLog {
    /// The stages that it reached, in order.
    pub stages: Vec<Stage>,
    /// What it asked of models, in order.
    pub calls: Vec<ModelCall>,
    /// What a question of a session was answered, for the questions after it; `None` for every other call.
    pub answer: Option<String>,
}

/// What calls of models took together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// How many there were.
    pub calls: u64,
    /// Tokens of the prompts, as far as they are known; `None`: of none.
    pub tokens_in: Option<u64>,
    /// Tokens of the answers, as far as they are known; `None`: of none.
    pub tokens_out: Option<u64>,
    /// What those with a known price cost; `None`: none has one.
    pub cost_usd: Option<f64>,
}

/// A run as lists show it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// Its number in the dataset, in the order of the beginnings.
    pub id: RunId,
    /// What kind of call it logs.
    pub kind: RunKind,
    /// How far it is.
    pub status: RunStatus,
    /// What was asked for: a JSON object.
    pub params: String,
    /// The caller's session.
    pub session_id: Option<String>,
    /// When the call began, by the store's clock.
    pub started_at: Micros,
    /// When it ended.
    pub ended_at: Option<Micros>,
    /// Its number among the calls of the dataset, in the order of their ends.
    pub seq: Option<u64>,
    /// Why it failed.
    pub error: Option<String>,
    /// What it took of models.
    pub usage: Usage,
}

/// A run with all that was reached in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// The run.
    pub run: RunRecord,
    /// Its stages, in order. A run that goes on has none yet.
    pub stages: Vec<Stage>,
    /// Its calls of models, in order.
    pub calls: Vec<ModelCall>,
}

/// Which runs; what is absent narrows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Of this kind.
    pub kind: Option<RunKind>,
    /// In this status.
    pub status: Option<RunStatus>,
    /// Of this session.
    pub session_id: Option<String>,
}

/// A part of a list of runs, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPage {
    /// The runs.
    pub runs: Vec<RunRecord>,
    /// The run before which the list goes on; `None`: that was all.
    pub next: Option<RunId>,
}

impl NewRun {
    /// A run of which no more is known than its kind.
    #[must_use]
    pub fn new(kind: RunKind) -> Self {
        Self { kind, params: "{}".to_owned(), session_id: None }
    }
}

impl From<RunKind> for NewRun {
    fn from(kind: RunKind) -> Self {
        Self::new(kind)
    }
}

impl RunEnd {
    /// Why it failed, if it did.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Done => None,
            Self::Failed(why) => Some(why),
        }
    }
}

impl RunFilter {
    /// The kinds that it lets through.
    pub(crate) fn kinds(&self) -> Vec<RunKind> {
        self.kind.map_or_else(|| RunKind::ALL.to_vec(), |kind| vec![kind])
    }

    /// The statuses that it lets through.
    pub(crate) fn statuses(&self) -> Vec<RunStatus> {
        self.status.map_or_else(|| RunStatus::ALL.to_vec(), |status| vec![status])
    }
}

impl Usage {
    /// What these took.
    pub fn of<'a>(calls: impl IntoIterator<Item = &'a ModelCall>) -> Self {
        let add = |sum: Option<u64>, part: Option<u64>| match (sum, part) {
            (Some(sum), Some(part)) => Some(sum.saturating_add(part)),
            (known, None) | (None, known) => known,
        };
        calls.into_iter().fold(Self::default(), |usage, call| Self {
            calls: usage.calls + 1,
            tokens_in: add(usage.tokens_in, call.tokens_in),
            tokens_out: add(usage.tokens_out, call.tokens_out),
            cost_usd: match (usage.cost_usd, call.cost_usd) {
                (Some(sum), Some(part)) => Some(sum + part),
                (known, None) | (None, known) => known,
            },
        })
    }
}

impl Weigh for RunRecord {
    fn weight(&self) -> usize {
        let texts = [&self.session_id, &self.error];
        self.params.len() + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

/// The turn of a session that a question with these params and this answer is.
pub(super) fn turn(params: &str, answer: String) -> Option<Turn> {
    #[derive(serde::Deserialize)]
    struct Asked {
        question: String,
    }
    let Asked { question } = serde_json::from_str(params).ok()?;
    Some(Turn { question, answer })
}
