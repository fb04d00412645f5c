//! Snapshot, plan, one commit; and again on a fresh snapshot when the dataset moved meanwhile.

use std::convert::Infallible;

use crate::model::{Edge, Failure, FailureCode, Moment};
use crate::plan::Draft;
use crate::storage::{Committed, Dataset, StorageError, Turn};

/// Attempts that race others before the call waits for its turn.
const RACES: usize = 3;
/// Attempts in the dataset's queue. Other hosts on the same store have queues of their own, so that each may be passed by
/// what others commit, though not for ever.
const TURNS: usize = 30;
/// How often a call asks again on account of others.
const ASKS: usize = RACES + 2;

/// Why a plan could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The request can't be met.
    Failure(Failure),
    /// Storage could not.
    Storage(StorageError),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<StorageError> for Trouble {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        let (code, message) = match error {
            StorageError::Conflict(_) | StorageError::SnapshotGone => {
                (FailureCode::Conflict, "other calls keep changing this dataset; try again".to_owned())
            }
            StorageError::NoDataset => (FailureCode::NotFound, "the dataset does not exist any more".to_owned()),
            StorageError::TooLarge(limit) => (FailureCode::TooLarge, limit),
            StorageError::Invalid(rule) => (FailureCode::Internal, format!("storage refused the plan: {rule}")),
            // Why is for the operator, whom the host tells.
            StorageError::Unavailable(_) => {
                (FailureCode::Unavailable, "the database does not answer; try again in a while".to_owned())
            }
        };
        Self::new(code, message)
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Failure(failure) => failure,
            Trouble::Storage(error) => error.into(),
        }
    }
}

/// Why an attempt on one version comes to no plan.
#[derive(Debug)]
pub(crate) enum Stop<Q> {
    /// There can be none.
    Trouble(Trouble),
    /// Something has to be asked first, without the snapshot; then another attempt follows.
    Ask(Q),
    /// The same on account of others, who changed what was asked about.
    AskAgain(Q),
}

impl<Q, E: Into<Trouble>> From<E> for Stop<Q> {
    fn from(error: E) -> Self {
        Self::Trouble(error.into())
    }
}

/// Makes a plan on the newest version and commits it, again on a newer one as long as others are faster. A draft
/// without steps is not committed. What the plan gave, and what the commit assigned.
pub(crate) fn commit<D: Dataset, T, P: FnMut(&D::Snapshot) -> Result<(Draft, T), Trouble>>(
    dataset: &D,
    mut plan: P,
) -> Result<(T, Option<Committed>), Failure> {
    let planned = |plan: &mut P, snapshot: &D::Snapshot| plan(snapshot).map_err(Stop::<Infallible>::from);
    commit_asking(dataset, &mut plan, planned, |_, never| match never {})
}

/// The same where an attempt may find that it has to ask something that takes long: no snapshot is held meanwhile. The
/// answer goes into the `state`, from which the next attempt takes it. Having to ask again counts as a conflict, so
/// that nothing is asked more often than plans are made.
pub(crate) fn commit_asking<D: Dataset, C, Q, T>(
    dataset: &D,
    state: &mut C,
    plan: impl Fn(&mut C, &D::Snapshot) -> Result<(Draft, T), Stop<Q>>,
    ask: impl Fn(&mut C, Q) -> Result<(), Failure>,
) -> Result<(T, Option<Committed>), Failure> {
    let (mut conflicts, mut again) = (0, 0);
    loop {
        let turn = if conflicts < RACES { Turn::Race } else { Turn::Queue };
        let is_last = conflicts + 1 >= RACES + TURNS;
        match attempt_once(dataset, turn, state, &plan) {
            Ok(done) => return Ok(done),
            Err(Stop::AskAgain(_)) if again == ASKS || is_last => return Err(StorageError::Conflict(0).into()),
            Err(Stop::AskAgain(question)) => {
                conflicts += 1;
                again += 1;
                ask(state, question)?;
            }
            Err(Stop::Ask(question)) => ask(state, question)?,
            Err(Stop::Trouble(Trouble::Storage(StorageError::Conflict(_) | StorageError::SnapshotGone)))
                if !is_last =>
            {
                conflicts += 1;
            }
            Err(Stop::Trouble(trouble)) => return Err(trouble.into()),
        }
    }
}

fn attempt_once<D: Dataset, C, Q, T>(
    dataset: &D,
    turn: Turn,
    state: &mut C,
    plan: &impl Fn(&mut C, &D::Snapshot) -> Result<(Draft, T), Stop<Q>>,
) -> Result<(T, Option<Committed>), Stop<Q>> {
    let snapshot = dataset.latest(turn)?;
    let (draft, answer) = plan(state, &snapshot)?;
    // The snapshot is not needed any more, and a store may have to hold something open for it.
    drop(snapshot);
    let committed = if draft.steps.is_empty() { None } else { Some(dataset.commit(&draft.into_plan())?) };
    Ok((answer, committed))
}

/// Reads one version, again on a newer one when that is gone meanwhile.
pub(crate) fn read<D: Dataset, T>(
    dataset: &D,
    read: impl Fn(&D::Snapshot) -> Result<T, Trouble>,
) -> Result<T, Failure> {
    let once = || read(&dataset.latest(Turn::Race)?);
    for _ in 1..RACES {
        match once() {
            Err(Trouble::Storage(StorageError::SnapshotGone)) => {}
            outcome => return Ok(outcome?),
        }
    }
    Ok(once()?)
}

/// A time of a plan as the commit assigned it.
pub(crate) fn date(moment: &mut Moment, committed: Committed) {
    if *moment == Moment::Now {
        *moment = Moment::At(committed.at);
    }
}

/// An edge of a plan as the commit stored it.
pub(crate) fn date_edge(edge: &mut Edge, committed: Committed) {
    date(&mut edge.created_at, committed);
    for moment in [&mut edge.bounds.expired_at, &mut edge.bounds.retracted_at].into_iter().flatten() {
        date(moment, committed);
    }
}
