//! Entities and predicates as a plan leaves them.

use std::collections::BTreeMap;

use super::{Overlay, QUERIES_A_CALL};
use crate::model::{Entity, EntityId, Predicate};
use crate::storage::{AddEntityEvent, Change, NameMatch, Snapshot, StorageResult};

/// What the plan adds and changes of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Planned {
    entities: BTreeMap<EntityId, Entity>,
    /// The new ones by normalized name.
    names: BTreeMap<String, Vec<EntityId>>,
    /// Type and description of stored ones from now on.
    changed: BTreeMap<EntityId, (String, String)>,
    predicates: BTreeMap<String, Predicate>,
}

impl Planned {
    pub(super) fn note(&mut self, change: &Change) {
        match change {
            Change::AddEntity(add) => {
                self.names.entry(add.normalized_name.clone()).or_default().push(add.entity.id);
                self.entities.insert(add.entity.id, add.entity.clone());
            }
            Change::AddEntityEvent(AddEntityEvent { entity, r#type, description, .. }) => {
                self.changed.insert(*entity, (r#type.clone(), description.clone()));
            }
            Change::PutPredicate(predicate) => {
                self.predicates.insert(predicate.name.clone(), predicate.clone());
            }
            _ => {}
        }
    }

    fn as_changed(&self, mut entity: Entity) -> Entity {
        if let Some((r#type, description)) = self.changed.get(&entity.id) {
            entity.r#type.clone_from(r#type);
            entity.description.clone_from(description);
        }
        entity
    }
}

impl<S: Snapshot> Overlay<'_, S> {
    /// Every entity that has one of these normalized names, which are different: stored ones and new ones.
    ///
    /// # Errors
    /// When storage fails.
    pub fn find_names(&self, names: &[String]) -> StorageResult<Vec<NameMatch>> {
        let mut found = Vec::new();
        for names in names.chunks(QUERIES_A_CALL) {
            found.extend(self.snapshot.find_names(names)?);
        }
        for name in names {
            let new = self.planned.names.get(name).into_iter().flatten();
            found.extend(new.map(|entity| NameMatch { name: name.clone(), entity: *entity }));
        }
        Ok(found)
    }

    /// Entities by ID, as the plan leaves them.
    ///
    /// # Errors
    /// When storage fails.
    pub fn get_entities(&self, ids: &[EntityId]) -> StorageResult<Vec<Entity>> {
        let (new, stored): (Vec<EntityId>, Vec<EntityId>) =
            ids.iter().partition(|id| self.planned.entities.contains_key(id));
        let mut entities = Vec::with_capacity(ids.len());
        for ids in stored.chunks(QUERIES_A_CALL) {
            entities.extend(self.snapshot.get_entities(ids)?);
        }
        entities.extend(new.iter().filter_map(|id| self.planned.entities.get(id)).cloned());
        Ok(entities.into_iter().map(|entity| self.planned.as_changed(entity)).collect())
    }

    /// Predicates by name, as the plan leaves them.
    ///
    /// # Errors
    /// When storage fails.
    pub fn get_predicates(&self, names: &[String]) -> StorageResult<Vec<Predicate>> {
        let (new, stored): (Vec<&String>, Vec<&String>) =
            names.iter().partition(|name| self.planned.predicates.contains_key(*name));
        let stored: Vec<String> = stored.into_iter().cloned().collect();
        let mut predicates = if stored.is_empty() { Vec::new() } else { self.snapshot.get_predicates(&stored)? };
        predicates.extend(new.iter().filter_map(|name| self.planned.predicates.get(*name)).cloned());
        Ok(predicates)
    }
}
