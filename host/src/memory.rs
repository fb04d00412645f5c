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
mod reads;
mod writes;

use std::sync::Arc;

use gligabao_core::model::{Call, RunId};
use gligabao_core::remember::Extractor;
use gligabao_core::storage::{StorageError, StorageResult};

pub use self::builder::Builder;
pub(crate) use self::error::Failed;
pub use self::error::{BuildError, CallError};
use crate::engine::Engine;
pub use crate::engine::Limits;
use crate::llm::ModelCall;
use crate::store::{Clock, DatasetId, DatasetName, DatasetSummary, SharedStore, UserId};

/// A memory: the component, the store that it works on, and nothing that changes from call to call. Clones share it.
#[derive(Clone)]
pub struct Memory(Arc<Shared>);

struct Shared {
    engine: Engine,
    store: SharedStore,
    clock: Arc<dyn Clock>,
    /// The operator's pattern sets, compiled.
    patterns: Option<Arc<[u8]>>,
    /// Who finds the facts of a text that says nothing of it.
    extractor: Option<Extractor>,
    has_llm: bool,
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
    /// What was asked of language models for it.
    pub calls: Vec<ModelCall>,
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

    /// Ends the runs that a crash left open. To be called once, before the first call. How many there were.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn recover(&self) -> Result<u64, CallError> {
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
        Ok(self.0.store.delete_dataset(dataset).await?)
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
