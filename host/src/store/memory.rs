//! A store in memory: the reference datasets of the core, for many users. Nothing outlives the process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use gligabao_core::model::{Run, RunId};
use gligabao_core::recall::Turn;
use gligabao_core::reference::ReferenceDataset;
use gligabao_core::storage::{Committed, Plan, StorageError, StorageResult, answer};
use gligabao_core::time::Micros;

use super::inline::Inline;
use super::{
    Clock, DatasetId, DatasetName, DatasetSummary, GitSettings, ModelCall, NewRun, RunEnd, RunFilter, RunKind, RunLog,
    RunPage, RunRecord, RunStatus, Snapshot, Store, SystemClock, Trajectory, Usage, UserId, log, run_is_not_open,
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
    /// Every run that was ever opened.
    runs: BTreeMap<RunId, KeptRun>,
    git: Option<GitSettings>,
}

struct KeptRun {
    run: RunRecord,
    log: RunLog,
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
    /// The run of this number, which must not have ended.
    fn open_run(&mut self, run: RunId) -> StorageResult<&mut KeptRun> {
        let kept = self.runs.get_mut(&run).filter(|kept| kept.run.status == RunStatus::Running);
        kept.ok_or_else(|| run_is_not_open(run))
    }

    /// Tells the dataset of a run that has ended.
    fn log_run(&mut self, run: RunId, changed_at: Option<Micros>) {
        let Some(kept) = self.runs.get(&run) else { return };
        let RunRecord { id, kind, params, session_id, started_at, error, .. } = kept.run.clone();
        let (Some(seq), Some(ended_at)) = (kept.run.seq, kept.run.ended_at) else { return };
        let RunLog { stages, calls: model_calls, .. } = kept.log.clone();
        self.data.log_run(Run {
            id,
            seq,
            kind,
            params,
            session_id,
            started_at,
            ended_at,
            changed_at,
            error,
            stages,
            model_calls,
        });
    }

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

impl KeptRun {
    fn end(&mut self, seq: u64, now: Micros, end: RunEnd, log: RunLog) {
        let (status, error) = match end {
            RunEnd::Done => (RunStatus::Done, None),
            RunEnd::Failed(why) => (RunStatus::Failed, Some(why)),
        };
        let usage = Usage::of(&log.calls);
        self.run = RunRecord { status, ended_at: Some(now), seq: Some(seq), error, usage, ..self.run.clone() };
        self.log = log;
    }

    fn matches(&self, filter: &RunFilter) -> bool {
        filter.kind.is_none_or(|kind| kind == self.run.kind)
            && filter.status.is_none_or(|status| status == self.run.status)
            && (filter.session_id.is_none() || filter.session_id == self.run.session_id)
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
        state.datasets.insert(id, Kept { data, runs: BTreeMap::new(), git: None });
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

    async fn git_settings(&self, dataset: DatasetId) -> StorageResult<Option<GitSettings>> {
        Ok(self.state().get(dataset)?.git)
    }

    async fn fix_git_settings(&self, dataset: DatasetId, settings: GitSettings) -> StorageResult<GitSettings> {
        Ok(*self.state().get_mut(dataset)?.git.get_or_insert(settings))
    }

    async fn snapshot(&self, dataset: DatasetId) -> StorageResult<Box<dyn Snapshot>> {
        let snapshot = self.state().get(dataset)?.data.snapshot();
        Ok(Box::new(Inline(snapshot)))
    }

    async fn begin_run(&self, dataset: DatasetId, run: NewRun) -> StorageResult<RunId> {
        let started_at = self.clock.now();
        let mut state = self.state();
        let kept = state.get_mut(dataset)?;
        let id = RunId(kept.runs.len() as u64 + 1);
        let NewRun { kind, params, session_id } = run;
        let (status, usage) = (RunStatus::Running, Usage::default());
        let (ended_at, seq, error) = (None, None, None);
        let run = RunRecord { id, kind, status, params, session_id, started_at, ended_at, seq, error, usage };
        kept.runs.insert(id, KeptRun { run, log: RunLog::default() });
        Ok(id)
    }

    async fn commit(
        &self,
        dataset: DatasetId,
        run: RunId,
        plan: Plan,
        calls: Vec<ModelCall>,
    ) -> StorageResult<Committed> {
        let now = self.clock.now();
        let mut state = self.state();
        let kept = state.get_mut(dataset)?;
        kept.open_run(run)?;
        let committed = kept.data.commit(&plan, run, now)?;
        let log = RunLog { stages: plan.stages, calls, answer: None };
        kept.open_run(run)?.end(committed.seq, now, RunEnd::Done, log);
        kept.log_run(run, Some(committed.at));
        Ok(committed)
    }

    async fn end_run(&self, dataset: DatasetId, run: RunId, end: RunEnd, log: RunLog) -> StorageResult<u64> {
        let now = self.clock.now();
        let mut state = self.state();
        let kept = state.get_mut(dataset)?;
        kept.open_run(run)?;
        let seq = kept.data.end_call();
        kept.open_run(run)?.end(seq, now, end, log);
        kept.log_run(run, None);
        Ok(seq)
    }

    async fn list_runs(
        &self,
        dataset: DatasetId,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> StorageResult<RunPage> {
        let state = self.state();
        let runs = &state.get(dataset)?.runs;
        let runs = runs.range(..before.unwrap_or(RunId(u64::MAX))).rev();
        let runs = runs.filter(|(_, kept)| kept.matches(filter)).map(|(_, kept)| Ok(kept.run.clone()));
        let (runs, more) = answer::page::<_, StorageError>(runs, limit)?;
        let next = runs.last().filter(|_| more).map(|run| run.id);
        Ok(RunPage { runs, next })
    }

    async fn get_run(&self, dataset: DatasetId, run: RunId) -> StorageResult<Option<Trajectory>> {
        let state = self.state();
        let trajectory = |KeptRun { run, log }: &KeptRun| {
            let RunLog { stages, calls, .. } = log.clone();
            Trajectory { run: run.clone(), stages, calls }
        };
        Ok(state.get(dataset)?.runs.get(&run).map(trajectory))
    }

    async fn turns(&self, dataset: DatasetId, session_id: &str, limit: u32) -> StorageResult<Vec<Turn>> {
        let filter = RunFilter {
            kind: Some(RunKind::Query),
            status: Some(RunStatus::Done),
            session_id: Some(session_id.to_owned()),
        };
        let state = self.state();
        let asked = state.get(dataset)?.runs.values().rev().filter(|kept| kept.matches(&filter));
        let turns = asked.filter_map(|kept| log::turn(&kept.run.params, kept.log.answer.clone()?));
        let mut turns: Vec<Turn> = turns.take(limit as usize).collect();
        turns.reverse();
        Ok(turns)
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
