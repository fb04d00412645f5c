//! The reference store: one dataset in memory, as plainly as the interface allows. Other stores are compared with it.
//!
//! It holds persistent maps, so that a snapshot is a copy in O(1) that no later commit touches. It has no clock: the
//! time of a commit is an argument.

mod apply;
mod edges;
mod log;
mod series;
mod snapshot;
mod store;

use std::sync::Arc;

use imbl::{OrdMap, OrdSet, Vector};

use crate::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, Bounds, Edge, EdgeEvent, EdgeId, Entity, EntityId, Predicate, Run,
    RunId, SeriesId,
};
use crate::storage::rules::{self, Reference, Stored};
use crate::storage::{
    CommitLog, Committed, Counters, Head, Mention, Plan, SeriesKey, Statement, StorageResult, TargetKey,
};
use crate::time::Micros;

use series::SeriesRow;
pub use snapshot::ReferenceSnapshot;
pub use store::ReferenceStore;

/// How much a dataset holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Number of artifacts.
    pub artifacts: u64,
    /// Number of entities.
    pub entities: u64,
    /// Number of edges, retracted ones included.
    pub edges: u64,
    /// Number of edges that are neither closed by a rule nor retracted.
    pub live_edges: u64,
}

/// One dataset.
#[derive(Debug, Clone)]
pub struct ReferenceDataset {
    head: Head,
    live_edges: u64,
    artifacts: OrdMap<ArtifactId, Arc<Artifact>>,
    texts: OrdMap<ArtifactId, Arc<str>>,
    /// Further parents of artifacts, as (parent, artifact).
    parents: OrdSet<(ArtifactId, ArtifactId)>,
    entities: OrdMap<EntityId, Arc<EntityRow>>,
    /// Normalized names; several entities may share one.
    names: OrdSet<(Arc<str>, EntityId)>,
    edges: OrdMap<EdgeId, Arc<EdgeRow>>,
    by_source: OrdSet<(EntityId, EdgeId)>,
    by_target: OrdSet<(TargetKey, EdgeId)>,
    /// The log of all edges by (seq, number).
    events: OrdMap<(u64, u32), Arc<EdgeEvent>>,
    by_cause: OrdSet<(EdgeId, (u64, u32))>,
    /// With the `seq` that each came with.
    mentions: OrdMap<(EntityId, ArtifactId), (u64, Arc<Mention>)>,
    /// With the `seq` that each came with.
    statements: OrdMap<(EdgeId, ArtifactId), (u64, Arc<Statement>)>,
    predicates: OrdMap<String, Arc<Predicate>>,
    /// Transaction times of the changes by `seq`.
    changes: OrdMap<u64, Micros>,
    series: OrdMap<SeriesId, Arc<SeriesRow>>,
    series_keys: OrdMap<SeriesKey, SeriesId>,
    anchors: OrdMap<(SeriesId, AnchorTarget), Arc<Anchor>>,
    commits: OrdMap<u64, Arc<CommitLog>>,
    runs: OrdMap<u64, Arc<Run>>,
}

/// An entity with what is kept beside it.
#[derive(Debug, Clone)]
struct EntityRow {
    entity: Entity,
    /// Type and description since each `seq`, oldest first.
    told: Vector<(u64, Arc<(String, String)>)>,
    normalized_name: Arc<str>,
    /// Number of edges that touch it.
    degree: u64,
}

/// An edge with its log. Its bounds are those after the last event.
#[derive(Debug, Clone)]
struct EdgeRow {
    edge: Edge,
    key: TargetKey,
    events: Vector<Arc<EdgeEvent>>,
}

impl EdgeRow {
    /// The bounds as the store held them at a transaction time; `None` before the edge was created.
    fn bounds_at(&self, known_at: Option<Micros>) -> Option<Bounds> {
        match known_at {
            None => Some(self.edge.bounds),
            Some(known_at) => self.events.iter().rev().find(|event| event.at <= known_at).map(|event| event.after),
        }
    }
}

