//! Lists and answers that are too large, and some that claim to be larger than they are.

use std::mem::ManuallyDrop;

use crate::bindings::exports::gligabao::memory::{recall, remember};
use crate::bindings::gligabao::memory::storage::Snapshot;
use crate::bindings::gligabao::memory::types::Failure;
use crate::polite;

/// An answer whose list claims a hundred million numbers, more than the memory of the guest has room for.
pub(crate) fn forged_length() -> remember::Answer {
    let mut one = ManuallyDrop::new(vec![1_u64]);
    // SAFETY: none is claimed; this is the attack. The list is only ever handed to the host.
    let forged = unsafe { Vec::from_raw_parts(one.as_mut_ptr(), 100_000_000, 100_000_000) };
    remember::Answer { invalidated_edges: forged, ..polite::answer(1) }
}

/// The same megabyte a hundred thousand times: a list of little more than a megabyte that a host would turn into a
/// hundred gigabytes.
pub(crate) fn multiplied() -> Vec<String> {
    let mut text = ManuallyDrop::new(vec![b'x'; 1 << 20]);
    // SAFETY: none is claimed; this is the attack. The texts are only ever handed to the host.
    (0..100_000).map(|_| unsafe { String::from_raw_parts(text.as_mut_ptr(), text.len(), text.len()) }).collect()
}

/// That list as an argument.
pub(crate) fn multiplied_list(snapshot: &Snapshot) -> Result<recall::FactsAnswer, Failure> {
    let names = ManuallyDrop::new(multiplied());
    snapshot.find_names(&names).map_err(polite::refused)?;
    Err(polite::failure("storage took it"))
}

/// A list with more items than the interface allows.
pub(crate) fn long_list(snapshot: &Snapshot) -> Result<recall::FactsAnswer, Failure> {
    snapshot.get_edges(&(0..10_001).collect::<Vec<_>>()).map_err(polite::refused)?;
    Err(polite::failure("storage took it"))
}

/// Every text of the dataset in one answer.
pub(crate) fn all_texts(snapshot: &Snapshot) -> Result<recall::FactsAnswer, Failure> {
    let texts = snapshot.get_texts(&(1..10_000).collect::<Vec<_>>()).map_err(polite::refused)?;
    Err(polite::failure(&format!("storage gave {} texts", texts.len())))
}

/// A list that alone is more than a call may hand over.
pub(crate) fn huge_list(snapshot: &Snapshot) -> Result<recall::FactsAnswer, Failure> {
    snapshot.get_edges(&vec![1; 10_000_000]).map_err(polite::refused)?;
    Err(polite::failure("storage took it"))
}
