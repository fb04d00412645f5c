//! The reference dataset behind the storage port, for tests of the core.

use std::cell::{Ref, RefCell};

use super::{ReferenceDataset, ReferenceSnapshot};
use crate::model::RunId;
use crate::storage::{Committed, Dataset, Plan, StorageResult, Turn};
use crate::time::Micros;

/// A dataset whose clock advances by one second with every commit, and whose every commit is a call of its own.
#[derive(Debug)]
pub struct ReferenceStore {
    dataset: RefCell<ReferenceDataset>,
}

impl ReferenceStore {
    /// An empty dataset, made at `created_at`.
    #[must_use]
    pub fn new(created_at: Micros) -> Self {
        Self { dataset: RefCell::new(ReferenceDataset::new("main", created_at)) }
    }

    /// The dataset as it is now.
    #[must_use]
    pub fn dataset(&self) -> Ref<'_, ReferenceDataset> {
        self.dataset.borrow()
    }
}

impl Dataset for ReferenceStore {
    type Snapshot = ReferenceSnapshot;

    fn latest(&self, _turn: Turn) -> StorageResult<ReferenceSnapshot> {
        Ok(self.dataset.borrow().snapshot())
    }

    fn commit(&self, plan: &Plan) -> StorageResult<Committed> {
        let mut dataset = self.dataset.borrow_mut();
        let run = RunId(dataset.head().seq + 1);
        let clock = Micros(dataset.head().last_at.0 + 1_000_000);
        dataset.commit(plan, run, clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Entity, EntityId, Moment};
    use crate::storage::{AddEntity, Change, Snapshot, StorageError};

    fn add_entity(version: u64, id: u64) -> Plan {
        let entity = Entity {
            id: EntityId(id),
            name: "Ana".to_owned(),
            r#type: "person".to_owned(),
            description: String::new(),
            model: None,
            created_at: Moment::Now,
        };
        let add = AddEntity { entity, normalized_name: "ana".to_owned() };
        Plan { version, changes: vec![Change::AddEntity(add)], stages: Vec::new() }
    }

    #[test]
    fn a_snapshot_sees_no_later_commit() {
        let store = ReferenceStore::new(Micros(0));
        let before = store.latest(Turn::Race).unwrap();
        let committed = store.commit(&add_entity(0, 1)).unwrap();
        assert_eq!(committed, Committed { seq: 1, at: Micros(1_000_000) });
        assert!(before.find_names(&["ana".to_owned()]).unwrap().is_empty());
        let after = store.latest(Turn::Race).unwrap();
        assert_eq!(after.find_names(&["ana".to_owned()]).unwrap()[0].entity, EntityId(1));
        assert_eq!(after.get_entities(&[EntityId(1)]).unwrap()[0].created_at, Moment::At(Micros(1_000_000)));
    }

    #[test]
    fn a_plan_from_another_version_conflicts_and_a_wrong_id_is_refused() {
        let store = ReferenceStore::new(Micros(0));
        store.commit(&add_entity(0, 1)).unwrap();
        assert_eq!(store.commit(&add_entity(0, 2)), Err(StorageError::Conflict(1)));
        let refused = store.commit(&add_entity(1, 3)).unwrap_err();
        assert_eq!(refused.to_string(), "change 0 of the plan: entity 3: the next free ID is 2");
        assert_eq!(store.dataset().counts().entities, 1);
    }
}
