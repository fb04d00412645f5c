//! Who is who: the entities that the names of a text mean.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bearers::{Bearers, is_generic, kind_of};
use super::material::Mention as Named;
use super::tell::Source;
use crate::extract::ExtractedEntity;
use crate::model::{ArtifactId, Entity, EntityEventKind, EntityId, Moment, Target};
use crate::names::normalize;
use crate::recall::Fact;
use crate::reconcile::Overlay;
use crate::stage::SHOWN;
use crate::storage::{AddEntity, AddEntityEvent, Change, Mention, Snapshot, StorageResult};

/// An entity of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) entity: Entity,
    pub(super) created: bool,
}

/// The entities of a text, by normalized name and in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Cast {
    by_name: BTreeMap<String, EntityId>,
    members: BTreeMap<EntityId, Member>,
    order: Vec<EntityId>,
    choices: Vec<Choice>,
    /// Names of entities that the text does not name itself.
    others: BTreeMap<EntityId, String>,
}

/// A name that several entities have, and which was meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Choice {
    name: String,
    of: Vec<u64>,
    /// None of them: it is a new one.
    chosen: Option<u64>,
}

impl Cast {
    /// Finds or plans the entity of each name, and notes that the artifact mentions it. `mentions` have names that are
    /// not empty.
    pub(super) fn find<S: Snapshot>(
        overlay: &mut Overlay<'_, S>,
        mentions: &[Named],
        source: &Source<'_>,
    ) -> StorageResult<Self> {
        let artifact = source.artifact;
        let names = mentions.iter().map(|mention| normalize(&mention.entity.name)).collect();
        let mut known = Bearers::load(overlay, names)?;
        if let Some((name, entity)) = source.meant {
            known.settle(normalize(name), entity);
        }
        let mut cast = Self::default();
        for Named { entity: mention, model } in mentions {
            let name = normalize(&mention.name);
            if cast.by_name.contains_key(&name) {
                continue;
            }
            let found = known.choose(&name, &mention.r#type);
            let of = known.of(&name);
            if of.len() > 1 && cast.choices.len() < SHOWN {
                let (of, chosen) = (of.iter().map(|id| id.0).take(SHOWN).collect(), found.map(|entity| entity.id.0));
                cast.choices.push(Choice { name: name.clone(), of, chosen });
            }
            let member = match found {
                Some(entity) => Member { entity: improve(overlay, entity, mention, artifact), created: false },
                None => Member { entity: create(overlay, mention, &name, model.as_deref()), created: true },
            };
            let id = member.entity.id;
            cast.by_name.insert(name, id);
            if cast.members.insert(id, member).is_none() {
                cast.order.push(id);
                let description = mention.description.trim().to_owned();
                overlay.push(Change::AddMention(Mention { entity: id, artifact, description }), "the text names it");
            }
        }
        Ok(cast)
    }

    /// The entity that a name means in this text.
    pub(super) fn entity(&self, name: &str) -> Option<&Entity> {
        let id = self.by_name.get(&normalize(name))?;
        self.members.get(id).map(|member| &member.entity)
    }

    pub(super) fn name_of(&self, id: EntityId) -> Option<&str> {
        let name = self.members.get(&id).map(|member| &member.entity.name);
        name.or_else(|| self.others.get(&id)).map(String::as_str)
    }

    /// Whether an entity of the text was stored before.
    pub(super) fn is_known(&self, id: EntityId) -> bool {
        self.members.get(&id).is_some_and(|member| !member.created)
    }

    /// Keeps the names of the endpoints of stored facts, which told facts may turn out to be.
    pub(super) fn learn(&mut self, facts: &[Fact]) {
        for fact in facts {
            self.others.insert(fact.edge.source, fact.source_name.clone());
            if let (Target::Entity(target), Some(name)) = (&fact.edge.target, &fact.target_name) {
                self.others.insert(*target, name.clone());
            }
        }
    }

    /// Names that several entities have.
    pub(super) fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// In the order of the text.
    pub(super) fn members(&self) -> impl Iterator<Item = &Member> {
        self.order.iter().filter_map(|id| self.members.get(id))
    }
}

fn create<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    mention: &ExtractedEntity,
    normalized_name: &str,
    model: Option<&str>,
) -> Entity {
    let entity = Entity {
        id: overlay.new_entity_id(),
        name: mention.name.trim().to_owned(),
        r#type: kind_of(&mention.r#type),
        description: mention.description.trim().to_owned(),
        model: model.map(str::to_owned),
        created_at: Moment::Now,
    };
    let add = AddEntity { entity: entity.clone(), normalized_name: normalized_name.to_owned() };
    overlay.push(Change::AddEntity(add), "no entity has this name");
    entity
}

/// A known entity, with what the text adds: a type where it had none, a description where it had none.
fn improve<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    entity: &Entity,
    mention: &ExtractedEntity,
    artifact: ArtifactId,
) -> Entity {
    let mut better = entity.clone();
    let mut note = |better: &Entity, kind| {
        let (r#type, description) = (better.r#type.clone(), better.description.clone());
        let event = AddEntityEvent { entity: better.id, kind, artifact: Some(artifact), r#type, description };
        overlay.push(Change::AddEntityEvent(event), "the text says more of it");
    };
    let kind = kind_of(&mention.r#type);
    if is_generic(&entity.r#type) && !is_generic(&kind) {
        better.r#type = kind;
        note(&better, EntityEventKind::Retyped);
    }
    let description = mention.description.trim();
    if entity.description.is_empty() && !description.is_empty() {
        description.clone_into(&mut better.description);
        note(&better, EntityEventKind::Described);
    }
    better
}
