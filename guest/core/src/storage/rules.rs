//! The rules of the storage interface that need no store to check: one place for every store, so that all of them
//! refuse the same plans with the same words.

mod bounds;
mod series;
mod strings;

use std::collections::{BTreeMap, BTreeSet};

use super::{
    AddArtifact, AddEdge, AddEntityEvent, AddEvent, AddParent, Change, Counters, Head, Plan, SeriesKey, StorageError,
    StorageResult,
};
use crate::model::{
    AnchorTarget, ArtifactId, Bounds, EdgeEventKind, EdgeId, EntityEventKind, EntityId, Moment, Page, SeriesId, Target,
};
use crate::time::{Instant, Micros};
use bounds::{Closings, check_bounds, check_instant};

pub use series::{MAX_STATE, check_anchors_limit, check_artifacts, check_points_limit, check_times};
pub use strings::{MAX_FIELD, MAX_KEY, MAX_LITERAL, MAX_NAME, MAX_RELATION, MAX_ROLE};

/// Most items of a list of IDs, names or queries, and of a page.
pub const MAX_ITEMS: u32 = 10_000;

/// Last instant of valid time: 9999-12-31T23:59:59Z. No start and no end is later.
pub const LAST_INSTANT: Instant = Instant(253_402_300_799);

/// Something that a plan refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// An artifact.
    Artifact(ArtifactId),
    /// An entity.
    Entity(EntityId),
    /// An edge.
    Edge(EdgeId),
    /// A series.
    Series(SeriesId),
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Artifact(id) => write!(f, "artifact {id}"),
            Self::Entity(id) => write!(f, "entity {id}"),
            Self::Edge(id) => write!(f, "edge {id}"),
            Self::Series(id) => write!(f, "series {id}"),
        }
    }
}

/// What a dataset holds already, for a plan that refers to it.
pub trait Stored {
    /// Whether this is in the dataset.
    ///
    /// # Errors
    /// When the store fails.
    fn holds(&mut self, reference: Reference) -> StorageResult<bool>;

    /// The bounds of an edge as they are now; `None` when there is no such edge.
    ///
    /// # Errors
    /// When the store fails.
    fn bounds(&mut self, edge: EdgeId) -> StorageResult<Option<Bounds>>;

    /// The series that this identifies.
    ///
    /// # Errors
    /// When the store fails.
    fn series(&mut self, key: &SeriesKey) -> StorageResult<Option<SeriesId>>;

    /// What identifies a series; `None` when there is no such series.
    ///
    /// # Errors
    /// When the store fails.
    fn key(&mut self, series: SeriesId) -> StorageResult<Option<SeriesKey>>;

    /// Whether a series is anchored to this.
    ///
    /// # Errors
    /// When the store fails.
    fn is_anchored(&mut self, series: SeriesId, target: AnchorTarget) -> StorageResult<bool>;
}

/// The transaction time of a commit: the clock's, or the next microsecond when the clock did not advance.
#[must_use]
pub fn next_at(clock: Micros, last_at: Micros) -> Micros {
    Micros(clock.0.max(last_at.0.saturating_add(1)))
}

/// A moment of a plan as it is stored by the commit at `at`.
#[must_use]
pub fn resolve(moment: Moment, at: Micros) -> Micros {
    match moment {
        Moment::Now => at,
        Moment::At(past) => past,
    }
}

/// Bounds of a plan as they are stored by the commit at `at`.
#[must_use]
pub fn resolve_bounds(bounds: Bounds, at: Micros) -> Bounds {
    let resolved = |moment| Moment::At(resolve(moment, at));
    Bounds { expired_at: bounds.expired_at.map(resolved), retracted_at: bounds.retracted_at.map(resolved), ..bounds }
}

/// Checks the length of a list of IDs, names or queries.
///
/// # Errors
/// [`StorageError::Invalid`] when it has more than [`MAX_ITEMS`] items.
pub fn check_list(what: &str, len: usize) -> StorageResult<()> {
    ensure(len <= MAX_ITEMS as usize, || format!("{what}: {len} items, at most {MAX_ITEMS} go in one list"))
}

/// Checks which part of a list is asked for.
///
/// # Errors
/// [`StorageError::Invalid`] when the limit is not in 1 to [`MAX_ITEMS`].
pub fn check_page(page: Page) -> StorageResult<()> {
    ensure((1..=MAX_ITEMS).contains(&page.limit), || format!("limit: {} is not in 1 to {MAX_ITEMS}", page.limit))
}

