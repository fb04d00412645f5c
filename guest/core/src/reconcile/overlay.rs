//! The state of a dataset as a plan in the making leaves it: what the snapshot holds, and the changes on top of it.

mod live;
mod planned;
mod queries;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use self::planned::Planned;
use self::queries::{chain, left, same_fact};
use super::told::Told;
use crate::model::{ArtifactId, Bounds, Edge, EdgeEventKind, EdgeId, EntityId, Page, Position, SeriesId, Target};
use crate::names::normalize;
use crate::plan::{Draft, Step};
use crate::storage::rules::MAX_ITEMS;
use crate::storage::{
    AddEdge, AddEvent, Change, Counters, EdgePage, EdgeQuery, Head, Snapshot, Statement, StorageError, StorageResult,
    TargetKey,
};
use crate::time::Instant;

/// After every ID that storage can hold.
const LAST_ID: u64 = i64::MAX as u64;

/// Rows of one fact don't overlap, so the newest few decide what a told fact repeats.
const SAME_FACT_ROWS: u32 = 16;

/// Queries that one call of storage may carry.
const QUERIES_A_CALL: usize = MAX_ITEMS as usize;

/// The subject and the relation of a fact: what a functional relation has one value of at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValueKey {
    /// The subject.
    pub source: EntityId,
    /// The relation.
    pub relation: String,
}

/// Source, relation and target: what makes two told facts the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FactKey {
    /// Subject and relation.
    pub value: ValueKey,
    /// Object.
    pub target: TargetKey,
}

impl FactKey {
    /// The key of a row.
    #[must_use]
    pub fn of(edge: &Edge) -> Self {
        let target = match &edge.target {
            Target::Entity(id) => TargetKey::Entity(*id),
            Target::Text(text) => TargetKey::Text(normalize(text)),
        };
        Self { value: ValueKey { source: edge.source, relation: edge.relation.clone() }, target }
    }
}

/// Where a row stands in the chain of its functional relation.
pub(super) fn position(edge: &Edge) -> Position {
    Position { at: edge.bounds.valid_at.at.0, id: edge.id.0 }
}

/// A direction in a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// A snapshot, the plan that is made from it, and the rows as the plan leaves them. A clone is a plan of its own that
/// begins where this one is.
#[derive(Debug)]
pub struct Overlay<'a, S> {
    snapshot: &'a S,
    draft: Draft,
    next: Counters,
    /// First edge ID that the snapshot doesn't have.
    first_new: EdgeId,
    /// Rows that the plan added or changed.
    rows: BTreeMap<EdgeId, Edge>,
    /// Those of them that are in belief, by fact.
    facts: BTreeMap<FactKey, BTreeSet<EdgeId>>,
    /// Those of them that are in belief and have a known start, by chain.
    chains: BTreeMap<ValueKey, BTreeMap<Position, EdgeId>>,
    /// Entities and predicates that the plan added or changed.
    planned: Planned,
    /// Statements that the plan adds.
    statements: BTreeSet<(EdgeId, ArtifactId)>,
    /// What storage answered.
    pages: RefCell<BTreeMap<EdgeQuery, EdgePage>>,
    /// Rows that storage gave and that are asked for by ID.
    given: BTreeMap<EdgeId, Edge>,
}

impl<S> Clone for Overlay<'_, S> {
    fn clone(&self) -> Self {
        Self {
            snapshot: self.snapshot,
            draft: self.draft.clone(),
            next: self.next,
            first_new: self.first_new,
            rows: self.rows.clone(),
            facts: self.facts.clone(),
            chains: self.chains.clone(),
            planned: self.planned.clone(),
            statements: self.statements.clone(),
            pages: self.pages.clone(),
            given: self.given.clone(),
        }
    }
}

impl<'a, S: Snapshot> Overlay<'a, S> {
    /// An empty plan on this snapshot.
    #[must_use]
    pub fn new(snapshot: &'a S, head: &Head) -> Self {
        Self {
            snapshot,
            draft: Draft { version: head.version, steps: Vec::new(), stages: Vec::new() },
            next: head.next,
            first_new: head.next.edge,
            rows: BTreeMap::new(),
            facts: BTreeMap::new(),
            chains: BTreeMap::new(),
            planned: Planned::default(),
            statements: BTreeSet::new(),
            pages: RefCell::default(),
            given: BTreeMap::new(),
        }
    }

