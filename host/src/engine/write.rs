//! What a `dataset` handle stands for: the right of one call to write one dataset, once.

use std::sync::Arc;

use gligabao_core::model::RunId;
use gligabao_core::storage::{Change, Committed, Plan, StorageError, StorageResult, Turn};
use tokio::sync::OwnedMutexGuard;
use tokio::task::JoinHandle;

use super::limits::Limits;
use super::log;
use super::run::Run;
use super::turns::{Lease, Turns};
use crate::store::{DatasetId, DatasetName, ModelCall, NewRun, RunEnd, RunLog, SharedStore, Snapshot, UserId};

/// Which dataset a call writes.
pub(crate) enum Place {
    /// One that is there.
    Existing(DatasetId),
    /// One that is made, with its user, when the call first touches it.
    Named(UserId, DatasetName),
}

/// The right to write one dataset, of one call.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct DatasetHandle {
    store: SharedStore,
    place: Place,
    run: Run,
    lease: Option<Lease>,
    /// A commit on its way, with the turn that it has. It goes on when the call is cancelled meanwhile, and is waited for
    /// at the end.
    commit: Option<JoinHandle<(StorageResult<Committed>, OwnedMutexGuard<()>)>>,
}

impl DatasetHandle {
    pub(crate) fn new(store: SharedStore, place: Place, run: NewRun) -> Self {
        let run = Run::new(Arc::clone(&store), run);
        Self { store, place, run, lease: None, commit: None }
    }

    /// The newest version; opens the run, and makes a dataset that isn't there yet. A turn that the call still has is
    /// kept; one whose time is up is queued for again.
    pub(super) async fn latest(
        &mut self,
        turn: Turn,
        turns: &Turns,
        limits: &Limits,
    ) -> StorageResult<Box<dyn Snapshot>> {
        let dataset = self.open().await?;
        let queues = turn == Turn::Queue && !self.run.has_ended();
        if queues && !self.lease.as_ref().is_some_and(Lease::is_held) {
            self.lease = Some(turns.lease(dataset, limits.lease).await);
        }
        self.store.snapshot(dataset).await
    }

    /// Where its snapshots come from, once it has one.
    pub(super) fn source(&self) -> StorageResult<(SharedStore, DatasetId)> {
        match self.place {
            Place::Existing(dataset) => Ok((Arc::clone(&self.store), dataset)),
            Place::Named(..) => Err(StorageError::NoDataset),
        }
    }

    /// Applies a plan, in this call's turn or between the turns of others. The turn ends with it if it goes through, and
    /// so does the run, with what the call asked of models so far.
    pub(super) async fn commit(
        &mut self,
        plan: Plan,
        calls: Vec<ModelCall>,
        turns: &Turns,
        limits: &Limits,
    ) -> StorageResult<Committed> {
        check_size(&plan, limits)?;
        if self.run.has_ended() {
            return Err(StorageError::Invalid("a call commits at most once".to_owned()));
        }
        let Some((dataset, run)) = self.run.current() else {
            return Err(StorageError::Invalid("a plan is made from a snapshot, and none was taken".to_owned()));
        };
        let turn = match self.lease.as_ref().and_then(Lease::lend) {
            Some(turn) => turn,
            None => turns.take(dataset).await,
        };
        let store = Arc::clone(&self.store);
        let plan = Plan { stages: log::stages(plan.stages), ..plan };
        self.commit = Some(tokio::spawn(async move {
            let committed = store.commit(dataset, run, plan, calls).await;
            (committed, turn)
        }));
        self.settle().await
    }

    /// Whether a commit of this call went through.
    pub(super) fn has_committed(&self) -> bool {
        self.run.has_ended()
    }

    /// Ends the call's run, if it opened one.
    pub(super) async fn end(mut self, end: RunEnd, log: RunLog) -> Option<RunId> {
        if self.commit.is_some() {
            // The call was cancelled in its commit. Whether it went through decides how the run ended, and no more.
            let _ = self.settle().await;
        }
        self.run.end(end, log).await
    }

    /// Opens the run in its dataset, unless that is done.
    pub(super) async fn open(&mut self) -> StorageResult<DatasetId> {
        let dataset = match &self.place {
            Place::Existing(dataset) => *dataset,
            Place::Named(user, name) => self.store.create_dataset(user, name).await?,
        };
        self.place = Place::Existing(dataset);
        self.run.open(dataset).await?;
        Ok(dataset)
    }