/// Checks a whole plan against the dataset's row and what is `stored` already.
///
/// # Errors
/// [`StorageError::Conflict`] when the plan was made from another version, [`StorageError::Invalid`] with the number
/// of the change when it breaks a rule, and what `stored` fails with.
pub fn check_plan(plan: &Plan, head: &Head, stored: &mut dyn Stored) -> StorageResult<()> {
    if plan.version != head.version {
        return Err(StorageError::Conflict(head.version));
    }
    let mut check = PlanCheck {
        base: head.next,
        next: head.next,
        closings: BTreeMap::new(),
        series: BTreeMap::new(),
        anchors: BTreeMap::new(),
        deleted: BTreeSet::new(),
        stored,
    };
    for (number, change) in plan.changes.iter().enumerate() {
        check.change(change).map_err(|error| match error {
            StorageError::Invalid(what) => StorageError::Invalid(format!("change {number} of the plan: {what}")),
            other => other,
        })?;
    }
    Ok(())
}

/// What a plan may refer to, while its changes are walked in order.
struct PlanCheck<'a> {
    /// The next free IDs of the dataset: what is below was there before the plan.
    base: Counters,
    /// The next free IDs after the changes so far.
    next: Counters,
    /// When the edges that the changes so far touch were closed and retracted.
    closings: BTreeMap<EdgeId, Closings>,
    /// Series that the changes so far insert, by what identifies them.
    series: BTreeMap<SeriesKey, SeriesId>,
    /// Whether there is an anchor, after the changes so far.
    anchors: BTreeMap<(SeriesId, AnchorTarget), bool>,
    /// Series that the changes so far delete.
    deleted: BTreeSet<SeriesId>,
    stored: &'a mut dyn Stored,
}

