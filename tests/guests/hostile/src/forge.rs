//! Handles that nobody gave it.

use crate::bindings::exports::gligabao::memory::{recall, remember};
use crate::bindings::gligabao::memory::storage::{Dataset, Plan, Snapshot, Turn};
use crate::bindings::gligabao::memory::types::Failure;
use crate::polite;

/// How many numbers are tried; a table of handles counts up from 1.
const TRIES: u32 = 1_000;

/// Tries every number as a dataset but the one it was lent.
pub(crate) fn datasets(own: &Dataset) -> Result<remember::Answer, Failure> {
    for number in (0..TRIES).filter(|number| *number != own.handle()) {
        // SAFETY: none is claimed; this is the attack.
        let forged = std::mem::ManuallyDrop::new(unsafe { Dataset::from_handle(number) });
        if let Ok(snapshot) = forged.latest(Turn::Race) {
            let _ = forged.commit(&polite::plan(&snapshot, "forged".to_owned())?);
        }
    }
    Err(polite::failure("every number was tried"))
}

/// Tries every number as a snapshot but its own.
pub(crate) fn snapshots(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    let own = dataset.latest(Turn::Race).map_err(polite::refused)?;
    for number in (0..TRIES).filter(|number| *number != own.handle()) {
        // SAFETY: none is claimed; this is the attack.
        let forged = std::mem::ManuallyDrop::new(unsafe { Snapshot::from_handle(number) });
        let _ = forged.get_artifacts(&[1, 2, 3]);
    }
    Err(polite::failure("every number was tried"))
}

/// Reads from a snapshot that it has given back.
pub(crate) fn use_after_drop(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    let snapshot = dataset.latest(Turn::Race).map_err(polite::refused)?;
    let number = snapshot.handle();
    drop(snapshot);
    // SAFETY: none is claimed; this is the attack.
    let gone = std::mem::ManuallyDrop::new(unsafe { Snapshot::from_handle(number) });
    gone.head().map_err(polite::refused)?;
    Err(polite::failure("a snapshot was read after its end"))
}

/// Gives a snapshot back twice.
pub(crate) fn drop_twice(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    let snapshot = dataset.latest(Turn::Race).map_err(polite::refused)?;
    // SAFETY: none is claimed; this is the attack.
    let twin = unsafe { Snapshot::from_handle(snapshot.handle()) };
    drop(snapshot);
    drop(twin);
    Err(polite::failure("a snapshot was given back twice"))
}

/// Takes the snapshot that it was lent for a dataset.
pub(crate) fn write_through_snapshot(snapshot: &Snapshot) -> Result<recall::FactsAnswer, Failure> {
    // SAFETY: none is claimed; this is the attack.
    let forged = std::mem::ManuallyDrop::new(unsafe { Dataset::from_handle(snapshot.handle()) });
    forged.commit(&Plan { version: 0, changes: Vec::new(), stages: Vec::new() }).map_err(polite::refused)?;
    Err(polite::failure("a reader wrote"))
}
