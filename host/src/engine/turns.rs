//! Who may write a dataset next.
//!
//! A call that queues gets the dataset's turn and keeps it while it thinks, so that nobody moves the dataset under it.
//! A call that races takes the turn for its commit only. So a queued call is sure to get through, and a guest that
//! never comes back holds others up for the length of a lease and no longer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
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
    turn: Arc<Mutex<Turn>>,
    timer: JoinHandle<()>,
}

/// Where the turn of a lease is.
#[derive(Debug)]
enum Turn {
    /// Here.
    Held(OwnedMutexGuard<()>),
    /// With a commit, which has it to its end.
    Lent,
    /// With others: the time is up.
    Over,
}

impl Turns {
    /// Waits in line for the dataset's turn.
    pub(crate) async fn take(&self, dataset: DatasetId) -> OwnedMutexGuard<()> {
        let line = self.line(dataset);
        line.lock_owned().await
    }

    /// Waits in line for the dataset's turn, and keeps it for at most `time`.
    pub(crate) async fn lease(&self, dataset: DatasetId, time: Duration) -> Lease {
        let turn = Arc::new(Mutex::new(Turn::Held(self.take(dataset).await)));
        let expiring = Arc::clone(&turn);
        let timer = tokio::spawn(async move {
            tokio::time::sleep(time).await;
            *lock(&expiring) = Turn::Over;
        });
        Lease { turn, timer }
    }

    fn line(&self, dataset: DatasetId) -> Arc<Line> {
        let mut lines = lock(&self.lines);
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
    /// Whether its time isn't up.
    pub(crate) fn is_held(&self) -> bool {
        !matches!(*lock(&self.turn), Turn::Over)
    }

    /// Takes the turn for a commit, if its time isn't up.
    pub(crate) fn lend(&self) -> Option<OwnedMutexGuard<()>> {
        let mut turn = lock(&self.turn);
        match std::mem::replace(&mut *turn, Turn::Over) {
            Turn::Held(guard) => {
                *turn = Turn::Lent;
                Some(guard)
            }
            Turn::Lent => {
                *turn = Turn::Lent;
                None
            }
            Turn::Over => None,
        }
    }

    /// Gives back what a commit was lent; if the time is up meanwhile, others get it.
    pub(crate) fn give_back(&self, guard: OwnedMutexGuard<()>) {
        let mut turn = lock(&self.turn);
        if matches!(*turn, Turn::Lent) {
            *turn = Turn::Held(guard);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.timer.abort();
        *lock(&self.turn) = Turn::Over;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: DatasetId = DatasetId::from_store(1);
    const B: DatasetId = DatasetId::from_store(2);

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
        assert!(!lease.is_held());
        assert!(lease.lend().is_none());
    }

    #[tokio::test]
    async fn a_commit_is_lent_the_turn_and_gives_it_back() {
        let turns = Turns::default();
        let lease = turns.lease(A, Duration::from_secs(60)).await;
        let turn = lease.lend().unwrap();
        assert!(lease.is_held() && lease.lend().is_none());
        assert!(!is_free(&turns, A).await);
        lease.give_back(turn);
        assert!(lease.is_held());
        assert!(!is_free(&turns, A).await);
        drop(lease.lend());
        assert!(is_free(&turns, A).await);
    }

    #[tokio::test]
    async fn a_turn_that_is_given_back_too_late_goes_to_others() {
        let turns = Turns::default();
        let lease = turns.lease(A, Duration::ZERO).await;
        let turn = lease.lend().unwrap();
        while lease.is_held() {
            tokio::task::yield_now().await;
        }
        assert!(!is_free(&turns, A).await);
        lease.give_back(turn);
        assert!(is_free(&turns, A).await);
    }

    #[tokio::test]
    async fn lines_that_nobody_stands_in_are_forgotten() {
        let turns = Turns::default();
        drop(turns.take(A).await);
        drop(turns.take(B).await);
        assert_eq!(turns.lines.lock().unwrap().len(), 1);
    }
}
