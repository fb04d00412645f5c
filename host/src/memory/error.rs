//! What can go wrong with a call, as its caller sees it.

use gligabao_core::model::{Failure, RunId};
use gligabao_core::storage::StorageError;

use super::Asked;
use crate::engine::{Ended, Stop};
use crate::store::is_too_busy;

/// Why a call has no answer. Each says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The memory refused the request or could not do it; says which and why.
    #[error("{0}")]
    Failure(Failure),
    /// There is no such dataset.
    #[error("there is no such dataset; remember something in it, or make it with PUT /v1/gb/datasets/{{name}}")]
    NoDataset,
    /// The store failed. What it says may be for the operator only.
    #[error("the store could not do it: {0}; try again later")]
    Storage(StorageError),
    /// A defect stopped the call. The log has it under this ID.
    #[error(
        "a defect stopped the call; report incident {incident}, and look whether it was stored before you try again"
    )]
    Trapped {
        /// ID in the log.
        incident: String,
    },
    /// It took longer than a call may.
    #[error("the call took too long; look whether it was stored before you try again, or send less at once")]
    TimedOut,
    /// Too many calls run at the same time.
    #[error("too many calls run at the same time; try again in a few seconds")]
    Busy,
}

impl From<StorageError> for CallError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::NoDataset => Self::NoDataset,
            busy if is_too_busy(&busy) => Self::Busy,
            other => Self::Storage(other),
        }
    }
}

impl From<Stop> for CallError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Failure(failure) => Self::Failure(failure),
            Stop::Storage(error) => error.into(),
            Stop::Trapped(incident) => Self::Trapped { incident },
            Stop::TimedOut => Self::TimedOut,
            Stop::Busy => Self::Busy,
        }
    }
}

/// A call without an answer, and the run that logs it, if it left one.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) run_id: Option<RunId>,
    pub(crate) error: CallError,
}

impl From<CallError> for Failed {
    /// It failed before it had a run.
    fn from(error: CallError) -> Self {
        Self { run_id: None, error }
    }
}

impl From<Failed> for CallError {
    fn from(failed: Failed) -> Self {
        failed.error
    }
}

/// What a call came to.
pub(super) fn ended<T>(ended: Ended<T>) -> Result<Asked<T>, Failed> {
    let Ended { run: run_id, calls, result } = ended;
    match result {
        Ok(answer) => Ok(Asked { run_id, answer, calls }),
        Err(stop) => Err(Failed { run_id, error: stop.into() }),
    }
}

/// Why a memory can't be made.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The builder got no store.
    #[error("a memory needs a store: call `Memory::builder().store(…)`")]
    NoStore,
    /// The component is none, imports what isn't supplied, or lacks an export.
    #[error(
        "the component can't be used: {0}; it must be one of the world `gligabao:memory/memory`, built without WASI"
    )]
    Component(String),
}
