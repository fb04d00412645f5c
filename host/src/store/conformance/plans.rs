//! Plans in few words.

use gligabao_core::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, ArtifactKind, Bounds, Direction, Edge, EdgeEventKind, EdgeId, Entity,
    EntityEventKind, EntityId, Moment, Series, SeriesId, SeriesSource, StartSource, Target,
};
use gligabao_core::series::Point;
use gligabao_core::storage::{
    AddArtifact, AddEdge, AddEntity, AddEntityEvent, AddEvent, AddParent, Change, Counters, EdgeFilter, Head, Mention,
    Plan, PutPoints, PutSeries, Standing, Statement, Validity,
};
use gligabao_core::time::{Date, Instant, Micros, UNKNOWN_START};

/// A plan that takes the next free IDs.
#[derive(Debug, Clone)]
pub struct Draft {
    pub plan: Plan,
    pub next: Counters,
}

impl Draft {
    pub fn on(head: &Head) -> Self {
        Self { plan: Plan { version: head.version, changes: Vec::new(), stages: Vec::new() }, next: head.next }
    }

    pub fn change(&mut self, change: Change) {
        self.plan.changes.push(change);
    }

    pub fn artifact(&mut self, text: &str) -> ArtifactId {
        self.add_artifact(text, artifact())
    }

    /// Adds an artifact with this text under the next free ID.
    pub fn add_artifact(&mut self, text: &str, artifact: Artifact) -> ArtifactId {
        let id = self.next.artifact;
        self.next.artifact.0 += 1;
        let (text, bytes) = (text.to_owned(), u32::try_from(text.len()).unwrap());
        self.change(Change::AddArtifact(AddArtifact { artifact: Artifact { id, bytes, ..artifact }, text }));
        id
    }

    /// Adds an entity whose normalized name is its name in lower case.
    pub fn entity(&mut self, name: &str) -> EntityId {
        self.add_entity(entity(name))
    }

    /// Adds an entity under the next free ID.
    pub fn add_entity(&mut self, entity: Entity) -> EntityId {
        let id = self.next.entity;
        self.next.entity.0 += 1;
        let normalized_name = entity.name.to_lowercase();
        self.change(Change::AddEntity(AddEntity { entity: Entity { id, ..entity }, normalized_name }));
        id
    }

    pub fn edge(&mut self, source: EntityId, relation: &str, target: EntityId, bounds: Bounds) -> EdgeId {
        self.add_edge(Edge { bounds, ..edge(source, relation, Target::Entity(target)) })
    }

    pub fn literal(&mut self, source: EntityId, relation: &str, target: &str, bounds: Bounds) -> EdgeId {
        self.add_edge(Edge { bounds, ..edge(source, relation, Target::Text(target.to_owned())) })
    }

    /// Adds an edge under the next free ID; a literal is normalized to lower case.
    pub fn add_edge(&mut self, edge: Edge) -> EdgeId {
        let id = self.next.edge;
        self.next.edge.0 += 1;
        let normalized_target = match &edge.target {
            Target::Text(text) => Some(text.to_lowercase()),
            Target::Entity(_) => None,
        };
        self.change(Change::AddEdge(AddEdge { edge: Edge { id, ..edge }, normalized_target }));
        id
    }

    pub fn event(&mut self, edge: EdgeId, kind: EdgeEventKind, after: Bounds) {
        self.change(Change::AddEvent(AddEvent { edge, kind, artifact: None, cause: None, after }));
    }

    /// An event that another edge caused.
    pub fn caused(&mut self, edge: EdgeId, kind: EdgeEventKind, after: Bounds, cause: EdgeId) {
        self.change(Change::AddEvent(AddEvent { edge, kind, artifact: None, cause: Some(cause), after }));
    }

