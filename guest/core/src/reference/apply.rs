//! Applying the changes of a plan that was checked: nothing here can fail.

use std::sync::Arc;

use imbl::Vector;

use super::{EdgeRow, EntityRow, ReferenceDataset};
use crate::model::{Artifact, ArtifactId, EdgeEvent, EdgeEventKind, EdgeId, Entity, EntityId, Moment, RunId, Target};
use crate::storage::rules::resolve_bounds;
use crate::storage::{AddEdge, AddEntity, AddEvent, Change, Committed, SetDataset, SetEntity, TargetKey};

const CHECKED: &str = "the plan was checked: what it refers to exists";

impl ReferenceDataset {
    pub(super) fn apply(&mut self, change: &Change, run: RunId, commit: Committed) {
        match change {
            Change::AddArtifact(artifact) => {
                let artifact = Artifact { created_at: Moment::At(commit.at), ..artifact.clone() };
                self.head.next.artifact = ArtifactId(artifact.id.0 + 1);
                self.artifacts.insert(artifact.id, Arc::new(artifact));
            }
            Change::AddEntity(add) => self.add_entity(add, commit),
            Change::SetEntity(set) => self.set_entity(set),
            Change::AddMention(mention) => {
                let key = (mention.entity, mention.artifact);
                self.mentions.entry(key).or_insert_with(|| Arc::new(mention.clone()));
            }
            Change::AddEdge(add) => self.add_edge(add, run, commit),
            Change::AddStatement(statement) => {
                let key = (statement.edge, statement.artifact);
                self.statements.entry(key).or_insert_with(|| Arc::new(statement.clone()));
            }
            Change::AddEvent(add) => self.add_event(add, run, commit),
            Change::PutPredicate(predicate) => {
                self.predicates.insert(predicate.name.clone(), Arc::new(predicate.clone()));
            }
            Change::SetDataset(set) => self.set_dataset(set),
        }
    }

    fn add_entity(&mut self, add: &AddEntity, commit: Committed) {
        let entity = Entity { created_at: Moment::At(commit.at), ..add.entity.clone() };
        let id = entity.id;
        let normalized_name: Arc<str> = add.normalized_name.as_str().into();
        self.head.next.entity = EntityId(id.0 + 1);
        self.names.insert((Arc::clone(&normalized_name), id));
        self.entities.insert(id, Arc::new(EntityRow { entity, normalized_name, degree: 0 }));
    }

    fn set_entity(&mut self, set: &SetEntity) {
        let row = self.entity_mut(set.id);
        row.entity.r#type.clone_from(&set.r#type);
        row.entity.description.clone_from(&set.description);
    }

    fn add_edge(&mut self, add: &AddEdge, run: RunId, commit: Committed) {
        let mut edge = add.edge.clone();
        edge.created_at = Moment::At(commit.at);
        edge.bounds = resolve_bounds(edge.bounds, commit.at);
        let (id, source) = (edge.id, edge.source);
        let key = match (&edge.target, &add.normalized_target) {
            (Target::Text(_), Some(normalized)) => TargetKey::Text(normalized.clone()),
            (Target::Entity(target), None) => TargetKey::Entity(*target),
            _ => unreachable!("the plan was checked: a literal has its normalized form, an entity has none"),
        };
        let created = EdgeEvent {
            edge: id,
            kind: EdgeEventKind::Created,
            at: commit.at,
            seq: commit.seq,
            run,
            artifact: edge.artifact,
            cause: None,
            before: None,
            after: edge.bounds,
        };
        self.head.next.edge = EdgeId(id.0 + 1);
        self.live_edges += u64::from(edge.bounds.is_live());
        self.by_source.insert((source, id));
        self.by_target.insert((key.clone(), id));
        self.entity_mut(source).degree += 1;
        if let TargetKey::Entity(target) = key
            && target != source
        {
            self.entity_mut(target).degree += 1;
        }
        self.edges.insert(id, Arc::new(EdgeRow { edge, key, events: Vector::unit(Arc::new(created)) }));
    }

    fn add_event(&mut self, add: &AddEvent, run: RunId, commit: Committed) {
        let row = Arc::make_mut(self.edges.get_mut(&add.edge).expect(CHECKED));
        let before = row.edge.bounds;
        let after = resolve_bounds(add.after, commit.at);
        let event = EdgeEvent {
            edge: add.edge,
            kind: add.kind,
            at: commit.at,
            seq: commit.seq,
            run,
            artifact: add.artifact,
            cause: add.cause,
            before: Some(before),
            after,
        };
        row.edge.bounds = after;
        row.events.push_back(Arc::new(event));
        self.live_edges = self.live_edges - u64::from(before.is_live()) + u64::from(after.is_live());
    }

    fn set_dataset(&mut self, set: &SetDataset) {
        if let Some(description) = &set.description {
            self.head.description.clone_from(description);
        }
        if let Some(tags) = &set.tags {
            self.head.tags.clone_from(tags);
        }
    }

    fn entity_mut(&mut self, id: EntityId) -> &mut EntityRow {
        Arc::make_mut(self.entities.get_mut(&id).expect(CHECKED))
    }
}
