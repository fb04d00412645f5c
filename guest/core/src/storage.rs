//! The storage port, as `wit/memory/storage.wit` names it: what is stored, never a decision.

pub mod answer;
mod log;
mod plan;
pub mod rules;
mod series;

pub use self::log::{CommitLog, CommitPage, RunPage};
pub use self::plan::{
    AddArtifact, AddEdge, AddEntity, AddEntityEvent, AddEvent, AddParent, Change, DeleteAnchor, DeletePoints, Plan,
    PutPoints, PutSeries, SetDataset,
};
pub use self::series::{AnchorPage, PointFilter, PointPage, SeriesKey, SeriesPage, StoredSeries};
use crate::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, Direction, Edge, EdgeEvent, EdgeEventKind, EdgeId, Entity, EntityId,
    Page, Position, Predicate, SeriesId,
};
use crate::series::Point;
use crate::time::{Instant, Micros};

/// Why storage could not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// The dataset is at this version and not at the plan's.
    #[error("the dataset is at version {0} by now")]
    Conflict(u64),
    /// The snapshot can't be read any more.
    #[error("the dataset moved while it was read")]
    SnapshotGone,
    /// The dataset does not exist (any more).
    #[error("the dataset does not exist any more")]
    NoDataset,
    /// Over a limit of this store.
    #[error("{0}")]
    TooLarge(String),
    /// It breaks a rule of the interface: a defect of the caller. Nothing was changed.
    #[error("{0}")]
    Invalid(String),
    /// Storage does not answer.
    #[error("{0}")]
    Unavailable(String),
}

/// What storage answers.
pub type StorageResult<T> = Result<T, StorageError>;

/// The next free IDs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    /// Of artifacts.
    pub artifact: ArtifactId,
    /// Of entities.
    pub entity: EntityId,
    /// Of edges.
    pub edge: EdgeId,
    /// Of series.
    pub series: SeriesId,
}

/// The row of the dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Unique among the user's datasets.
    pub name: String,
    /// For people.
    pub description: String,
    /// Sorted, once each.
    pub tags: Vec<String>,
    /// When it was made.
    pub created_at: Micros,
    /// Number of the last logged call.
    pub seq: u64,
    /// `seq` of the last call that changed the dataset; 0 when none did.
    pub version: u64,
    /// Transaction time of that change, or of the making of the dataset.
    pub last_at: Micros,
    /// The next free IDs.
    pub next: Counters,
}

/// A normalized name and an entity that has it, as its own name or as an alias.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameMatch {
    /// The name that was asked for.
    pub name: String,
    /// An entity that has it.
    pub entity: EntityId,
}

/// How many edges touch an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Degree {
    /// The entity.
    pub entity: EntityId,
    /// Number of edges with it at either end, retracted ones included.
    pub edges: u64,
}

/// The object of an edge as a key: literals compare normalized.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetKey {
    /// This entity.
    Entity(EntityId),
    /// The normalized form of a literal.
    Text(String),
}

/// A stretch of valid time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Validity {
    /// Any, empty intervals too.
    Any,
    /// Edges that hold at this instant.
    At(Instant),
    /// Edges whose interval meets `[from, until]`, both inclusive; an open side is unbounded.
    Meets((Option<Instant>, Option<Instant>)),
}

/// Which rows by what became of them, as of the time that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Neither closed by a rule nor retracted.
    Live,
    /// Not retracted.
    Believed,
    /// All.
    Any,
}

/// Which edges. All that is given must hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeFilter {
    /// Touching this entity; `None`: any.
    pub entity: Option<EntityId>,
    /// Which end touches it.
    pub direction: Direction,
    /// With this relation; `None`: any.
    pub relation: Option<String>,
    /// With this object; `None`: any.
    pub target: Option<TargetKey>,
    /// By valid time.
    pub validity: Validity,
    /// As held at this transaction time; `None`: as of the snapshot.
    pub known_at: Option<Micros>,
    /// By what became of them.
    pub standing: Standing,
    /// Whether edges with an unknown start are given too.
    pub unknown_start: bool,
    /// With this wing or without any; `None`: whatever the wing.
    pub wing: Option<String>,
}

/// How edges are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeOrder {
    /// By (`valid_at`, ID).
    OldestValid,
    /// By (`valid_at`, ID), backwards.
    LatestValid,
    /// By ID, backwards.
    NewestTold,
}

/// One list of edges.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeQuery {
    /// Which.
    pub filter: EdgeFilter,
    /// In which order.
    pub order: EdgeOrder,
    /// Which part.
    pub page: Page,
}

/// A part of a list of edges.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgePage {
    /// In the order asked for.
    pub edges: Vec<Edge>,
    /// Where to go on; `None`: that was all.
    pub next: Option<Position>,
}

/// A part of a list of entities, by ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityPage {
    /// The entities.
    pub entities: Vec<Entity>,
    /// Where to go on; `None`: that was all.
    pub next: Option<Position>,
}

/// Which artifacts. All that is given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArtifactFilter {
    /// Children of this one; `None`: what callers sent, unless a series is given.
    pub parent: Option<ArtifactId>,
    /// That tell this series; `None`: any. Not together with a parent, session or wing.
    pub series: Option<SeriesId>,
    /// With this reference time; `None`: any. Only together with a series.
    pub valid_at: Option<Instant>,
    /// Of this session; `None`: any.
    pub session_id: Option<String>,
    /// With this wing or without any; `None`: whatever the wing.
    pub wing: Option<String>,
}

