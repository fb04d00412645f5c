//! How a call stops without an answer.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use gligabao_core::model::{Failure, Stage};
use gligabao_core::storage::StorageError;

use super::state::OutOfTime;
use crate::store::is_too_busy;

/// Longest message of a guest that is passed on, in bytes.
const MAX_MESSAGE: usize = 4 << 10;

/// Longest path of a field that is passed on, in bytes.
const MAX_FIELD: usize = 256;

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The guest says so.
    Failure(Failure),
    /// The store failed outside of the guest.
    Storage(StorageError),
    /// The guest broke, or the host did; the log has the incident.
    Trapped(String),
    /// It took too long.
    TimedOut,
    /// There was no place to run, or no room in the store to read.
    Busy,
}

/// The store has no room for another snapshot. It stops a guest, so that its caller is told to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the store has no room for another snapshot")]
pub(super) struct NoRoom;

impl From<StorageError> for Stop {
    fn from(error: StorageError) -> Self {
        if is_too_busy(&error) { Self::Busy } else { Self::Storage(error) }
    }
}

impl Stop {
    /// A trap, logged with its backtrace. A trap holds names of functions and never a value of the user.
    pub(crate) fn of(trap: &wasmtime::Error) -> Self {
        if trap.downcast_ref::<OutOfTime>().is_some() {
            tracing::warn!(error = ?trap, "a call used up its CPU time");
            return Self::TimedOut;
        }
        if trap.downcast_ref::<NoRoom>().is_some() {
            return Self::Busy;
        }
        let incident = new_id();
        tracing::error!(incident, error = ?trap, "a call trapped");
        Self::Trapped(incident)
    }

    /// A defect of the host, which must not take others along. What it panicked with may hold a text of the user.
    pub(crate) fn panicked(error: &tokio::task::JoinError) -> Self {
        let incident = new_id();
        tracing::error!(incident, panicked = error.is_panic(), "a call broke in the host");
        Self::Trapped(incident)
    }

    /// The stages that the call reached before it failed.
    pub(super) fn take_stages(&mut self) -> Vec<Stage> {
        match self {
            Self::Failure(failure) => std::mem::take(&mut failure.stages),
            _ => Vec::new(),
        }
    }

    /// What the run log says: what its caller is told, and nothing of what a store or a trap says.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Failure(failure) => failure.message.clone(),
            Self::Storage(_) => "the store failed".to_owned(),
            Self::Trapped(incident) => format!("stopped by a defect, incident {incident}"),
            Self::TimedOut => "timed out".to_owned(),
            Self::Busy => "too many calls at the same time".to_owned(),
        }
    }
}

/// A failure whose texts have a reasonable size.
pub(super) fn clamp(mut failure: Failure) -> Failure {
    truncate(&mut failure.message, MAX_MESSAGE);
    if let Some(field) = &mut failure.field {
        truncate(field, MAX_FIELD);
    }
    failure
}

/// Cuts a text at a character.
pub(super) fn truncate(text: &mut String, max: usize) {
    text.truncate(text.floor_char_boundary(max));
    text.shrink_to_fit();
}

/// An ID that is unique in the log of a server, and sorts by time.
pub(crate) fn new_id() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    format!("{millis:011x}-{:03x}", COUNT.fetch_add(1, Ordering::Relaxed) & 0xfff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_a_guest_is_cut_at_a_character() {
        let long = "é".repeat(MAX_MESSAGE);
        let failure = clamp(Failure::field(long.clone(), long));
        assert!(failure.message.len() <= MAX_MESSAGE);
        assert!(failure.field.is_some_and(|field| field.len() <= MAX_FIELD));
    }

    #[test]
    fn incidents_have_ids_of_their_own() {
        assert_ne!(new_id(), new_id());
    }
}
