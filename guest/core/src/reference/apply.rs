//! Applying the changes of a plan that was checked: nothing here can fail.

use std::sync::Arc;

use imbl::Vector;

use super::{EdgeRow, EntityRow, ReferenceDataset};
use crate::model::{Artifact, ArtifactId, EdgeEvent, EdgeEventKind, EdgeId, Entity, EntityId, Moment, RunId, Target};
use crate::storage::rules::resolve_bounds;
use crate::storage::{AddEdge, AddEntity, AddEntityEvent, AddEvent, Change, Committed, SetDataset, TargetKey};

const CHECKED: &str = "the plan was checked: what it refers to exists";

impl ReferenceDataset {
    pub(super) fn apply(&mut self, change: &Change, run: RunId, commit: Committed) {
        match change {
            Change::AddArtifact(add) => {
                let artifact = Artifact { created_at: Moment::At(commit.at), ..add.artifact.clone() };
                self.head.next.artifact = ArtifactId(artifact.id.0 + 1);
                self.texts.insert(artifact.id, add.text.as_str().into());
                self.artifacts.insert(artifact.id, Arc::new(artifact));
            }
            Change::AddParent(add) => {
                self.parents.insert((add.parent, add.artifact));
            }
            Change::AddEntity(add) => self.add_entity(add, commit),
            Change::AddEntityEvent(event) => self.add_entity_event(event, commit),
            Change::AddMention(mention) => {
                let key = (mention.entity, mention.artifact);
                self.mentions.entry(key).or_insert_with(|| (commit.seq, Arc::new(mention.clone())));
            }
            Change::AddEdge(add) => self.add_edge(add, run, commit),
            Change::AddStatement(statement) => {
                let key = (statement.edge, statement.artifact);
                self.statements.entry(key).or_insert_with(|| (commit.seq, Arc::new(statement.clone())));
            }
            Change::AddEvent(add) => self.add_event(add, run, commit),
            Change::PutPredicate(predicate) => {
                self.predicates.insert(predicate.name.clone(), Arc::new(predicate.clone()));
            }
            Change::SetDataset(set) => self.set_dataset(set),
            Change::PutSeries(put) => self.put_series(put, commit),
            Change::PutPoints(put) => self.put_points(put, commit),
            Change::DeletePoints(delete) => self.delete_points(delete),
            Change::PutAnchor(anchor) => self.put_anchor(anchor),
            Change::DeleteAnchor(delete) => self.delete_anchor(delete.series, delete.target),
            Change::DeleteSeries(id) => self.delete_series(*id),
        }
    }

    fn add_entity(&mut self, add: &AddEntity, commit: Committed) {
        let entity = Entity { created_at: Moment::At(commit.at), ..add.entity.clone() };
        let id = entity.id;
        let normalized_name: Arc<str> = add.normalized_name.as_str().into();
        self.head.next.entity = EntityId(id.0 + 1);
        self.names.insert((Arc::clone(&normalized_name), id));
        let told = Vector::unit((commit.seq, Arc::new((entity.r#type.clone(), entity.description.clone()))));
        self.entities.insert(id, Arc::new(EntityRow { entity, told, normalized_name, degree: 0 }));
    }

    fn add_entity_event(&mut self, event: &AddEntityEvent, commit: Committed) {
        let row = self.entity_mut(event.entity);
        row.told.push_back((commit.seq, Arc::new((event.r#type.clone(), event.description.clone()))));
        row.entity.r#type.clone_from(&event.r#type);
        row.entity.description.clone_from(&event.description);
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
            seq: commit.seq,
            number: self.next_number(commit),
            edge: id,
            kind: EdgeEventKind::Created,
            at: commit.at,
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
        let created = Arc::new(created);
        self.log(&created);
        self.edges.insert(id, Arc::new(EdgeRow { edge, key, events: Vector::unit(created) }));
    }

    fn add_event(&mut self, add: &AddEvent, run: RunId, commit: Committed) {
        let number = self.next_number(commit);
        let row = Arc::make_mut(self.edges.get_mut(&add.edge).expect(CHECKED));
        let before = row.edge.bounds;
        let after = resolve_bounds(add.after, commit.at);
        let event = EdgeEvent {
            seq: commit.seq,
            number,
            edge: add.edge,
            kind: add.kind,
            at: commit.at,
            run,
            artifact: add.artifact,
            cause: add.cause,
            before: Some(before),
            after,
        };
        let event = Arc::new(event);
        row.edge.bounds = after;
        row.events.push_back(Arc::clone(&event));
        self.log(&event);
        self.live_edges = self.live_edges - u64::from(before.is_live()) + u64::from(after.is_live());
    }

    /// The number of the next event of a commit.
    fn next_number(&self, commit: Committed) -> u32 {
        self.events.range((commit.seq, 0)..).next_back().map_or(0, |((_, number), _)| number + 1)
    }

    fn log(&mut self, event: &Arc<EdgeEvent>) {
        let place = (event.seq, event.number);
        if let Some(cause) = event.cause {
            self.by_cause.insert((cause, place));
        }
        self.events.insert(place, Arc::clone(event));
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
