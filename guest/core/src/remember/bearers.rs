//! Who has a name, and which of several is meant.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Entity, EntityId};
use crate::reconcile::Overlay;
use crate::storage::rules::MAX_ITEMS;
use crate::storage::{Snapshot, StorageResult};

/// IDs that one call of storage may carry.
const ITEMS_A_CALL: usize = MAX_ITEMS as usize;

/// What keeps two entities of one name apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Person,
    Organization,
    Place,
}

const CLASSES: &[(Class, &[&str])] = &[
    (Class::Person, &["person", "human", "user", "people", "man", "woman", "employee", "customer"]),
    (
        Class::Organization,
        &[
            "organization",
            "organisation",
            "company",
            "business",
            "institution",
            "agency",
            "team",
            "corporation",
            "school",
            "university",
        ],
    ),
    (Class::Place, &["place", "city", "country", "region", "location", "town", "state"]),
];

const GENERIC: &[&str] = &["", "thing", "unknown", "entity", "other"];

fn class(r#type: &str) -> Option<Class> {
    CLASSES.iter().find(|(_, types)| types.contains(&r#type)).map(|(class, _)| *class)
}

/// Whether a type says nothing and gives way to one that does.
pub(super) fn is_generic(r#type: &str) -> bool {
    GENERIC.contains(&r#type)
}

/// Whether both types say that something is a person, an organization or a place, and the same of them.
pub(super) fn is_same_class(a: &str, b: &str) -> bool {
    class(&kind_of(a)).is_some_and(|a| class(&kind_of(b)) == Some(a))
}

/// A type as it is stored.
pub(super) fn kind_of(r#type: &str) -> String {
    let kind = r#type.trim().to_lowercase();
    if is_generic(&kind) { "unknown".to_owned() } else { kind }
}

/// The entities that have some names.
#[derive(Debug)]
pub(super) struct Bearers {
    by_name: BTreeMap<String, Vec<EntityId>>,
    entities: BTreeMap<EntityId, Entity>,
    degrees: BTreeMap<EntityId, u64>,
}

impl Bearers {
    /// Of normalized names.
    pub(super) fn load<S: Snapshot>(overlay: &Overlay<'_, S>, names: BTreeSet<String>) -> StorageResult<Self> {
        let names: Vec<String> = names.into_iter().collect();
        let mut by_name: BTreeMap<String, Vec<EntityId>> = BTreeMap::new();
        for found in overlay.find_names(&names)? {
            by_name.entry(found.name).or_default().push(found.entity);
        }
        let ids: BTreeSet<EntityId> = by_name.values().flatten().copied().collect();
        let ids: Vec<EntityId> = ids.into_iter().collect();
        let entities = overlay.get_entities(&ids)?.into_iter().map(|entity| (entity.id, entity)).collect();
        let ambiguous = by_name.values().filter(|ids| ids.len() > 1).flatten().copied().collect::<BTreeSet<_>>();
        let ambiguous: Vec<EntityId> = ambiguous.into_iter().collect();
        let mut degrees = BTreeMap::new();
        for ids in ambiguous.chunks(ITEMS_A_CALL) {
            degrees.extend(overlay.snapshot().degrees(ids)?.into_iter().map(|degree| (degree.entity, degree.edges)));
        }
        Ok(Self { by_name, entities, degrees })
    }

    /// All of a name, by ID.
    pub(super) fn of(&self, name: &str) -> &[EntityId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Those of a name, the one with the most facts first, then the one that was told first.
    pub(super) fn by_weight(&self, name: &str) -> Vec<&Entity> {
        let mut of: Vec<&Entity> = self.of(name).iter().filter_map(|id| self.entities.get(id)).collect();
        of.sort_by_key(|entity| Reverse(self.weight(entity.id)));
        of
    }

    /// Takes a new one in.
    pub(super) fn add(&mut self, name: String, entity: Entity) {
        self.by_name.entry(name).or_default().push(entity.id);
        self.entities.insert(entity.id, entity);
    }

    /// Lets a name mean this one.
    pub(super) fn settle(&mut self, name: String, entity: EntityId) {
        self.by_name.insert(name, vec![entity]);
    }

    fn weight(&self, id: EntityId) -> (u64, Reverse<EntityId>) {
        (self.degrees.get(&id).copied().unwrap_or(0), Reverse(id))
    }

    /// Of the entities of a name the one that can be meant: not of another class; of several the one of the same class,
    /// then the one with the most facts, then the one that was told first.
    pub(super) fn choose(&self, name: &str, r#type: &str) -> Option<&Entity> {
        let wanted = class(&kind_of(r#type));
        let candidates = self.of(name).iter().filter_map(|id| self.entities.get(id));
        let possible = candidates.filter(|entity| match (wanted, class(&entity.r#type)) {
            (Some(wanted), Some(class)) => wanted == class,
            _ => true,
        });
        possible.max_by_key(|entity| {
            let same_class = wanted.is_some() && wanted == class(&entity.r#type);
            (same_class, self.weight(entity.id))
        })
    }
}