    pub fn entity_event(&mut self, entity: EntityId, kind: EntityEventKind, r#type: &str, description: &str) {
        let (r#type, description) = (r#type.to_owned(), description.to_owned());
        self.change(Change::AddEntityEvent(AddEntityEvent { entity, kind, artifact: None, r#type, description }));
    }

    pub fn mention(&mut self, entity: EntityId, artifact: ArtifactId) {
        self.change(Change::AddMention(Mention { entity, artifact, description: "mentioned".to_owned() }));
    }

    pub fn statement(&mut self, edge: EdgeId, artifact: ArtifactId) {
        let description = "stated".to_owned();
        self.change(Change::AddStatement(Statement { edge, artifact, description, raw_text: None }));
    }

    pub fn parent(&mut self, artifact: ArtifactId, parent: ArtifactId) {
        self.change(Change::AddParent(AddParent { artifact, parent }));
    }

    /// Adds a series that callers send.
    pub fn series(&mut self, key: &str) -> SeriesId {
        self.add_series(series(key), b"")
    }

    /// Adds a series under the next free ID.
    pub fn add_series(&mut self, series: Series, state: &[u8]) -> SeriesId {
        let id = self.next.series;
        self.next.series.0 += 1;
        self.change(Change::PutSeries(PutSeries { series: Series { id, ..series }, state: state.to_vec() }));
        id
    }

    pub fn points(&mut self, series: SeriesId, pairs: &[(i64, f64)]) {
        self.change(Change::PutPoints(PutPoints { series, points: points(pairs) }));
    }

    pub fn anchor(&mut self, series: SeriesId, target: AnchorTarget) {
        self.change(Change::PutAnchor(Anchor { series, target, role: None, window: None }));
    }
}

/// An artifact without anything special, whose text is empty.
pub fn artifact() -> Artifact {
    Artifact {
        series: None,
        id: ArtifactId(0),
        parent: None,
        kind: ArtifactKind::Knowledge,
        bytes: 0,
        title: None,
        session_id: None,
        wing: None,
        valid_at: Instant(0),
        created_at: Moment::Now,
    }
}

/// An entity of unknown type.
pub fn entity(name: &str) -> Entity {
    Entity {
        id: EntityId(0),
        name: name.to_owned(),
        r#type: "unknown".to_owned(),
        description: String::new(),
        model: None,
        created_at: Moment::Now,
    }
}

/// An edge that holds from the second 0 on.
pub fn edge(source: EntityId, relation: &str, target: Target) -> Edge {
    Edge {
        id: EdgeId(0),
        source,
        relation: relation.to_owned(),
        target,
        description: "a sentence".to_owned(),
        bounds: from(0),
        created_at: Moment::Now,
        artifact: None,
        model: None,
        confidence: 0.5,
        wing: None,
        raw_text: None,
    }
}

/// An instant as a date.
pub fn second(at: i64) -> Date {
    Date::second(Instant(at))
}

/// Holds from this second on.
pub fn from(start: i64) -> Bounds {
    Bounds::stated(second(start), StartSource::Stated, None)
}

/// Stated to hold in `[start, end)`.
pub fn during(start: i64, end: i64) -> Bounds {
    Bounds::stated(second(start), StartSource::Stated, Some(second(end)))
}

/// Stated to have ended, with an unknown start.
pub fn until(end: i64) -> Bounds {
    Bounds::stated(Date::second(UNKNOWN_START), StartSource::Unknown, Some(second(end)))
}

/// Closed by a rule at `end`, now.
pub fn closed(bounds: Bounds, end: i64) -> Bounds {
    Bounds { invalid_at: Some(second(end)), expired_at: Some(Moment::Now), ..bounds }
}

/// Contradicted at `cut` by a fact that no rule settles, and closed there, now.
pub fn contradicted(bounds: Bounds, cut: i64) -> Bounds {
    Bounds { contradicted_at: Some(second(cut)), ..closed(bounds, cut) }
}

/// Taken out of belief, now.
pub fn retracted(bounds: Bounds) -> Bounds {
    Bounds { retracted_at: Some(Moment::Now), ..bounds }
}

/// Every edge.
pub fn any() -> EdgeFilter {
    EdgeFilter {
        entity: None,
        direction: Direction::Both,
        relation: None,
        target: None,
        validity: Validity::Any,
        known_at: None,
        standing: Standing::Any,
        unknown_start: true,
        wing: None,
    }
}

/// Every edge that touches an entity.
pub fn touching(entity: EntityId, direction: Direction) -> EdgeFilter {
    EdgeFilter { entity: Some(entity), direction, ..any() }
}

/// A series that callers send.
pub fn series(key: &str) -> Series {
    Series {
        id: SeriesId(0),
        provider: None,
        key: key.to_owned(),
        field: "value".to_owned(),
        name: None,
        unit: None,
        frequency: None,
        source: SeriesSource::Supplied,
        definition: None,
        created_at: Moment::Now,
    }
}

/// Values at times, in microseconds.
pub fn points(pairs: &[(i64, f64)]) -> Vec<Point> {
    pairs.iter().map(|&(at, value)| Point::new(Micros(at), value)).collect()
}
