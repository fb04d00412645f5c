//! Anchors of a call: the things that their selectors mean.

use std::collections::{BTreeMap, BTreeSet};

use super::bearers::{Bearers, is_same_class, kind_of};
use super::cast::Cast;
use crate::commit::Trouble;
use crate::model::{AnchorTarget, ArtifactId, EdgeId, Entity, EntityId, Failure, Moment};
use crate::names::normalize;
use crate::reconcile::{FactKey, Overlay, ValueKey};
use crate::series::anchor::{Anchor, EdgeSelector, EntitySelector, Selector, Skipped, Unmatched};
use crate::storage::{AddEntity, Change, Snapshot, StorageResult, TargetKey};

/// Entities of one name whose facts are looked at for an end of a fact.
const MAX_BEARERS: usize = 16;

/// What a selector comes to.
#[derive(Debug)]
pub(super) enum Found {
    /// This is meant.
    At {
        target: AnchorTarget,
        /// Whether it is an entity that was made for it.
        created: bool,
    },
    /// The anchor is left out.
    Skipped(Skipped),
}

/// What the selectors of a call can mean.
#[derive(Debug)]
pub(super) struct Targets<'t> {
    /// The artifact of the call.
    home: Option<ArtifactId>,
    /// Who is who in its text.
    cast: Option<&'t Cast>,
    /// What is stored under the IDs that are asked for.
    stored: BTreeSet<AnchorTarget>,
    bearers: Bearers,
    /// The newest live fact of each place of an anchor.
    facts: BTreeMap<&'t str, EdgeId>,
}

