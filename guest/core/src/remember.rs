//! A text goes in; its artifact, entities and facts are stored in one commit.

mod anchors;
mod bearers;
mod candidates;
mod cast;
mod extract;
mod material;
mod observe;
mod pipeline;
mod put;
mod resolve;
mod series;
mod state;
mod tell;
mod validate;

pub use pipeline::{preview, remember};
pub use put::put_series;

use crate::model::{ArtifactId, ArtifactKind, EdgeId, Entity, ModelChoice, SeriesId, words};
use crate::recall::Fact;
use crate::series::answer::WrittenSeries;
use crate::series::request::SeriesRequest;
use crate::time::Instant;

words! {
    /// Who finds the facts.
    Extractor {
        /// Nobody: the text is kept as it is.
        Off = "off",
        /// Patterns, without a model.
        Pattern = "pattern",
        /// A language model.
        Llm = "llm",
        /// Both; of equal facts the model's stays.
        Both = "both",
    }
}

impl Extractor {
    /// Whether a language model reads the text, and is asked about contradictions.
    pub(crate) fn asks_a_model(self) -> bool {
        matches!(self, Self::Llm | Self::Both)
    }
}

words! {
    /// What became of a fact that the text states.
    Outcome {
        /// A new row.
        Created = "created",
        /// It was known.
        Confirmed = "confirmed",
        /// It was known; its start is earlier now.
        Revised = "revised",
        /// It was known; its end is now.
        Ended = "ended",
        /// A new row, closed by what was known already.
        Superseded = "superseded",
    }
}

/// What to remember.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// 1 byte to 1 MiB, without NUL.
    pub text: String,
    /// `Knowledge` or `Episode`.
    pub kind: ArtifactKind,
    /// What "now" means in the text; `None`: the call's time.
    pub reference_time: Option<Instant>,
    /// A heading; at most 256 bytes.
    pub title: Option<String>,
    /// The caller's session; at most 256 bytes.
    pub session_id: Option<String>,
    /// The wing of its facts; at most 64 bytes.
    pub wing: Option<String>,
    /// `None`: patterns.
    pub extractor: Option<Extractor>,
    /// IANA name of the zone in which relative dates are meant; `None`: UTC.
    pub timezone: Option<String>,
    /// Who "I" is.
    pub speaker: Option<String>,
    /// The pattern set to read with; `None`: all of them.
    pub language: Option<String>,
    /// The operator's pattern sets, as [`Patterns::to_bytes`](crate::pattern::Patterns::to_bytes) gives them; `None`: the
    /// built-in ones.
    pub patterns: Option<Vec<u8>>,
    /// Models of stages; the operator's where a stage has none here.
    pub models: Vec<ModelChoice>,
    /// Time series that come with the text.
    pub timeseries: Option<Timeseries>,
}

/// Time series that come with a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeseries {
    /// At most 20. One without anchors is anchored to the artifact.
    pub series: Vec<SeriesRequest>,
    /// Whether they are told in words, of which the facts are stored: the first 10.
    pub observations: bool,
    /// Whether points after the reference time are dropped.
    pub clip: bool,
    /// Whether points after the reference time are told.
    pub future: bool,
}

words! {
    /// Which points of series are told in words.
    Observed {
        /// None.
        Nothing = "nothing",
        /// From the first to the last of those that were sent.
        Written = "written",
        /// All.
        All = "all",
    }
}

/// Time series that come by themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesPut {
    /// 1 to 20.
    pub series: Vec<SeriesRequest>,
    /// What is told of them: of the first 10.
    pub observations: Observed,
    /// Whether points after the call's time are told.
    pub future: bool,
    /// Who finds the facts of what is told; `None`: patterns.
    pub extractor: Option<Extractor>,
    /// The wing of those facts; at most 64 bytes.
    pub wing: Option<String>,
    /// Models of stages; the operator's where a stage has none here.
    pub models: Vec<ModelChoice>,
}

impl SeriesPut {
    /// These series, untold.
    #[must_use]
    pub fn new(series: Vec<SeriesRequest>) -> Self {
        let (observations, models) = (Observed::Nothing, Vec::new());
        Self { series, observations, future: false, extractor: None, wing: None, models }
    }
}

impl Request {
    /// Knowledge of the call's time, read by patterns.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            kind: ArtifactKind::Knowledge,
            reference_time: None,
            title: None,
            session_id: None,
            wing: None,
            extractor: None,
            timezone: None,
            speaker: None,
            language: None,
            patterns: None,
            models: Vec::new(),
            timeseries: None,
        }
    }
}

/// A fact that the text states.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldFact {
    /// As it is now.
    pub fact: Fact,
    /// What became of it.
    pub outcome: Outcome,
}

/// An entity that the text mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldEntity {
    /// As it is now.
    pub entity: Entity,
    /// Whether it is new.
    pub created: bool,
}

/// How many extracted items were dropped, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Dropped {
    /// Private by relation or by value.
    pub pii: u32,
    /// Without a name.
    pub empty: u32,
    /// Of an entity to itself.
    pub self_loop: u32,
    /// Over a limit.
    pub invalid: u32,
}

/// A series told in words.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesObservation {
    /// The series.
    pub series_id: SeriesId,
    /// The caller's identifier.
    pub key: String,
    /// Which value of the key.
    pub field: String,
    /// The artifact of the text. It is kept where there was an error too.
    pub artifact_id: Option<ArtifactId>,
    /// The text.
    pub text: String,
    /// Whether the text was there already.
    pub known: bool,
    /// In the order of the text.
    pub entities: Vec<ToldEntity>,
    /// In the order of the text.
    pub edges: Vec<ToldFact>,
    /// Facts that a rule closed, the new ones among them, ascending.
    pub invalidated_edges: Vec<EdgeId>,
    /// Why its facts are missing; `None`: they are not.
    pub error: Option<String>,
}

/// What was stored of series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeriesPutAnswer {
    /// In the order of the request.
    pub series: Vec<WrittenSeries>,
    /// Those that were told, in the order of the request. A series without a point in its window is not among them.
    pub observations: Vec<SeriesObservation>,
    /// What is odd about the request, and was done all the same.
    pub warnings: Vec<String>,
}

/// What was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The artifact.
    pub artifact_id: ArtifactId,
    /// In the order of the text.
    pub entities: Vec<ToldEntity>,
    /// In the order of the text.
    pub edges: Vec<ToldFact>,
    /// Facts that a rule closed, the new ones among them, ascending.
    pub invalidated_edges: Vec<EdgeId>,
    /// What was dropped.
    pub dropped: Dropped,
    /// What became of the series; empty where none were sent.
    pub timeseries: SeriesPutAnswer,
}
