//! Snapshot, plan, one commit; and again on a fresh snapshot when the dataset moved meanwhile.

use crate::model::{Edge, Failure, FailureCode, Moment};
use crate::plan::Draft;
use crate::storage::{Committed, Dataset, StorageError, Turn};

/// Attempts that race others before the call waits for its turn.
const RACES: usize = 3;
/// Attempts in the dataset's queue.
const TURNS: usize = 3;

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

/// Makes a plan on the newest version and commits it, again on a newer one as long as others are faster. A draft
/// without steps is not committed. What the plan gave, and what the commit assigned.
pub(crate) fn commit<D: Dataset, T>(
    dataset: &D,
    mut plan: impl FnMut(&D::Snapshot) -> Result<(Draft, T), Trouble>,
) -> Result<(T, Option<Committed>), Failure> {
    let mut attempt = 0;
    loop {
        let turn = if attempt < RACES { Turn::Race } else { Turn::Queue };
        match attempt_once(dataset, turn, &mut plan) {
            Err(Trouble::Storage(StorageError::Conflict(_) | StorageError::SnapshotGone))
                if attempt + 1 < RACES + TURNS =>
            {
                attempt += 1;
            }
            outcome => return Ok(outcome?),
        }
    }
}

fn attempt_once<D: Dataset, T>(
    dataset: &D,
    turn: Turn,
    plan: &mut impl FnMut(&D::Snapshot) -> Result<(Draft, T), Trouble>,
) -> Result<(T, Option<Committed>), Trouble> {
    let snapshot = dataset.latest(turn)?;
    let (draft, answer) = plan(&snapshot)?;
    // The snapshot is not needed any more, and a store may have to hold something open for it.
    drop(snapshot);
    if draft.steps.is_empty() {
        return Ok((answer, None));
    }
    Ok((answer, Some(dataset.commit(&draft.into_plan())?)))
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
