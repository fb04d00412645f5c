//! Commits that must not be.

use crate::bindings::exports::gligabao::memory::remember;
use crate::bindings::gligabao::memory::storage::{AddEntity, AddEntityEvent, Change, Dataset, Plan, Turn};
use crate::bindings::gligabao::memory::types::{EntityEventKind, Failure};
use crate::{exhaust, polite};

/// Goes on after its commit as if nothing had happened.
pub(crate) fn commit_twice(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    polite::commit(dataset, "first")?;
    polite::commit(dataset, "second")?;
    Err(polite::failure("two commits went through"))
}

/// Commits what it can't know the version of.
pub(crate) fn commit_blindly(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    dataset.commit(&Plan { version: 0, changes: Vec::new(), stages: Vec::new() }).map_err(polite::refused)?;
    Err(polite::failure("a plan without a snapshot went through"))
}

/// Breaks after its commit.
pub(crate) fn commit_and_trap(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    polite::commit(dataset, "stored before the trap")?;
    std::process::abort()
}

/// Changes things that are not there, and makes some under numbers that are not free.
pub(crate) fn commit_foreign_numbers(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    let snapshot = dataset.latest(Turn::Race).map_err(polite::refused)?;
    let mut messages = Vec::new();
    for id in [0, 1_000_000, u64::MAX] {
        let (kind, type_) = (EntityEventKind::Retyped, "person".to_owned());
        let event = AddEntityEvent { entity: id, kind, artifact: None, type_, description: "forged".to_owned() };
        let mut plan = polite::plan(&snapshot, "forged".to_owned())?;
        plan.changes.push(Change::AddEntityEvent(event));
        messages.push(dataset.commit(&plan).map(|_| "a foreign number went through"));

        let mut plan = polite::plan(&snapshot, "forged".to_owned())?;
        if let Some(Change::AddEntity(AddEntity { entity, .. })) = plan.changes.get_mut(1) {
            entity.id = id;
        }
        messages.push(dataset.commit(&plan).map(|_| "a number that is not free went through"));
    }
    Err(polite::failure(&format!("{messages:?}")))
}

/// Claims to have seen a version that is not there yet.
pub(crate) fn commit_onto_another_version(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    let snapshot = dataset.latest(Turn::Race).map_err(polite::refused)?;
    let mut plan = polite::plan(&snapshot, "forged".to_owned())?;
    plan.version += 1;
    dataset.commit(&plan).map_err(polite::refused)?;
    Err(polite::failure("another version went through"))
}

/// A plan of more changes than one may have.
pub(crate) fn commit_too_much(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    let snapshot = dataset.latest(Turn::Race).map_err(polite::refused)?;
    let mut plan = polite::plan(&snapshot, "one of many".to_owned())?;
    let change = plan.changes.swap_remove(0);
    plan.changes = vec![change; 10_000];
    dataset.commit(&plan).map_err(polite::refused)?;
    Err(polite::failure("a plan without bounds went through"))
}

/// Takes the dataset's turn and never comes back.
pub(crate) fn keep_the_turn(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    let _snapshot = dataset.latest(Turn::Queue).map_err(polite::refused)?;
    exhaust::spin()
}
