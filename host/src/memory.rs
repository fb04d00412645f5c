//! The memory as HTTP, the command line and embedders use it: typed calls in, typed answers out.
//!
//! ```no_run
//! # async fn example(store: gligabao::store::SharedStore) -> Result<(), Box<dyn std::error::Error>> {
//! use gligabao::memory::{Memory, Scope};
//! use gligabao::store::{DatasetName, UserId};
//!
//! let memory = Memory::builder().store(store).build()?;
//! let scope = Scope { user: UserId::new("ana")?, dataset: DatasetName::default() };
//! let artifacts = memory.list_artifacts(&scope, None, None, 10, None).await?;
//! # Ok(()) }
//! ```

mod builder;
mod error;
mod git;
mod git_cache;
mod params;
mod reads;
mod runs;
mod series;
mod writes;

use std::sync::Arc;

use gligabao_core::model::{Call, RunId};
use gligabao_core::remember::Extractor;
use gligabao_core::storage::{StorageError, StorageResult};

pub use self::builder::Builder;
pub(crate) use self::error::Failed;
pub use self::error::{BuildError, CallError};
pub use self::git::{ExportError, GitExport, GitRequest};
use self::git_cache::GitCache;
pub(crate) use self::git_cache::Sending;
use crate::engine::Engine;
pub use crate::engine::Limits;
use crate::store::{Clock, DatasetId, DatasetName, DatasetSummary, ModelCall, SharedStore, UserId};

/// A memory: the component, the store that it works on, and nothing that changes from call to call. Clones share it.
#[derive(Clone)]
pub struct Memory(Arc<Shared>);

struct Shared {
    engine: Arc<Engine>,
    store: SharedStore,
    clock: Arc<dyn Clock>,
    /// The operator's pattern sets, compiled.
    patterns: Option<Arc<[u8]>>,
    /// Who finds the facts of a text whose request does not say.
    extractor: Extractor,
    has_llm: bool,
    git: GitCache,
}

/// Whose memory, and which of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scope {
    /// Who owns the dataset.
    pub user: UserId,
    /// Its name.
    pub dataset: DatasetName,
}

/// An answer and the number of the run that logs its call.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged<T> {
    /// The run.
    pub run_id: RunId,
    /// The answer.
    pub answer: T,
    /// What the call asked of models, in order.
    pub calls: Vec<ModelCall>,
}

/// An answer of a call that need not be logged.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked<T> {
    /// The run that logs the call, if it is logged.
    pub run_id: Option<RunId>,
    /// The answer.
    pub answer: T,
    /// What the call asked of models, in order.
    pub calls: Vec<ModelCall>,
}

impl<T> From<Logged<T>> for Asked<T> {
    fn from(logged: Logged<T>) -> Self {
        Self { run_id: Some(logged.run_id), answer: logged.answer, calls: logged.calls }
    }
}

/// How a question is asked, besides what it asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// The caller's session, at most 256 bytes: what was asked and answered in it before goes along.
    pub session_id: Option<String>,
    /// Whether the question and its answer are logged, and so remembered in its session.
    pub log: bool,
}

impl Default for Asking {
    /// Logged, and of no session.
    fn default() -> Self {
        Self { session_id: None, log: true }
    }
}

impl Memory {
    /// A memory in the making.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Whether a language model is configured.
    #[must_use]
    pub fn has_llm(&self) -> bool {
        self.0.has_llm
    }

    /// Ends the runs that a crash left open, and removes what is kept of datasets that are gone. To be called once,
    /// before the first call. How many runs there were.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn recover(&self) -> Result<u64, CallError> {
        if let Err(error) = self.sweep_git().await {
            tracing::warn!(%error, "repositories of deleted datasets could not be removed");
        }
        Ok(self.0.store.close_open_runs().await?)
    }

    /// Whether the store answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), CallError> {
        Ok(self.0.store.ping().await?)
    }

    /// The user's datasets by name, at most `limit` after the name `after`.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list_datasets(
        &self,
        user: &UserId,
        after: Option<&DatasetName>,
        limit: u32,
    ) -> Result<Vec<DatasetSummary>, CallError> {
        Ok(self.0.store.list_datasets(user, after, limit).await?)
    }

    /// One dataset with its counts.
    ///
    /// # Errors
    /// When there is no such dataset or the store fails.
    pub async fn get_dataset(&self, scope: &Scope) -> Result<DatasetSummary, CallError> {
        let dataset = self.find(scope).await?;
        Ok(self.0.store.summarize_dataset(dataset).await?)
    }

    /// Deletes a dataset with all that is in it.
    ///
    /// # Errors
    /// When there is no such dataset or the store fails.
    pub async fn delete_dataset(&self, scope: &Scope) -> Result<(), CallError> {
        let dataset = self.find(scope).await?;
        self.0.store.delete_dataset(dataset).await?;
        if let Err(error) = self.0.git.remove(dataset).await {
            tracing::warn!(%error, "the repository of a deleted dataset could not be removed; the next start tries again");
        }
        Ok(())
    }

    async fn find(&self, scope: &Scope) -> Result<DatasetId, CallError> {
        Ok(self.0.find(scope).await?)
    }

    /// What every call is told of the world.
    fn call(&self) -> Call {
        Call { now: self.0.clock.now() }
    }
}

impl Shared {
    async fn find(&self, scope: &Scope) -> StorageResult<DatasetId> {
        let found = self.store.find_dataset(&scope.user, &scope.dataset).await?;
        found.ok_or(StorageError::NoDataset)
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}