impl<'t> Targets<'t> {
    /// Asks storage for all that the anchors will need.
    pub(super) fn find<S: Snapshot>(
        overlay: &Overlay<'_, S>,
        anchors: &[&'t Anchor],
        home: Option<ArtifactId>,
        cast: Option<&'t Cast>,
    ) -> StorageResult<Self> {
        let mut names = BTreeSet::new();
        for anchor in anchors {
            match &anchor.selector {
                Selector::Entity(entity) => names.extend([normalize(&entity.name)]),
                Selector::Edge(edge) => names.extend([normalize(&edge.source), normalize(&edge.target)]),
                _ => {}
            }
        }
        let bearers = Bearers::load(overlay, names)?;
        let facts = facts(overlay, anchors, &bearers)?;
        Ok(Self { home, cast, stored: stored(overlay.snapshot(), anchors)?, bearers, facts })
    }

    /// What an anchor is tied to; an entity that is not there is made where that is wanted.
    pub(super) fn resolve<S: Snapshot>(
        &mut self,
        overlay: &mut Overlay<'_, S>,
        anchor: &Anchor,
    ) -> Result<Found, Failure> {
        let of_id = |target: AnchorTarget| Some(target).filter(|target| self.stored.contains(target));
        let target = match &anchor.selector {
            Selector::ThisArtifact => self.home.map(AnchorTarget::Artifact),
            Selector::ArtifactId(id) => of_id(AnchorTarget::Artifact(*id)),
            Selector::EntityId(id) => of_id(AnchorTarget::Entity(*id)),
            Selector::EdgeId(id) => of_id(AnchorTarget::Edge(*id)),
            Selector::Entity(entity) => self.entity(entity).map(AnchorTarget::Entity),
            Selector::Edge(_) => self.facts.get(anchor.place.as_str()).copied().map(AnchorTarget::Edge),
        };
        if let Some(target) = target {
            return Ok(Found::At { target, created: false });
        }
        match anchor.unmatched() {
            Unmatched::Create(selector) => {
                let target = AnchorTarget::Entity(self.create(overlay, selector));
                Ok(Found::At { target, created: true })
            }
            Unmatched::Skip(skipped) => Ok(Found::Skipped(skipped)),
            Unmatched::Fail(failure) => Err(failure),
        }
    }

    /// Whom a name means: the one that the text means by it, else the one with the most facts.
    fn entity(&self, selector: &EntitySelector) -> Option<EntityId> {
        let fits = |entity: &&Entity| {
            let same_class = |asked: &String| is_same_class(asked, &entity.r#type);
            selector.takes_type(&entity.r#type) || selector.r#type.as_ref().is_some_and(same_class)
        };
        let named = self.cast.and_then(|cast| cast.entity(&selector.name)).filter(fits);
        let weightiest = || self.bearers.by_weight(&normalize(&selector.name)).into_iter().find(fits);
        named.or_else(weightiest).map(|entity| entity.id)
    }

    fn create<S: Snapshot>(&mut self, overlay: &mut Overlay<'_, S>, selector: EntitySelector) -> EntityId {
        let EntitySelector { name, r#type } = selector;
        let normalized_name = normalize(&name);
        let entity = Entity {
            id: overlay.new_entity_id(),
            name,
            r#type: kind_of(r#type.as_deref().unwrap_or_default()),
            description: String::new(),
            model: None,
            created_at: Moment::Now,
        };
        let id = entity.id;
        self.bearers.add(normalized_name.clone(), entity.clone());
        overlay.push(Change::AddEntity(AddEntity { entity, normalized_name }), "a series is about it");
        id
    }
}

/// Checks what must be there before anything else is done: whatever an anchor names by its ID.
pub(super) fn check_ids<S: Snapshot>(snapshot: &S, anchors: &[&Anchor]) -> Result<(), Trouble> {
    let stored = stored(snapshot, anchors)?;
    let missing = anchors.iter().find(|anchor| by_id(anchor).is_some_and(|target| !stored.contains(&target)));
    match missing.map(|anchor| anchor.unmatched()) {
        Some(Unmatched::Fail(failure)) => Err(failure.into()),
        _ => Ok(()),
    }
}

fn by_id(anchor: &Anchor) -> Option<AnchorTarget> {
    match anchor.selector {
        Selector::ArtifactId(id) => Some(AnchorTarget::Artifact(id)),
        Selector::EntityId(id) => Some(AnchorTarget::Entity(id)),
        Selector::EdgeId(id) => Some(AnchorTarget::Edge(id)),
        Selector::ThisArtifact | Selector::Entity(_) | Selector::Edge(_) => None,
    }
}

/// What of the IDs that anchors name is stored.
fn stored<S: Snapshot>(snapshot: &S, anchors: &[&Anchor]) -> StorageResult<BTreeSet<AnchorTarget>> {
    let (mut artifacts, mut entities, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    for target in anchors.iter().filter_map(|anchor| by_id(anchor)) {
        match target {
            AnchorTarget::Artifact(id) => artifacts.push(id),
            AnchorTarget::Entity(id) => entities.push(id),
            AnchorTarget::Edge(id) => edges.push(id),
        }
    }
    let mut stored = BTreeSet::new();
    if !artifacts.is_empty() {
        stored.extend(snapshot.get_artifacts(&artifacts)?.into_iter().map(|row| AnchorTarget::Artifact(row.id)));
    }
    if !entities.is_empty() {
        stored.extend(snapshot.get_entities(&entities)?.into_iter().map(|row| AnchorTarget::Entity(row.id)));
    }
    if !edges.is_empty() {
        stored.extend(snapshot.get_edges(&edges)?.into_iter().map(|row| AnchorTarget::Edge(row.id)));
    }
    Ok(stored)
}

/// For the place of each anchor that names a fact by its ends the newest live one.
fn facts<'t, S: Snapshot>(
    overlay: &Overlay<'_, S>,
    anchors: &[&'t Anchor],
    bearers: &Bearers,
) -> StorageResult<BTreeMap<&'t str, EdgeId>> {
    let (mut places, mut keys) = (Vec::new(), Vec::new());
    for anchor in anchors {
        let Selector::Edge(edge) = &anchor.selector else { continue };
        let of_anchor = keys_of(edge, bearers);
        places.extend(of_anchor.iter().map(|_| anchor.place.as_str()));
        keys.extend(of_anchor);
    }
    let mut facts: BTreeMap<&str, EdgeId> = BTreeMap::new();
    for (place, newest) in places.into_iter().zip(overlay.newest_live(&keys)?) {
        if let Some(id) = newest {
            facts.entry(place).and_modify(|known| *known = id.max(*known)).or_insert(id);
        }
    }
    Ok(facts)
}

/// The facts that a selector can mean.
fn keys_of(edge: &EdgeSelector, bearers: &Bearers) -> Vec<FactKey> {
    let bearing = |name: &str| bearers.by_weight(name).into_iter().take(MAX_BEARERS).map(|entity| entity.id);
    let target = normalize(&edge.target);
    let targets: Vec<TargetKey> =
        bearing(&target).map(TargetKey::Entity).chain([TargetKey::Text(target.clone())]).collect();
    let of_source = |source: EntityId| {
        let value = ValueKey { source, relation: edge.relation.clone() };
        targets.iter().map(move |target| FactKey { value: value.clone(), target: target.clone() })
    };
    bearing(&normalize(&edge.source)).flat_map(of_source).collect()
}