    /// The snapshot underneath.
    #[must_use]
    pub fn snapshot(&self) -> &'a S {
        self.snapshot
    }

    /// The plan so far.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// The plan.
    #[must_use]
    pub fn into_draft(self) -> Draft {
        self.draft
    }

    /// The next artifact ID, taken.
    pub fn new_artifact_id(&mut self) -> ArtifactId {
        let id = self.next.artifact;
        self.next.artifact.0 += 1;
        id
    }

    /// The next entity ID, taken.
    pub fn new_entity_id(&mut self) -> EntityId {
        let id = self.next.entity;
        self.next.entity.0 += 1;
        id
    }

    /// The next series ID, taken.
    pub fn new_series_id(&mut self) -> SeriesId {
        let id = self.next.series;
        self.next.series.0 += 1;
        id
    }

    pub(super) fn new_edge_id(&mut self) -> EdgeId {
        let id = self.next.edge;
        self.next.edge.0 += 1;
        id
    }

    /// Appends a change that touches no edge.
    pub fn push(&mut self, change: Change, reason: impl Into<String>) {
        self.planned.note(&change);
        self.draft.steps.push(Step { change, reason: reason.into() });
    }

    /// A row as the plan leaves it.
    ///
    /// # Errors
    /// When storage fails.
    pub fn edge(&self, id: EdgeId) -> StorageResult<Option<Edge>> {
        match self.rows.get(&id).or_else(|| self.given.get(&id)) {
            Some(edge) => Ok(Some(edge.clone())),
            None => Ok(self.snapshot.get_edges(&[id])?.pop()),
        }
    }

    /// Keeps rows of the snapshot that will be asked for by ID.
    pub fn keep(&mut self, rows: impl IntoIterator<Item = Edge>) {
        self.given.extend(rows.into_iter().map(|row| (row.id, row)));
    }

    pub(super) fn add_edge(&mut self, edge: Edge, reason: impl Into<String>) {
        let normalized_target = match &edge.target {
            Target::Entity(_) => None,
            Target::Text(text) => Some(normalize(text)),
        };
        self.set(edge.clone());
        self.push(Change::AddEdge(AddEdge { edge, normalized_target }), reason);
    }

    pub(super) fn add_event(&mut self, edge: &mut Edge, event: AddEvent, reason: impl Into<String>) {
        edge.bounds = event.after;
        self.set(edge.clone());
        self.push(Change::AddEvent(event), reason);
    }

    /// Notes that an artifact states an edge; whether the plan didn't do so before.
    pub(super) fn add_statement(&mut self, statement: Statement) -> bool {
        let is_new = self.statements.insert((statement.edge, statement.artifact));
        if is_new {
            self.push(Change::AddStatement(statement), "its source");
        }
        is_new
    }

    fn set(&mut self, edge: Edge) {
        let key = FactKey::of(&edge);
        if let Some(old) = self.rows.get(&edge.id)
            && let Some(chain) = self.chains.get_mut(&key.value)
        {
            chain.remove(&position(old));
        }
        let in_belief = edge.bounds.retracted_at.is_none();
        if in_belief && edge.bounds.start_known() {
            self.chains.entry(key.value.clone()).or_default().insert(position(&edge), edge.id);
        }
        let fact = self.facts.entry(key).or_default();
        if in_belief {
            fact.insert(edge.id);
        } else {
            fact.remove(&edge.id);
        }
        self.rows.insert(edge.id, edge);
    }

    /// Asks storage for what these facts will need, in as few calls as possible.
    ///
    /// # Errors
    /// When storage fails.
    pub fn prefetch<'k>(&self, told: impl Iterator<Item = (&'k FactKey, &'k Told, bool)>) -> StorageResult<()> {
        let mut queries = BTreeSet::new();
        for (key, told, functional) in told {
            queries.insert(same_fact(key, told, None));
            if functional {
                let place = Position { at: told.start.at.0, id: LAST_ID };
                queries.extend([Side::Before, Side::After].map(|side| chain(&key.value, side, place)));
            }
        }
        let queries: Vec<EdgeQuery> = queries.into_iter().collect();
        for queries in queries.chunks(QUERIES_A_CALL) {
            let pages = self.ask(queries)?;
            self.pages.borrow_mut().extend(queries.iter().cloned().zip(pages));
        }
        Ok(())
    }

    /// Asks storage, and goes on where it gave less than was asked for.
    ///
    /// # Errors
    /// When storage fails.
    pub fn ask(&self, queries: &[EdgeQuery]) -> StorageResult<Vec<EdgePage>> {
        let mut pages = self.snapshot.find_edges(queries)?;
        if pages.len() != queries.len() {
            let message = "storage answered another number of lists than it was asked for";
            return Err(StorageError::Unavailable(message.to_owned()));
        }
        for (page, query) in pages.iter_mut().zip(queries) {
            while let (Some(after), Some(left)) = (page.next, left(query, page)) {
                let rest = EdgeQuery { page: Page { limit: left, after: Some(after) }, ..query.clone() };
                let Some(more) = self.snapshot.find_edges(&[rest])?.pop() else { break };
                page.edges.extend(more.edges);
                page.next = more.next;
            }
        }
        Ok(pages)
    }

    fn find(&self, query: EdgeQuery) -> StorageResult<EdgePage> {
        if let Some(page) = self.pages.borrow().get(&query) {
            return Ok(page.clone());
        }
        let page = self.ask(std::slice::from_ref(&query))?.swap_remove(0);
        self.pages.borrow_mut().insert(query, page.clone());
        Ok(page)
    }

    /// The rows in belief of a fact that a told fact may repeat, which counts only up to `limit`.
    pub(super) fn same_fact(&self, key: &FactKey, told: &Told, limit: Option<Instant>) -> StorageResult<Vec<Edge>> {
        let mut page = self.find(same_fact(key, told, None))?;
        if page.next.is_some() && limit.is_some() {
            page = self.find(same_fact(key, told, limit))?;
        }
        let mut rows = page.edges;
        rows.retain(|row| !self.rows.contains_key(&row.id));
        let ours = self.facts.get(key).into_iter().flatten();
        rows.extend(ours.filter_map(|id| self.rows.get(id)).cloned());
        Ok(rows)
    }

    /// The nearest row of a chain on one side of a place in it, the place itself excluded.
    pub(super) fn neighbour(&self, key: &ValueKey, side: Side, place: Position) -> StorageResult<Option<Edge>> {
        let stored = self.stored_neighbour(key, side, place)?;
        let ours = self.chains.get(key).and_then(|chain| match side {
            Side::Before => chain.range(..place).next_back(),
            Side::After => chain.range((std::ops::Bound::Excluded(place), std::ops::Bound::Unbounded)).next(),
        });
        let Some(ours) = ours.and_then(|(_, id)| self.rows.get(id)) else { return Ok(stored) };
        let Some(stored) = stored else { return Ok(Some(ours.clone())) };
        let ours_is_nearer = match side {
            Side::Before => position(ours) > position(&stored),
            Side::After => position(ours) < position(&stored),
        };
        Ok(Some(if ours_is_nearer { ours.clone() } else { stored }))
    }

    /// The same among the rows that the plan leaves alone.
    fn stored_neighbour(&self, key: &ValueKey, side: Side, place: Position) -> StorageResult<Option<Edge>> {
        // New rows come after all stored ones of the same start, so their place is that of the last possible ID: it is
        // what was prefetched.
        let mut place = if place.id >= self.first_new.0 { Position { id: LAST_ID, ..place } } else { place };
        loop {
            let Some(row) = self.find(chain(key, side, place))?.edges.into_iter().next() else { return Ok(None) };
            if !self.rows.contains_key(&row.id) {
                return Ok(Some(row));
            }
            place = position(&row);
        }
    }

    /// The edges that the plan closes by a rule from a step on, ascending.
    #[must_use]
    pub fn closed_by_rule(&self, since: usize) -> Vec<EdgeId> {
        self.edges_with(since, &[EdgeEventKind::Invalidated, EdgeEventKind::Superseded])
    }

    /// The edges that hold longer by this plan, ascending.
    #[must_use]
    pub fn reopened(&self) -> Vec<EdgeId> {
        self.edges_with(0, &[EdgeEventKind::Reopened, EdgeEventKind::Revised])
    }

    fn edges_with(&self, since: usize, kinds: &[EdgeEventKind]) -> Vec<EdgeId> {
        let events = self.draft.steps[since..].iter().filter_map(|step| match &step.change {
            Change::AddEvent(event) if kinds.contains(&event.kind) => Some(event.edge),
            _ => None,
        });
        events.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Shorthand for the event that sets these bounds.
pub(super) fn event(
    edge: EdgeId,
    kind: EdgeEventKind,
    artifact: Option<ArtifactId>,
    cause: Option<EdgeId>,
    after: Bounds,
) -> AddEvent {
    AddEvent { edge, kind, artifact, cause, after }
}