impl ReferenceDataset {
    /// An empty dataset.
    #[must_use]
    pub fn new(name: &str, created_at: Micros) -> Self {
        let head = Head {
            name: name.to_owned(),
            description: String::new(),
            tags: Vec::new(),
            created_at,
            seq: 0,
            version: 0,
            last_at: created_at,
            next: Counters { artifact: ArtifactId(1), entity: EntityId(1), edge: EdgeId(1), series: SeriesId(1) },
        };
        Self {
            head,
            live_edges: 0,
            artifacts: OrdMap::new(),
            texts: OrdMap::new(),
            parents: OrdSet::new(),
            entities: OrdMap::new(),
            names: OrdSet::new(),
            edges: OrdMap::new(),
            by_source: OrdSet::new(),
            by_target: OrdSet::new(),
            events: OrdMap::new(),
            by_cause: OrdSet::new(),
            mentions: OrdMap::new(),
            statements: OrdMap::new(),
            predicates: OrdMap::new(),
            changes: OrdMap::new(),
            series: OrdMap::new(),
            series_keys: OrdMap::new(),
            anchors: OrdMap::new(),
            commits: OrdMap::new(),
            runs: OrdMap::new(),
        }
    }

    /// This version, which later commits leave as it is.
    #[must_use]
    pub fn snapshot(&self) -> ReferenceSnapshot {
        ReferenceSnapshot::new(self.clone())
    }

    /// The row of the dataset.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// How much it holds.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            artifacts: self.artifacts.len() as u64,
            entities: self.entities.len() as u64,
            edges: self.edges.len() as u64,
            live_edges: self.live_edges,
        }
    }

    /// Applies a plan of the call `run` if the dataset is still at the plan's version; `clock` says what time it is.
    ///
    /// # Errors
    /// What [`rules::check_plan`] refuses; nothing is changed then.
    pub fn commit(&mut self, plan: &Plan, run: RunId, clock: Micros) -> StorageResult<Committed> {
        rules::check_plan(plan, &self.head, &mut Held(self))?;
        let committed = Committed { seq: self.head.seq + 1, at: rules::next_at(clock, self.head.last_at) };
        self.commits.insert(committed.seq, Arc::new(self.commit_log(plan, committed)));
        for change in &plan.changes {
            self.apply(change, run, committed);
        }
        self.head.seq = committed.seq;
        self.head.version = committed.seq;
        self.head.last_at = committed.at;
        self.changes.insert(committed.seq, committed.at);
        self.log_commit(plan, run, committed);
        Ok(committed)
    }

    /// Counts a call that ended without a change; its `seq`.
    pub fn end_call(&mut self) -> u64 {
        self.head.seq += 1;
        self.head.seq
    }
}

/// What a dataset holds before a plan.
struct Held<'a>(&'a ReferenceDataset);

impl Stored for Held<'_> {
    fn holds(&mut self, reference: Reference) -> StorageResult<bool> {
        Ok(match reference {
            Reference::Artifact(id) => self.0.artifacts.contains_key(&id),
            Reference::Entity(id) => self.0.entities.contains_key(&id),
            Reference::Edge(id) => self.0.edges.contains_key(&id),
            Reference::Series(id) => self.0.series.contains_key(&id),
        })
    }

    fn bounds(&mut self, edge: EdgeId) -> StorageResult<Option<Bounds>> {
        Ok(self.0.edges.get(&edge).map(|row| row.edge.bounds))
    }

    fn series(&mut self, key: &SeriesKey) -> StorageResult<Option<SeriesId>> {
        Ok(self.0.series_keys.get(key).copied())
    }

    fn key(&mut self, series: SeriesId) -> StorageResult<Option<SeriesKey>> {
        Ok(self.0.series.get(&series).map(|row| SeriesKey::of(&row.series)))
    }

    fn is_anchored(&mut self, series: SeriesId, target: AnchorTarget) -> StorageResult<bool> {
        Ok(self.0.anchors.contains_key(&(series, target)))
    }
}