    /// Waits for the commit that is on its way.
    async fn settle(&mut self) -> StorageResult<Committed> {
        let Some(commit) = &mut self.commit else {
            return Err(StorageError::Invalid("there is no commit to wait for".to_owned()));
        };
        let settled = commit.await;
        self.commit = None;
        let Ok((committed, turn)) = settled else {
            // The turn went with the task.
            self.lease = None;
            return Err(StorageError::Unavailable("the store broke in a commit".to_owned()));
        };
        if committed.is_ok() {
            self.run.committed();
            self.lease = None;
        } else if let Some(lease) = &self.lease {
            lease.give_back(turn);
        }
        committed
    }
}

/// Refuses a plan that would keep the writer from others, or take more memory than a call may.
fn check_size(plan: &Plan, limits: &Limits) -> StorageResult<()> {
    let (mut changes, mut points) = (0, 0);
    for change in &plan.changes {
        match change {
            Change::PutPoints(put) => {
                changes += 1;
                points += put.points.len();
            }
            Change::DeletePoints(_) => changes += 1,
            _ => {}
        }
    }
    for (number, limit, what) in [
        (plan.changes.len(), limits.changes, "changes"),
        (changes, limits.point_changes, "changes of points"),
        (points, limits.plan_points, "points"),
    ] {
        if number > limit {
            return Err(StorageError::TooLarge(format!("a plan has at most {limit} {what}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gligabao_core::model::{SeriesId, Stage};
    use gligabao_core::series::Point;
    use gligabao_core::storage::{DeletePoints, PutPoints};

    use super::*;
    use crate::store::memory::MemoryStore;
    use crate::store::{RunKind, Store};

    /// A dataset that two calls write.
    struct Bench {
        store: SharedStore,
        dataset: DatasetId,
        turns: Turns,
    }

    const LONG: Duration = Duration::from_secs(60);

    impl Bench {
        async fn new() -> Self {
            let store = MemoryStore::default();
            let user = UserId::new("ana").unwrap();
            let dataset = store.create_dataset(&user, &DatasetName::default()).await.unwrap();
            Self { store: Arc::new(store), dataset, turns: Turns::default() }
        }

        fn call(&self) -> DatasetHandle {
            DatasetHandle::new(Arc::clone(&self.store), Place::Existing(self.dataset), RunKind::Edit.into())
        }

        /// Takes a snapshot; an empty plan on it.
        async fn plan(&self, call: &mut DatasetHandle, turn: Turn, lease: Duration) -> Plan {
            let limits = Limits { lease, ..Limits::default() };
            let snapshot = call.latest(turn, &self.turns, &limits).await.unwrap();
            Plan { version: snapshot.head().await.unwrap().version, changes: Vec::new(), stages: Vec::new() }
        }

        async fn commit(&self, call: &mut DatasetHandle, plan: Plan) -> StorageResult<Committed> {
            call.commit(plan, Vec::new(), &self.turns, &Limits::default()).await
        }

        /// Whether nobody has the dataset's turn.
        async fn is_free(&self) -> bool {
            tokio::time::timeout(Duration::from_millis(1), self.turns.take(self.dataset)).await.is_ok()
        }
    }

    #[tokio::test]
    async fn a_conflict_leaves_the_turn_with_the_call() {
        let bench = Bench::new().await;
        let mut call = bench.call();
        let mut plan = bench.plan(&mut call, Turn::Queue, LONG).await;
        plan.version += 1;
        assert_eq!(bench.commit(&mut call, plan).await, Err(StorageError::Conflict(0)));
        assert!(!bench.is_free().await);
        // It asks again without standing in line behind itself.
        let plan = bench.plan(&mut call, Turn::Queue, LONG).await;
        assert!(!bench.is_free().await);
        bench.commit(&mut call, plan).await.unwrap();
        assert!(bench.is_free().await);
        call.end(RunEnd::Done, RunLog::default()).await;
    }

    #[tokio::test]
    async fn a_plan_that_is_refused_leaves_the_turn_with_the_call_too() {
        let bench = Bench::new().await;
        let mut call = bench.call();
        let mut plan = bench.plan(&mut call, Turn::Queue, LONG).await;
        let tags = Some(vec!["b".to_owned(), "a".to_owned()]);
        let set = gligabao_core::storage::SetDataset { description: None, tags };
        plan.changes.push(gligabao_core::storage::Change::SetDataset(set));
        assert!(matches!(bench.commit(&mut call, plan).await, Err(StorageError::Invalid(_))));
        assert!(!bench.is_free().await);
        // Racing gives nothing up.
        bench.plan(&mut call, Turn::Race, LONG).await;
        assert!(!bench.is_free().await);
        call.end(RunEnd::Done, RunLog::default()).await;
        assert!(bench.is_free().await);
    }

    #[tokio::test]
    async fn a_plan_of_too_many_points_is_refused() {
        let bench = Bench::new().await;
        let mut call = bench.call();
        let put = |points: usize| {
            let points = vec![Point::default(); points];
            Change::PutPoints(PutPoints { series: SeriesId(1), points })
        };
        let delete = Change::DeletePoints(DeletePoints { series: SeriesId(1), from: None, to: None });
        let limits = Limits { changes: 4, point_changes: 2, plan_points: 10, ..Limits::default() };
        for (changes, what) in [
            (vec![put(5), put(6)], "a plan has at most 10 points"),
            (vec![put(1), delete.clone(), put(1)], "a plan has at most 2 changes of points"),
            (vec![Change::DeleteSeries(SeriesId(1)); 5], "a plan has at most 4 changes"),
        ] {
            let mut plan = bench.plan(&mut call, Turn::Race, LONG).await;
            plan.changes = changes;
            let refused = call.commit(plan, Vec::new(), &bench.turns, &limits).await;
            assert_eq!(refused, Err(StorageError::TooLarge(what.to_owned())));
        }
        call.end(RunEnd::Done, RunLog::default()).await;
    }

    #[tokio::test]
    async fn a_turn_that_ran_out_is_queued_for_again() {
        let bench = Bench::new().await;
        let mut call = bench.call();
        let late = bench.plan(&mut call, Turn::Queue, Duration::ZERO).await;
        // Others get in, and commit.
        let turn = bench.turns.take(bench.dataset).await;
        let mut other = bench.call();
        let plan = bench.plan(&mut other, Turn::Race, LONG).await;
        drop(turn);
        bench.commit(&mut other, plan).await.unwrap();
        assert_eq!(bench.commit(&mut call, late).await, Err(StorageError::Conflict(1)));
        assert!(bench.is_free().await);
        let turn = bench.turns.take(bench.dataset).await;
        {
            let again = bench.plan(&mut call, Turn::Queue, LONG);
            tokio::pin!(again);
            let waited = tokio::time::timeout(Duration::from_millis(1), &mut again).await;
            assert!(waited.is_err(), "it did not wait for its turn");
            drop(turn);
            again.await;
        }
        assert!(!bench.is_free().await);
        let plan = bench.plan(&mut call, Turn::Queue, LONG).await;
        bench.commit(&mut call, plan).await.unwrap();
        assert!(bench.is_free().await);
    }

    #[tokio::test]
    async fn a_commit_takes_along_what_was_reached_and_asked() {
        let bench = Bench::new().await;
        let mut call = bench.call();
        let mut plan = bench.plan(&mut call, Turn::Race, LONG).await;
        let stage = |output: &str| Stage { name: "a".to_owned(), label: None, output: output.to_owned(), error: None };
        plan.stages = vec![stage("no JSON")];
        let asked = ModelCall { stage: "a".to_owned(), ..ModelCall::default() };
        call.commit(plan, vec![asked.clone()], &bench.turns, &Limits::default()).await.unwrap();
        // What comes after the commit comes too late for the log.
        let late = RunLog { stages: vec![stage("late")], ..RunLog::default() };
        let run = call.end(RunEnd::Done, late).await.unwrap();
        let logged = bench.store.get_run(bench.dataset, run).await.unwrap().unwrap();
        assert_eq!((logged.stages, logged.calls), (vec![stage("\"no JSON\"")], vec![asked]));
    }

    #[tokio::test]
    async fn a_call_that_committed_gets_no_turn_any_more() {
        let bench = Bench::new().await;
        let mut call = bench.call();
        let plan = bench.plan(&mut call, Turn::Race, LONG).await;
        bench.commit(&mut call, plan).await.unwrap();
        let plan = bench.plan(&mut call, Turn::Queue, LONG).await;
        assert!(bench.is_free().await);
        assert!(matches!(bench.commit(&mut call, plan).await, Err(StorageError::Invalid(_))));
    }
}