impl PlanCheck<'_> {
    fn change(&mut self, change: &Change) -> StorageResult<()> {
        strings::check(change)?;
        match change {
            Change::AddArtifact(add) => self.artifact(add),
            Change::AddParent(AddParent { artifact, parent }) => {
                ensure(artifact != parent, || format!("artifact {artifact}: is its own parent"))?;
                self.exists(Reference::Artifact(*artifact))?;
                self.exists(Reference::Artifact(*parent))
            }
            Change::AddEntity(add) => {
                check_id(Reference::Entity(add.entity.id), add.entity.id.0, &mut self.next.entity.0)?;
                check_now("created_at", add.entity.created_at)
            }
            Change::AddEntityEvent(event) => self.entity_event(event),
            Change::AddMention(mention) => {
                self.exists(Reference::Entity(mention.entity))?;
                self.exists(Reference::Artifact(mention.artifact))
            }
            Change::AddEdge(add) => self.edge(add),
            Change::AddStatement(statement) => {
                self.exists(Reference::Edge(statement.edge))?;
                self.exists(Reference::Artifact(statement.artifact))
            }
            Change::AddEvent(add) => self.event(add),
            Change::PutPredicate(predicate) => {
                ensure(!predicate.name.is_empty(), || "the name of a predicate is empty".to_owned())
            }
            Change::SetDataset(set) => {
                let tags = set.tags.as_deref().unwrap_or_default();
                ensure(tags.is_sorted_by(|a, b| a < b), || "tags are not sorted, or not once each".to_owned())
            }
            Change::PutSeries(put) => self.put_series(put),
            Change::PutPoints(put) => self.put_points(put),
            Change::DeletePoints(delete) => self.exists(Reference::Series(delete.series)),
            Change::PutAnchor(anchor) => self.put_anchor(anchor),
            Change::DeleteAnchor(delete) => self.delete_anchor(delete.series, delete.target),
            Change::DeleteSeries(id) => self.delete_series(*id),
        }
    }

    fn artifact(&mut self, add: &AddArtifact) -> StorageResult<()> {
        let artifact = &add.artifact;
        ensure(u32::try_from(add.text.len()) == Ok(artifact.bytes), || {
            format!("artifact {}: bytes is {}, its text has {}", artifact.id, artifact.bytes, add.text.len())
        })?;
        if let Some(parent) = artifact.parent {
            self.exists(Reference::Artifact(parent))?;
        }
        if let Some(series) = artifact.series {
            self.exists(Reference::Series(series))?;
        }
        check_id(Reference::Artifact(artifact.id), artifact.id.0, &mut self.next.artifact.0)?;
        check_now("created_at", artifact.created_at)?;
        check_instant("valid_at", artifact.valid_at)
    }

    fn entity_event(&mut self, event: &AddEntityEvent) -> StorageResult<()> {
        ensure(event.kind != EntityEventKind::Created, || {
            format!("entity {}: storage writes the event `created` with the entity", event.entity)
        })?;
        if let Some(artifact) = event.artifact {
            self.exists(Reference::Artifact(artifact))?;
        }
        self.exists(Reference::Entity(event.entity))
    }

    fn edge(&mut self, add: &AddEdge) -> StorageResult<()> {
        let edge = &add.edge;
        check_id(Reference::Edge(edge.id), edge.id.0, &mut self.next.edge.0)?;
        check_now("created_at", edge.created_at)?;
        self.exists(Reference::Entity(edge.source))?;
        if let Target::Entity(target) = edge.target {
            self.exists(Reference::Entity(target))?;
        }
        if let Some(artifact) = edge.artifact {
            self.exists(Reference::Artifact(artifact))?;
        }
        ensure(matches!(edge.target, Target::Text(_)) == add.normalized_target.is_some(), || {
            format!("edge {}: a literal object needs its normalized form, and an entity has none", edge.id)
        })?;
        ensure((0.0..=1.0).contains(&edge.confidence), || {
            format!("edge {}: confidence {} is not in 0 to 1", edge.id, edge.confidence)
        })?;
        self.bounds(edge.id, Closings::default(), &edge.bounds)
    }

    fn event(&mut self, add: &AddEvent) -> StorageResult<()> {
        ensure(add.kind != EdgeEventKind::Created, || {
            format!("edge {}: storage writes the event `created` with the edge", add.edge)
        })?;
        let current = self.closings(add.edge)?;
        if let Some(artifact) = add.artifact {
            self.exists(Reference::Artifact(artifact))?;
        }
        if let Some(cause) = add.cause {
            self.exists(Reference::Edge(cause))?;
        }
        self.bounds(add.edge, current, &add.after)
    }

    /// Checks the bounds that an edge gets, and keeps what the next event has to repeat of them.
    fn bounds(&mut self, edge: EdgeId, current: Closings, after: &Bounds) -> StorageResult<()> {
        check_bounds(after)?;
        self.closings.insert(edge, current.followed_by(after)?);
        Ok(())
    }

    /// When an edge was closed and retracted, after the changes so far.
    fn closings(&mut self, edge: EdgeId) -> StorageResult<Closings> {
        if let Some(planned) = self.closings.get(&edge) {
            return Ok(*planned);
        }
        let stored = if edge < self.base.edge { self.stored.bounds(edge)? } else { None };
        stored.map(|bounds| Closings::of(&bounds)).ok_or_else(|| no(Reference::Edge(edge)))
    }

    fn exists(&mut self, reference: Reference) -> StorageResult<()> {
        let (id, base, next) = match reference {
            Reference::Artifact(id) => (id.0, self.base.artifact.0, self.next.artifact.0),
            Reference::Entity(id) => (id.0, self.base.entity.0, self.next.entity.0),
            Reference::Edge(id) => (id.0, self.base.edge.0, self.next.edge.0),
            Reference::Series(id) if self.deleted.contains(&id) => return Err(no(reference)),
            Reference::Series(id) => (id.0, self.base.series.0, self.next.series.0),
        };
        let exists = if id < base { self.stored.holds(reference)? } else { id < next };
        if exists { Ok(()) } else { Err(no(reference)) }
    }
}

fn no(reference: Reference) -> StorageError {
    StorageError::Invalid(format!("there is no {reference}"))
}

fn check_id(reference: Reference, id: u64, next: &mut u64) -> StorageResult<()> {
    ensure(id == *next, || format!("{reference}: the next free ID is {next}"))?;
    *next += 1;
    Ok(())
}

fn check_now(field: &str, moment: Moment) -> StorageResult<()> {
    ensure(moment == Moment::Now, || format!("{field}: what a plan adds is created now, not at {moment}"))
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> StorageResult<()> {
    if holds { Ok(()) } else { invalid(what()) }
}

fn invalid<T>(what: String) -> StorageResult<T> {
    Err(StorageError::Invalid(what))
}
