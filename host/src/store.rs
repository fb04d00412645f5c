//! Where datasets live: the store trait that the engine serves the guest's `storage` from, and its implementations.
//!
//! A store keeps and finds; every decision is the guest's. The verbs of [`Snapshot`] and the meaning of a [`Plan`]
//! are those of `wit/memory/storage.wit`; the suite in `conformance` is their definition. A store of another crate runs it
//! with the feature `conformance`.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use gligabao_core::history::Layout;
use gligabao_core::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, Edge, EdgeEvent, EdgeEventKind, EdgeId, Entity, EntityId, Page,
    Predicate, RunId, SeriesId,
};
use gligabao_core::recall::Turn;
use gligabao_core::series::Point;
use gligabao_core::storage::{
    self, AnchorPage, ArtifactFilter, ArtifactPage, ArtifactText, CommitPage, Committed, Degree, EdgePage, EdgeQuery,
    EntityPage, EventFilter, EventPage, Head, MentionPage, NameMatch, Plan, PointFilter, PointPage, SeriesKey,
    SeriesPage, StatementPage, StorageError, StorageResult, StoredSeries,
};
use gligabao_core::time::Micros;

#[cfg(any(test, feature = "conformance"))]
#[doc(hidden)]
pub mod conformance;
mod inline;
mod log;
pub mod memory;
pub mod sqlite;

pub use log::{
    ModelCall, NewRun, RunEnd, RunFilter, RunKind, RunLog, RunPage, RunRecord, RunStatus, Trajectory, Usage,
};

/// A dataset of a user, as the store numbers them. Only a store makes one, of this crate or another; it is never taken
/// from a request, since who has one has the dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatasetId(i64);

impl DatasetId {
    /// For implementations of [`Store`]: the dataset that they know by this number, which they never use again.
    #[must_use]
    pub const fn from_store(number: i64) -> Self {
        Self(number)
    }

    /// The number that the store gave it.
    #[must_use]
    pub const fn number(self) -> i64 {
        self.0
    }
}

/// Who owns datasets: 1 to 128 bytes without control characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(String);

/// The name of a dataset: `[a-z0-9][a-z0-9_.-]{0,62}`, not ending in `.git`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatasetName(String);

/// A dataset as lists show it. The counts are kept, not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetSummary {
    /// Its row.
    pub head: Head,
    /// Number of artifacts.
    pub artifacts: u64,
    /// Number of entities.
    pub entities: u64,
    /// Number of edges, retracted ones included.
    pub edges: u64,
    /// Number of edges that are neither closed by a rule nor retracted.
    pub live_edges: u64,
}

/// How a dataset is exported as a git repository. Its first export fixes it: with another one all IDs would differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GitSettings {
    /// How files are spread over directories.
    pub layout: Layout,
    /// Whether the points of series are files too.
    pub series: bool,
}

