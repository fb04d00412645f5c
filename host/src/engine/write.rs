//! What a `dataset` handle stands for: the right of one call to write one dataset, once.

use std::sync::Arc;

use gligabao_core::model::RunId;
use gligabao_core::storage::{Committed, Plan, StorageError, StorageResult, Turn};
use tokio::task::JoinHandle;

use super::limits::Limits;
use super::run::Run;
use super::turns::{Lease, Turns};
use crate::store::{DatasetId, DatasetName, RunEnd, RunKind, SharedStore, Snapshot, UserId};

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
    /// A commit on its way. It goes on when the call is cancelled meanwhile, and is waited for at the end.
    commit: Option<JoinHandle<StorageResult<Committed>>>,
}

impl DatasetHandle {
    pub(crate) fn new(store: SharedStore, place: Place, kind: RunKind) -> Self {
        let run = Run::new(Arc::clone(&store), kind);
        Self { store, place, run, lease: None, commit: None }
    }

    /// The newest version; opens the run, and makes a dataset that isn't there yet.
    pub(super) async fn latest(
        &mut self,
        turn: Turn,
        turns: &Turns,
        limits: &Limits,
    ) -> StorageResult<Box<dyn Snapshot>> {
        let dataset = self.open().await?;
        if turn == Turn::Queue && self.lease.is_none() && !self.run.has_ended() {
            self.lease = Some(turns.lease(dataset, limits.lease).await);
        }
        self.store.snapshot(dataset).await
    }

    /// Applies a plan, in this call's turn or between the turns of others.
    pub(super) async fn commit(&mut self, plan: Plan, turns: &Turns, limits: &Limits) -> StorageResult<Committed> {
        if plan.changes.len() > limits.changes {
            return Err(StorageError::TooLarge(format!("a plan has at most {} changes", limits.changes)));
        }
        if self.run.has_ended() {
            return Err(StorageError::Invalid("a call commits at most once".to_owned()));
        }
        let Some((dataset, run)) = self.run.current() else {
            return Err(StorageError::Invalid("a plan is made from a snapshot, and none was taken".to_owned()));
        };
        let turn = match self.lease.take().and_then(Lease::into_turn) {
            Some(turn) => turn,
            None => turns.take(dataset).await,
        };
        let store = Arc::clone(&self.store);
        self.commit = Some(tokio::spawn(async move {
            let committed = store.commit(dataset, run, plan).await;
            drop(turn);
            committed
        }));
        self.settle().await
    }

    /// Ends the call's run, if it opened one.
    pub(super) async fn end(mut self, end: RunEnd) -> Option<RunId> {
        if self.commit.is_some() {
            // The call was cancelled in its commit. Whether it went through decides how the run ended, and no more.
            let _ = self.settle().await;
        }
        self.run.end(end).await
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
        let committed = settled.map_err(|_| StorageError::Unavailable("the store broke in a commit".to_owned()))?;
        if committed.is_ok() {
            self.run.committed();
        }
        committed
    }
}
