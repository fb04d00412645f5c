//! Reads: facts as of two times, timelines, questions, and single things.

mod facts;
mod query;
mod things;
mod timeline;

pub use facts::facts;
pub(crate) use facts::{name_facts, name_facts_by};
pub use query::query;
pub(crate) use things::{first, missing, page};
pub use things::{get_artifact, get_edge, get_entity, list_artifacts, list_entities, why};
pub use timeline::timeline;

use crate::model::{
    Anchor, Artifact, ArtifactId, Direction, Edge, EdgeEvent, EdgeEventKind, EdgeId, Entity, ModelChoice, Stage,
    Target, words,
};
use crate::series::Stats;
use crate::series::answer::SeriesSummary;
use crate::time::{Instant, Micros};

/// When, in valid time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At the call's time.
    Now,
    /// At an instant.
    At(Instant),
    /// All that is not retracted, empty intervals too.
    Any,
    /// Facts whose interval meets `[from, until]`, both inclusive; an open side is unbounded.
    Meets((Option<Instant>, Option<Instant>)),
}

/// As believed when, in transaction time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// As of the snapshot.
    Now,
    /// At a transaction time.
    At(Micros),
    /// After the last change whose `seq` is at most this.
    Version(u64),
}

/// Which facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactsRequest {
    /// Of what this name means, aliases included; `None`: of any entity.
    pub entity: Option<String>,
    /// Which end of the fact the entity is.
    pub direction: Direction,
    /// With this relation; `None`: any.
    pub relation: Option<String>,
    /// When they hold.
    pub at: When,
    /// As believed when.
    pub known_at: Known,
    /// Of this wing or of none; `None`: of any.
    pub wing: Option<String>,
    /// 1 to 1,000.
    pub limit: u32,
    /// Where a list before this one left off.
    pub cursor: Option<String>,
}

impl FactsRequest {
    /// What is known and holds now, of any entity: the first hundred.
    #[must_use]
    pub fn new() -> Self {
        Self {
            entity: None,
            direction: Direction::Both,
            relation: None,
            at: When::Now,
            known_at: Known::Now,
            wing: None,
            limit: 100,
            cursor: None,
        }
    }
}

impl Default for FactsRequest {
    fn default() -> Self {
        Self::new()
    }
}

/// A fact with the names that it is read by.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// The fact, as of what was asked.
    pub edge: Edge,
    /// Name of the subject.
    pub source_name: String,
    /// Name of the object; `None` for a literal.
    pub target_name: Option<String>,
    /// Whether a rule has closed it.
    pub superseded: bool,
}

impl Fact {
    /// The object as it is read: the name of an entity, or the literal.
    #[must_use]
    pub fn object(&self) -> &str {
        match (&self.target_name, &self.edge.target) {
            (Some(name), _) => name,
            (None, Target::Text(text)) => text,
            (None, Target::Entity(_)) => "",
        }
    }
}

/// A part of a list of facts, by (`valid_at`, ID).
#[derive(Debug, Clone, PartialEq)]
pub struct FactsAnswer {
    /// The facts.
    pub facts: Vec<Fact>,
    /// Where to go on; `None`: that was all.
    pub cursor: Option<String>,
}

/// What closed a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closing {
    /// What happened.
    pub event: EdgeEventKind,
    /// When, in transaction time.
    pub at: Micros,
    /// The artifact that caused it.
    pub artifact_id: Option<ArtifactId>,
    /// The fact that caused it.
    pub edge_id: Option<EdgeId>,
}

/// A fact in time.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineFact {
    /// The fact.
    pub fact: Fact,
    /// What closed it; `None` while it is open.
    pub closed_by: Option<Closing>,
}

/// A part of a timeline, by (`valid_at`, ID).
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineAnswer {
    /// The facts.
    pub facts: Vec<TimelineFact>,
    /// Where to go on; `None`: that was all.
    pub cursor: Option<String>,
}

