//! What a plan consists of.

use super::{Mention, Statement};
use crate::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, Bounds, Edge, EdgeEventKind, EdgeId, Entity, EntityEventKind, EntityId,
    Predicate, Series, SeriesId, Stage,
};
use crate::series::Point;
use crate::time::Micros;

/// Inserts an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddArtifact {
    /// The artifact.
    pub artifact: Artifact,
    /// Its text.
    pub text: String,
}

/// That an artifact was derived from another one too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddParent {
    /// The artifact.
    pub artifact: ArtifactId,
    /// Another one that it belongs to.
    pub parent: ArtifactId,
}

/// Inserts an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddEntity {
    /// The entity.
    pub entity: Entity,
    /// Its own name, normalized. It is found by it at once.
    pub normalized_name: String,
}

/// Appends to the log of an entity and sets its type and description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddEntityEvent {
    /// The entity.
    pub entity: EntityId,
    /// What happened; not `created`.
    pub kind: EntityEventKind,
    /// The artifact that caused it.
    pub artifact: Option<ArtifactId>,
    /// The type from now on.
    pub r#type: String,
    /// The description from now on.
    pub description: String,
}

/// Inserts an edge and its `created` event.
#[derive(Debug, Clone, PartialEq)]
pub struct AddEdge {
    /// The edge.
    pub edge: Edge,
    /// The normalized form of a literal object; `None` for an entity.
    pub normalized_target: Option<String>,
}

/// Appends to the log of an edge and sets the edge's bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddEvent {
    /// The edge.
    pub edge: EdgeId,
    /// What happened; not `created`.
    pub kind: EdgeEventKind,
    /// The artifact that caused it.
    pub artifact: Option<ArtifactId>,
    /// The edge that limits it from now on, or whose going gave it back.
    pub cause: Option<EdgeId>,
    /// The bounds from now on.
    pub after: Bounds,
}

/// Replaces what people say of the dataset; `None` leaves it as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetDataset {
    /// For people.
    pub description: Option<String>,
    /// Sorted, once each.
    pub tags: Option<Vec<String>>,
}

/// Inserts a series, or replaces what is kept with its points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutSeries {
    /// The series. Provider, key and field of a stored one stay as they are.
    pub series: Series,
    /// What the writer keeps with it.
    pub state: Vec<u8>,
}

/// Upserts points.
#[derive(Debug, Clone, PartialEq)]
pub struct PutPoints {
    /// The series.
    pub series: SeriesId,
    /// In strictly ascending order of time.
    pub points: Vec<Point>,
}

/// Erases points and their replaced values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletePoints {
    /// The series.
    pub series: SeriesId,
    /// From this time; `None`: from the first point.
    pub from: Option<Micros>,
    /// To this time, inside; `None`: to the last point.
    pub to: Option<Micros>,
}

/// Names an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeleteAnchor {
    /// The series.
    pub series: SeriesId,
    /// What it is tied to.
    pub target: AnchorTarget,
}

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Inserts.
    AddArtifact(AddArtifact),
    /// Inserts; again changes nothing.
    AddParent(AddParent),
    /// Inserts.
    AddEntity(AddEntity),
    /// Appends, and sets type and description.
    AddEntityEvent(AddEntityEvent),
    /// Inserts; again changes nothing.
    AddMention(Mention),
    /// Inserts.
    AddEdge(AddEdge),
    /// Inserts; again changes nothing.
    AddStatement(Statement),
    /// Appends, and sets bounds.
    AddEvent(AddEvent),
    /// Inserts or replaces.
    PutPredicate(Predicate),
    /// Replaces.
    SetDataset(SetDataset),
    /// Inserts or replaces.
    PutSeries(PutSeries),
    /// Upserts.
    PutPoints(PutPoints),
    /// Erases.
    DeletePoints(DeletePoints),
    /// Inserts or replaces.
    PutAnchor(Anchor),
    /// Deletes.
    DeleteAnchor(DeleteAnchor),
    /// Deletes with points, replaced values and anchors.
    DeleteSeries(SeriesId),
}

/// All that one call changes: all of it or nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The version that it was made from.
    pub version: u64,
    /// In order; what refers to something comes after it.
    pub changes: Vec<Change>,
    /// The stages of the call, for its log. They change nothing.
    pub stages: Vec<Stage>,
}