/// Keeps the datasets of all users.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// The user's dataset of this name.
    async fn find_dataset(&self, user: &UserId, name: &DatasetName) -> StorageResult<Option<DatasetId>>;

    /// Finds or makes the user's dataset of this name.
    async fn create_dataset(&self, user: &UserId, name: &DatasetName) -> StorageResult<DatasetId>;

    /// The user's datasets by name, at most `limit` after the name `after`.
    async fn list_datasets(
        &self,
        user: &UserId,
        after: Option<&DatasetName>,
        limit: u32,
    ) -> StorageResult<Vec<DatasetSummary>>;

    /// One dataset with its counts.
    async fn summarize_dataset(&self, dataset: DatasetId) -> StorageResult<DatasetSummary>;

    /// Deletes a dataset with all that is in it. Its ID is never used again.
    async fn delete_dataset(&self, dataset: DatasetId) -> StorageResult<()>;

    /// How the dataset is exported, once that is fixed.
    async fn git_settings(&self, dataset: DatasetId) -> StorageResult<Option<GitSettings>>;

    /// Fixes how the dataset is exported, unless that is fixed already; what holds from then on.
    async fn fix_git_settings(&self, dataset: DatasetId, settings: GitSettings) -> StorageResult<GitSettings>;

    /// The newest version, for reading.
    async fn snapshot(&self, dataset: DatasetId) -> StorageResult<Box<dyn Snapshot>>;

    /// Opens a run. It survives the process, but not for sure the machine: only a commit is durable.
    async fn begin_run(&self, dataset: DatasetId, run: NewRun) -> StorageResult<RunId>;

    /// Applies a plan if the dataset is still at the plan's version, and ends the run with it, its stages and what the
    /// call asked of models so far, in one transaction. Durable when it returns.
    async fn commit(
        &self,
        dataset: DatasetId,
        run: RunId,
        plan: Plan,
        calls: Vec<ModelCall>,
    ) -> StorageResult<Committed>;

    /// Ends a run that committed nothing; it gets the next `seq`, and the version stays.
    async fn end_run(&self, dataset: DatasetId, run: RunId, end: RunEnd, log: RunLog) -> StorageResult<u64>;

    /// Runs of a filter, newest first: at most `limit` (1 to 1,000) that began before `before`.
    async fn list_runs(
        &self,
        dataset: DatasetId,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> StorageResult<RunPage>;

    /// One run with its stages and calls of models, if there is such a run.
    async fn get_run(&self, dataset: DatasetId, run: RunId) -> StorageResult<Option<Trajectory>>;

    /// The last questions of a session that were answered, and their answers: at most `limit`, oldest first.
    async fn turns(&self, dataset: DatasetId, session_id: &str, limit: u32) -> StorageResult<Vec<Turn>>;

    /// Ends as failed every run that a crash left open. Called once, before the first request. How many there were.
    async fn close_open_runs(&self) -> StorageResult<u64>;

    /// Whether the store answers, for health checks.
    async fn ping(&self) -> StorageResult<()>;
}

/// One version of a dataset. The contract of each verb is that of the WIT function of its name.
#[async_trait]
#[expect(missing_docs, reason = "each verb is documented once, in the WIT")]
pub trait Snapshot: Send + Sync {
    async fn head(&self) -> StorageResult<Head>;
    async fn changed_at(&self, seq: u64) -> StorageResult<Option<Micros>>;
    async fn find_names(&self, names: &[String]) -> StorageResult<Vec<NameMatch>>;
    async fn get_entities(&self, ids: &[EntityId]) -> StorageResult<Vec<Entity>>;
    async fn get_entities_at(&self, ids: &[EntityId], seq: u64) -> StorageResult<Vec<Entity>>;
    async fn degrees(&self, ids: &[EntityId]) -> StorageResult<Vec<Degree>>;
    async fn aliases(&self, id: EntityId) -> StorageResult<Vec<String>>;
    async fn list_entities(&self, r#type: Option<&str>, page: Page) -> StorageResult<EntityPage>;
    async fn get_artifacts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<Artifact>>;
    async fn get_texts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<ArtifactText>>;
    async fn list_artifacts(&self, filter: &ArtifactFilter, page: Page) -> StorageResult<ArtifactPage>;
    async fn get_edges(&self, ids: &[EdgeId]) -> StorageResult<Vec<Edge>>;
    async fn find_edges(&self, queries: &[EdgeQuery]) -> StorageResult<Vec<EdgePage>>;
    async fn last_events(
        &self,
        edges: &[EdgeId],
        kinds: &[EdgeEventKind],
        known_at: Option<Micros>,
    ) -> StorageResult<Vec<EdgeEvent>>;
    async fn list_events(&self, filter: EventFilter, page: Page) -> StorageResult<EventPage>;
    async fn list_mentions(&self, entity: EntityId, seq: Option<u64>, page: Page) -> StorageResult<MentionPage>;
    async fn list_statements(&self, edge: EdgeId, seq: Option<u64>, page: Page) -> StorageResult<StatementPage>;
    async fn get_predicates(&self, names: &[String]) -> StorageResult<Vec<Predicate>>;
    async fn list_predicates(&self, after: Option<&str>, limit: u32) -> StorageResult<Vec<Predicate>>;
    async fn find_series(&self, keys: &[SeriesKey]) -> StorageResult<Vec<StoredSeries>>;
    async fn get_series(&self, ids: &[SeriesId]) -> StorageResult<Vec<StoredSeries>>;
    async fn list_series(&self, target: Option<AnchorTarget>, page: Page) -> StorageResult<SeriesPage>;
    async fn list_anchors(&self, series: SeriesId, page: Page) -> StorageResult<AnchorPage>;
    async fn find_anchors(&self, targets: &[AnchorTarget], limit: u32) -> StorageResult<Vec<Anchor>>;
    async fn list_points(&self, series: SeriesId, filter: PointFilter, limit: u32) -> StorageResult<PointPage>;
    async fn get_points(&self, series: SeriesId, times: &[Micros]) -> StorageResult<Vec<Point>>;
    async fn list_commits(&self, after: u64, limit: u32) -> StorageResult<CommitPage>;
    async fn list_runs(&self, after: u64, limit: u32) -> StorageResult<storage::RunPage>;
}

/// Where transaction times come from. Tests bring their own.
pub trait Clock: Send + Sync + 'static {
    /// Now; a store never lets transaction time go back, whatever this says.
    fn now(&self) -> Micros;
}