/// A question that was asked before in the same session, and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryRequest {
    /// 1 byte to 4 KiB.
    pub question: String,
    /// When the answer should hold; `None`: at the call's time.
    pub at: Option<Instant>,
    /// As believed when.
    pub known_at: Known,
    /// Of this wing or of none; `None`: of any.
    pub wing: Option<String>,
    /// How many facts of evidence, 1 to 100.
    pub limit: u32,
    /// What was asked before in the session, oldest first; at most 10.
    pub history: Vec<Turn>,
    /// The model of the stage `query`; the operator's if it has none here.
    pub models: Vec<ModelChoice>,
}

impl QueryRequest {
    /// A question about now, of any wing, with ten facts of evidence.
    #[must_use]
    pub fn new(question: impl Into<String>) -> Self {
        Self {
            question: question.into(),
            at: None,
            known_at: Known::Now,
            wing: None,
            limit: 10,
            history: Vec::new(),
            models: Vec::new(),
        }
    }
}

words! {
    /// How a question was answered.
    QueryMode {
        /// By a model that was shown the evidence.
        Llm = "llm",
        /// By the evidence itself.
        Evidence = "evidence",
    }
}

/// A series that evidence is tied to.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceSeries {
    /// The fact of the evidence.
    pub edge_id: EdgeId,
    /// How the series is tied to it.
    pub anchor: Anchor,
    /// The series, without its anchors.
    pub summary: SeriesSummary,
    /// Of the points in the anchor's window; `None` without one, and where it has no point or more than 100,000.
    pub window_stats: Option<Stats>,
    /// The same of the period that the question names.
    pub asked_stats: Option<Stats>,
}

/// An answer and what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryAnswer {
    /// In words.
    pub answer: String,
    /// Who wrote it.
    pub mode: QueryMode,
    /// Best first.
    pub evidence: Vec<Fact>,
    /// Series that the first facts of the evidence are tied to; at most 20, each once.
    pub series: Vec<EvidenceSeries>,
    /// Facts of the evidence that the model says it used, in its order; empty without one.
    pub used: Vec<EdgeId>,
    /// For the log of the call.
    pub stages: Vec<Stage>,
}

/// A part of a list of entities, by ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntitiesAnswer {
    /// The entities.
    pub entities: Vec<Entity>,
    /// Where to go on; `None`: that was all.
    pub cursor: Option<String>,
}

/// An entity with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityAnswer {
    /// The entity.
    pub entity: Entity,
    /// Other names that find it, normalized.
    pub aliases: Vec<String>,
    /// The first 1,000 artifacts that mention it, ascending.
    pub artifacts: Vec<ArtifactId>,
}

/// A part of a list of artifacts, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactsAnswer {
    /// The artifacts.
    pub artifacts: Vec<Artifact>,
    /// Where to go on; `None`: that was all.
    pub cursor: Option<String>,
}

/// An artifact with its text and what was derived from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactAnswer {
    /// The artifact.
    pub artifact: Artifact,
    /// The whole text, byte for byte.
    pub text: String,
    /// The newest 1,000 of its children, ascending.
    pub children: Vec<ArtifactId>,
}

/// A fact with its log and its sources.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeAnswer {
    /// The fact.
    pub fact: Fact,
    /// The first 1,000 artifacts that state it, ascending.
    pub artifacts: Vec<ArtifactId>,
    /// The first 1,000 of its events, oldest first.
    pub events: Vec<EdgeEvent>,
}

/// A part of a text, in bytes of its UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub start: u32,
    /// Where it ends, exclusive.
    pub end: u32,
}

/// An artifact that states a fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The artifact.
    pub artifact: Artifact,
    /// The sentence that it gave.
    pub description: String,
    /// The words that the fact was read from.
    pub raw_text: Option<String>,
    /// Where those words stand in its text.
    pub span: Option<Span>,
    /// The series that it tells, where it is an observation.
    pub series: Option<SeriesSummary>,
}

/// Why a fact is as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyAnswer {
    /// The fact.
    pub fact: Fact,
    /// The first 1,000 artifacts that state it, ascending.
    pub sources: Vec<Source>,
    /// The first 1,000 of its events, oldest first.
    pub events: Vec<EdgeEvent>,
}