/// A part of a list of artifacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactPage {
    /// Newest first.
    pub artifacts: Vec<Artifact>,
    /// Where to go on; `None`: that was all.
    pub next: Option<Position>,
}

/// The text of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactText {
    /// The artifact.
    pub artifact: ArtifactId,
    /// The whole text, byte for byte.
    pub text: String,
}

/// That an artifact mentions an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The entity.
    pub entity: EntityId,
    /// The artifact.
    pub artifact: ArtifactId,
    /// The description that it gave, or empty.
    pub description: String,
}

/// That an artifact states an edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The edge.
    pub edge: EdgeId,
    /// The artifact.
    pub artifact: ArtifactId,
    /// The sentence that it gave.
    pub description: String,
    /// The words that it was read from.
    pub raw_text: Option<String>,
}

/// A part of the artifacts that mention an entity, by ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionPage {
    /// The artifacts.
    pub artifacts: Vec<ArtifactId>,
    /// Where to go on; `None`: that was all.
    pub next: Option<Position>,
}

/// A part of the statements of an edge, by the ID of their artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementPage {
    /// The statements.
    pub statements: Vec<Statement>,
    /// Where to go on; `None`: that was all.
    pub next: Option<Position>,
}

/// Whose events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventFilter {
    /// Of this edge.
    Edge(EdgeId),
    /// Caused by this edge.
    Cause(EdgeId),
    /// Of this commit.
    Seq(u64),
}

/// A part of the log of edges, by (seq, number).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    /// The events.
    pub events: Vec<EdgeEvent>,
    /// Where to go on; `None`: that was all.
    pub next: Option<Position>,
}

/// What a commit assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// Number of the call, and the dataset's version from now on.
    pub seq: u64,
    /// Transaction time, later than every one before.
    pub at: Micros,
}

/// How to take a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// At once. Others may commit first.
    Race,
    /// When it is this call's turn.
    Queue,
}

/// One version of a dataset: every read sees it, or fails with [`StorageError::SnapshotGone`].
/// The contract of each verb is that of the WIT function of its name.
#[expect(missing_docs, reason = "each verb is documented once, in the WIT")]
#[expect(clippy::missing_errors_doc, reason = "every verb fails with what `StorageError` lists")]
pub trait Snapshot {
    fn head(&self) -> StorageResult<Head>;
    fn changed_at(&self, seq: u64) -> StorageResult<Option<Micros>>;
    fn find_names(&self, names: &[String]) -> StorageResult<Vec<NameMatch>>;
    fn get_entities(&self, ids: &[EntityId]) -> StorageResult<Vec<Entity>>;
    fn get_entities_at(&self, ids: &[EntityId], seq: u64) -> StorageResult<Vec<Entity>>;
    fn degrees(&self, ids: &[EntityId]) -> StorageResult<Vec<Degree>>;
    fn aliases(&self, id: EntityId) -> StorageResult<Vec<String>>;
    fn list_entities(&self, r#type: Option<&str>, page: Page) -> StorageResult<EntityPage>;
    fn get_artifacts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<Artifact>>;
    fn get_texts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<ArtifactText>>;
    fn list_artifacts(&self, filter: &ArtifactFilter, page: Page) -> StorageResult<ArtifactPage>;
    fn get_edges(&self, ids: &[EdgeId]) -> StorageResult<Vec<Edge>>;
    fn find_edges(&self, queries: &[EdgeQuery]) -> StorageResult<Vec<EdgePage>>;
    fn last_events(
        &self,
        edges: &[EdgeId],
        kinds: &[EdgeEventKind],
        known_at: Option<Micros>,
    ) -> StorageResult<Vec<EdgeEvent>>;
    fn list_events(&self, filter: EventFilter, page: Page) -> StorageResult<EventPage>;
    fn list_mentions(&self, entity: EntityId, seq: Option<u64>, page: Page) -> StorageResult<MentionPage>;
    fn list_statements(&self, edge: EdgeId, seq: Option<u64>, page: Page) -> StorageResult<StatementPage>;
    fn get_predicates(&self, names: &[String]) -> StorageResult<Vec<Predicate>>;
    fn list_predicates(&self, after: Option<&str>, limit: u32) -> StorageResult<Vec<Predicate>>;
    fn find_series(&self, keys: &[SeriesKey]) -> StorageResult<Vec<StoredSeries>>;
    fn get_series(&self, ids: &[SeriesId]) -> StorageResult<Vec<StoredSeries>>;
    fn list_series(&self, target: Option<AnchorTarget>, page: Page) -> StorageResult<SeriesPage>;
    fn list_anchors(&self, series: SeriesId, page: Page) -> StorageResult<AnchorPage>;
    fn find_anchors(&self, targets: &[AnchorTarget], limit: u32) -> StorageResult<Vec<Anchor>>;
    fn list_points(&self, series: SeriesId, filter: PointFilter, limit: u32) -> StorageResult<PointPage>;
    fn get_points(&self, series: SeriesId, times: &[Micros]) -> StorageResult<Vec<Point>>;
    fn list_commits(&self, after: u64, limit: u32) -> StorageResult<CommitPage>;
    fn list_runs(&self, after: u64, limit: u32) -> StorageResult<RunPage>;
}

/// The right to write one dataset.
#[expect(missing_docs, reason = "each verb is documented once, in the WIT")]
#[expect(clippy::missing_errors_doc, reason = "every verb fails with what `StorageError` lists")]
pub trait Dataset {
    type Snapshot: Snapshot;
    fn latest(&self, turn: Turn) -> StorageResult<Self::Snapshot>;
    fn commit(&self, plan: &Plan) -> StorageResult<Committed>;
}