/// The clock of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Micros {
        Micros(chrono::Utc::now().timestamp_micros())
    }
}

/// What a store says to a commit or an end of a run that is not open.
fn run_is_not_open(run: RunId) -> StorageError {
    StorageError::Invalid(format!("run {run} is not open: it ended, or never began"))
}

/// What a store says in [`StorageError::Unavailable`] when all of its readers are taken: a caller who comes back soon is
/// served, and is told so.
pub const TOO_BUSY: &str = "too many reads at once; try again later";

/// All readers of a store are taken.
pub(crate) fn too_busy() -> StorageError {
    StorageError::Unavailable(TOO_BUSY.to_owned())
}

/// Whether that is all that is wrong.
pub(crate) fn is_too_busy(error: &StorageError) -> bool {
    matches!(error, StorageError::Unavailable(why) if why == TOO_BUSY)
}

/// A store that is shared by all calls of a server.
pub type SharedStore = Arc<dyn Store>;

/// A name that breaks its rule; says what the rule is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NameError(&'static str);

impl UserId {
    /// Checks a user ID.
    ///
    /// # Errors
    /// When it is empty, too long or has control characters.
    pub fn new(id: &str) -> Result<Self, NameError> {
        let fits = !id.is_empty() && id.len() <= 128 && !id.chars().any(char::is_control) && id.trim() == id;
        fits.then(|| Self(id.to_owned()))
            .ok_or(NameError("must be 1 to 128 bytes, without control characters and without blanks at the ends"))
    }

    /// As it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl DatasetName {
    /// Checks the name of a dataset.
    ///
    /// # Errors
    /// When it breaks the rule.
    pub fn new(name: &str) -> Result<Self, NameError> {
        let mut chars = name.chars();
        let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let fits = chars.next().is_some_and(inner)
            && chars.all(|c| inner(c) || matches!(c, '_' | '.' | '-'))
            && name.len() <= 63
            && !name.ends_with(".git");
        fits.then(|| Self(name.to_owned())).ok_or(NameError(
            "must be 1 to 63 of a-z, 0-9, '_', '.' and '-', start with a letter or digit and not end in '.git'",
        ))
    }

    /// As it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for DatasetName {
    /// `main`.
    fn default() -> Self {
        Self("main".to_owned())
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for DatasetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
