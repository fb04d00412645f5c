//! The log entry of a call: opened when the call first touches the dataset, ended exactly once.

use gligabao_core::model::RunId;
use gligabao_core::storage::StorageResult;

use crate::store::{DatasetId, NewRun, RunEnd, RunLog, SharedStore};

/// The run of one call. A request that is refused before it touches the dataset leaves none.
pub(crate) struct Run {
    store: SharedStore,
    /// What it says of the call from its beginning on.
    new: NewRun,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    Unopened,
    Open(DatasetId, RunId),
    Ended(RunId),
}

impl Run {
    /// A run that isn't open yet.
    pub(crate) fn new(store: SharedStore, new: NewRun) -> Self {
        Self { store, new, state: State::Unopened }
    }

    /// Opens it, unless it is or was.
    pub(crate) async fn open(&mut self, dataset: DatasetId) -> StorageResult<()> {
        if matches!(self.state, State::Unopened) {
            self.state = State::Open(dataset, self.store.begin_run(dataset, self.new.clone()).await?);
        }
        Ok(())
    }

    /// Its dataset and ID while it is open.
    pub(crate) fn current(&self) -> Option<(DatasetId, RunId)> {
        match self.state {
            State::Open(dataset, run) => Some((dataset, run)),
            State::Unopened | State::Ended(_) => None,
        }
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.state, State::Ended(_))
    }

    /// A commit has ended it.
    pub(crate) fn committed(&mut self) {
        if let State::Open(_, run) = self.state {
            self.state = State::Ended(run);
        }
    }

    /// Ends it if it is still open. A store that can't is only reported: the answer stands, and the run is closed as
    /// failed at the next start.
    pub(crate) async fn end(mut self, end: RunEnd, log: RunLog) -> Option<RunId> {
        if let State::Open(dataset, run) = self.state {
            if let Err(error) = self.store.end_run(dataset, run, end, log).await {
                tracing::warn!(%run, %error, "a run could not be ended");
            }
            self.state = State::Ended(run);
        }
        match self.state {
            State::Ended(run) => Some(run),
            State::Unopened | State::Open(..) => None,
        }
    }
}
