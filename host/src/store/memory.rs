//! A store in memory: the reference datasets of the core, for many users. Nothing outlives the process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use gligabao_core::model::RunId;
use gligabao_core::reference::ReferenceDataset;
use gligabao_core::storage::{Committed, Plan, StorageError, StorageResult};

use super::inline::Inline;
use super::{
    Clock, DatasetId, DatasetName, DatasetSummary, RunEnd, RunKind, Snapshot, Store, SystemClock, UserId,
    run_is_not_open,
};

/// Datasets in memory.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    names: BTreeMap<(UserId, DatasetName), DatasetId>,
    datasets: BTreeMap<DatasetId, Kept>,
    /// How many datasets were ever made.
    made: i64,
}

struct Kept {
    data: ReferenceDataset,
    open_runs: BTreeSet<RunId>,
    /// How many runs were ever opened.
    runs: u64,
}

impl MemoryStore {
    /// An empty store that takes its times from `clock`.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the store")
    }
}

impl Default for MemoryStore {
    /// An empty store on the clock of this machine.
    fn default() -> Self {
        Self::new(Arc::new(SystemClock))
    }
}

impl State {
    fn get(&self, dataset: DatasetId) -> StorageResult<&Kept> {
        self.datasets.get(&dataset).ok_or(StorageError::NoDataset)
    }

    fn get_mut(&mut self, dataset: DatasetId) -> StorageResult<&mut Kept> {
        self.datasets.get_mut(&dataset).ok_or(StorageError::NoDataset)
    }
}

impl Kept {
    fn summary(&self) -> DatasetSummary {
        let counts = self.data.counts();
        DatasetSummary {
            head: self.data.head().clone(),
            artifacts: counts.artifacts,
            entities: counts.entities,
            edges: counts.edges,
            live_edges: counts.live_edges,
        }
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn find_dataset(&self, user: &UserId, name: &DatasetName) -> StorageResult<Option<DatasetId>> {
        Ok(self.state().names.get(&(user.clone(), name.clone())).copied())
    }

    async fn create_dataset(&self, user: &UserId, name: &DatasetName) -> StorageResult<DatasetId> {
        let now = self.clock.now();
        let mut state = self.state();
        let key = (user.clone(), name.clone());
        if let Some(id) = state.names.get(&key) {
            return Ok(*id);
        }
        state.made += 1;
        let id = DatasetId::from_store(state.made);
        let data = ReferenceDataset::new(name.as_str(), now);
        state.names.insert(key, id);
        state.datasets.insert(id, Kept { data, open_runs: BTreeSet::new(), runs: 0 });
        Ok(id)
    }

    async fn list_datasets(
        &self,
        user: &UserId,
        after: Option<&DatasetName>,
        limit: u32,
    ) -> StorageResult<Vec<DatasetSummary>> {
        let state = self.state();
        let summaries = state
            .names
            .iter()
            .filter(|((owner, name), _)| owner == user && after.is_none_or(|after| name > after))
            .take(limit as usize)
            .map(|(_, id)| state.get(*id).map(Kept::summary));
        summaries.collect()
    }

    async fn summarize_dataset(&self, dataset: DatasetId) -> StorageResult<DatasetSummary> {
        self.state().get(dataset).map(Kept::summary)
    }

    async fn delete_dataset(&self, dataset: DatasetId) -> StorageResult<()> {
        let mut state = self.state();
        state.datasets.remove(&dataset).ok_or(StorageError::NoDataset)?;
        state.names.retain(|_, id| *id != dataset);
        Ok(())
    }

    async fn snapshot(&self, dataset: DatasetId) -> StorageResult<Box<dyn Snapshot>> {
        let snapshot = self.state().get(dataset)?.data.snapshot();
        Ok(Box::new(Inline(snapshot)))
    }

    async fn begin_run(&self, dataset: DatasetId, _kind: RunKind) -> StorageResult<RunId> {
        let mut state = self.state();
        let kept = state.get_mut(dataset)?;
        kept.runs += 1;
        let run = RunId(kept.runs);
        kept.open_runs.insert(run);
        Ok(run)
    }

    async fn commit(&self, dataset: DatasetId, run: RunId, plan: Plan) -> StorageResult<Committed> {
        let now = self.clock.now();
        let mut state = self.state();
        let kept = state.get_mut(dataset)?;
        if !kept.open_runs.contains(&run) {
            return Err(run_is_not_open(run));
        }
        let committed = kept.data.commit(&plan, run, now)?;
        kept.open_runs.remove(&run);
        Ok(committed)
    }

    async fn end_run(&self, dataset: DatasetId, run: RunId, _end: RunEnd) -> StorageResult<u64> {
        let mut state = self.state();
        let kept = state.get_mut(dataset)?;
        if !kept.open_runs.remove(&run) {
            return Err(run_is_not_open(run));
        }
        Ok(kept.data.end_call())
    }

    async fn close_open_runs(&self) -> StorageResult<u64> {
        // A crash takes the runs along with the store.
        Ok(0)
    }

    async fn ping(&self) -> StorageResult<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::conformance::Bench;

    async fn bench() -> Bench {
        Bench::new(|clock| (MemoryStore::new(clock), ())).await
    }

    crate::store_conformance!(bench());
}
