//! Who may write a dataset next.
//!
//! A call that queues gets the dataset's turn and keeps it while it thinks, so that nobody moves the dataset under it.
//! A call that races takes the turn for its commit only. So a queued call is sure to get through, and a guest that
//! never comes back holds others up for the length of a lease and no longer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use tokio::task::JoinHandle;

use crate::store::DatasetId;

type Line = tokio::sync::Mutex<()>;

/// The turns of all datasets that are being written.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    lines: Mutex<HashMap<DatasetId, Weak<Line>>>,
}

/// A dataset's turn, until it is dropped or its time is up.
#[derive(Debug)]
pub(crate) struct Lease {
    held: Arc<Mutex<Option<OwnedMutexGuard<()>>>>,
    timer: JoinHandle<()>,
}

impl Turns {
    /// Waits in line for the dataset's turn.
    pub(crate) async fn take(&self, dataset: DatasetId) -> OwnedMutexGuard<()> {
        let line = self.line(dataset);
        line.lock_owned().await
    }

    /// Waits in line for the dataset's turn, and keeps it for at most `time`.
    pub(crate) async fn lease(&self, dataset: DatasetId, time: Duration) -> Lease {
        let held = Arc::new(Mutex::new(Some(self.take(dataset).await)));
        let expiring = Arc::clone(&held);
        let timer = tokio::spawn(async move {
            tokio::time::sleep(time).await;
            expiring.lock().unwrap_or_else(PoisonError::into_inner).take();
        });
        Lease { held, timer }
    }

    fn line(&self, dataset: DatasetId) -> Arc<Line> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get(&dataset).and_then(Weak::upgrade) {
            return line;
        }
        lines.retain(|_, line| line.strong_count() > 0);
        let line = Arc::new(Line::default());
        lines.insert(dataset, Arc::downgrade(&line));
        line
    }
}

impl Lease {
    /// The turn, if its time isn't up.
    pub(crate) fn into_turn(self) -> Option<OwnedMutexGuard<()>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.timer.abort();
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: DatasetId = DatasetId(1);
    const B: DatasetId = DatasetId(2);

    async fn is_free(turns: &Turns, dataset: DatasetId) -> bool {
        tokio::time::timeout(Duration::from_millis(1), turns.take(dataset)).await.is_ok()
    }

    #[tokio::test]
    async fn a_lease_keeps_others_out_of_its_dataset_only() {
        let turns = Turns::default();
        let lease = turns.lease(A, Duration::from_secs(60)).await;
        assert!(!is_free(&turns, A).await);
        assert!(is_free(&turns, B).await);
        drop(lease);
        assert!(is_free(&turns, A).await);
    }

    #[tokio::test]
    async fn a_lease_that_is_over_lets_others_in() {
        let turns = Turns::default();
        let lease = turns.lease(A, Duration::ZERO).await;
        drop(turns.take(A).await);
        assert!(lease.into_turn().is_none());
    }

    #[tokio::test]
    async fn a_lease_becomes_the_turn_of_its_commit() {
        let turns = Turns::default();
        let turn = turns.lease(A, Duration::from_secs(60)).await.into_turn();
        assert!(turn.is_some());
        assert!(!is_free(&turns, A).await);
    }

    #[tokio::test]
    async fn lines_that_nobody_stands_in_are_forgotten() {
        let turns = Turns::default();
        drop(turns.take(A).await);
        drop(turns.take(B).await);
        assert_eq!(turns.lines.lock().unwrap().len(), 1);
    }
}
