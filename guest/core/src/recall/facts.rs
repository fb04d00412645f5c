//! Facts as of two times: when they hold, and as believed when.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fact, FactsAnswer, FactsRequest, Known, When};
use crate::check::{MAX_WING, limit, optional_label};
use crate::commit::Trouble;
use crate::cursor::List;
use crate::model::{Call, Edge, Entity, EntityId, Failure, Page, Position, Target};
use crate::names::normalize;
use crate::storage::rules::MAX_NAME;
use crate::storage::{EdgeFilter, EdgeOrder, EdgeQuery, Snapshot, Standing, StorageResult, Validity};
use crate::time::Micros;
use crate::vocabulary;

pub(super) const MAX_FACTS: u32 = 1_000;

/// Facts as of two times.
///
/// # Errors
/// When the request is malformed or storage fails.
pub fn facts<S: Snapshot>(snapshot: &S, call: &Call, request: &FactsRequest) -> Result<FactsAnswer, Failure> {
    let list = list("facts", request);
    let (edges, next) = find(snapshot, call, request, list, Standing::Believed)?;
    Ok(FactsAnswer { facts: name_facts(snapshot, edges)?, cursor: next.map(|next| list.cursor(next)) })
}

/// The list of this name that a request narrows.
pub(super) fn list(name: &str, request: &FactsRequest) -> List {
    List::new(name, &FactsRequest { limit: 0, cursor: None, ..request.clone() })
}

/// As believed when, once it is known what a version means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belief {
    /// Nothing was known then.
    Nothing,
    /// As of the snapshot.
    Newest,
    /// At this transaction time.
    At(Micros),
}

impl Belief {
    pub(super) fn of<S: Snapshot>(snapshot: &S, known: Known) -> StorageResult<Self> {
        Ok(match known {
            Known::Now => Self::Newest,
            Known::At(at) => Self::At(at),
            Known::Version(seq) => snapshot.changed_at(seq)?.map_or(Self::Nothing, Self::At),
        })
    }

    pub(super) fn known_at(self) -> Option<Micros> {
        match self {
            Self::At(at) => Some(at),
            Self::Newest | Self::Nothing => None,
        }
    }
}

/// The entities that a name means; several may share it.
pub(super) fn entities_of<S: Snapshot>(snapshot: &S, name: &str) -> StorageResult<Vec<EntityId>> {
    let name = normalize(name);
    if name.is_empty() {
        return Ok(Vec::new());
    }
    let found = snapshot.find_names(&[name])?;
    Ok(found.into_iter().map(|found| found.entity).collect::<BTreeSet<_>>().into_iter().collect())
}

/// A page of the edges that a request asks for, by (`valid_at`, ID).
pub(super) fn find<S: Snapshot>(
    snapshot: &S,
    call: &Call,
    request: &FactsRequest,
    list: List,
    standing: Standing,
) -> Result<(Vec<Edge>, Option<Position>), Trouble> {
    let page = Page { limit: limit(request.limit, MAX_FACTS)?, after: list.position(request.cursor.as_deref())? };
    let entity = optional_label("entity", request.entity.as_deref(), MAX_NAME)?;
    let wing = optional_label("wing", request.wing.as_deref(), MAX_WING)?;
    let relation = match &request.relation {
        None => None,
        Some(name) => Some(vocabulary::relation(name).ok_or_else(|| {
            Failure::field("relation", "names no relation; give letters or digits, at most 64 bytes")
        })?),
    };
    let belief = Belief::of(snapshot, request.known_at)?;
    if belief == Belief::Nothing {
        return Ok((Vec::new(), None));
    }
    let filter = |entity| EdgeFilter {
        entity,
        direction: request.direction,
        relation: relation.clone(),
        target: None,
        validity: validity(request.at, call),
        known_at: belief.known_at(),
        standing,
        unknown_start: true,
        wing: wing.clone(),
    };
    let filters: Vec<EdgeFilter> = match &entity {
        None => vec![filter(None)],
        Some(name) => entities_of(snapshot, name)?.into_iter().map(|id| filter(Some(id))).collect(),
    };
    let order = EdgeOrder::OldestValid;
    let queries: Vec<EdgeQuery> = filters.into_iter().map(|filter| EdgeQuery { filter, order, page }).collect();
    Ok(merge(snapshot, &queries, page.limit)?)
}

fn validity(when: When, call: &Call) -> Validity {
    match when {
        When::Now => Validity::At(call.now.to_instant()),
        When::At(at) => Validity::At(at),
        When::Any => Validity::Any,
        When::Meets(period) => Validity::Meets(period),
    }
}

/// Several lists of edges by (`valid_at`, ID) as one, each edge once.
fn merge<S: Snapshot>(snapshot: &S, queries: &[EdgeQuery], limit: u32) -> StorageResult<(Vec<Edge>, Option<Position>)> {
    let mut rows: BTreeMap<Position, Edge> = BTreeMap::new();
    // Storage may give fewer than asked for: nothing beyond the shortest unfinished list is known to be complete.
    let mut complete_until: Option<Position> = None;
    for page in if queries.is_empty() { Vec::new() } else { snapshot.find_edges(queries)? } {
        if let Some(next) = page.next {
            complete_until = Some(complete_until.map_or(next, |until| until.min(next)));
        }
        rows.extend(page.edges.into_iter().map(|edge| (position(&edge), edge)));
    }
    if let Some(until) = complete_until {
        rows.retain(|position, _| *position <= until);
    }
    let more = complete_until.is_some() || rows.len() > limit as usize;
    let edges: Vec<Edge> = rows.into_values().take(limit as usize).collect();
    let next = edges.last().filter(|_| more).map(position);
    Ok((edges, next))
}

fn position(edge: &Edge) -> Position {
    Position { at: edge.bounds.valid_at.at.0, id: edge.id.0 }
}

/// Edges with the names that they are read by.
pub(crate) fn name_facts<S: Snapshot>(snapshot: &S, edges: Vec<Edge>) -> StorageResult<Vec<Fact>> {
    name_facts_by(|ids| snapshot.get_entities(ids), edges)
}

/// The same where entities come from elsewhere.
pub(crate) fn name_facts_by(
    get_entities: impl FnOnce(&[EntityId]) -> StorageResult<Vec<Entity>>,
    edges: Vec<Edge>,
) -> StorageResult<Vec<Fact>> {
    let target = |edge: &Edge| match edge.target {
        Target::Entity(id) => Some(id),
        Target::Text(_) => None,
    };
    let ids: BTreeSet<EntityId> = edges.iter().flat_map(|edge| [Some(edge.source), target(edge)]).flatten().collect();
    let ids: Vec<EntityId> = ids.into_iter().collect();
    let entities = if ids.is_empty() { Vec::new() } else { get_entities(&ids)? };
    let names: BTreeMap<EntityId, String> = entities.into_iter().map(|entity| (entity.id, entity.name)).collect();
    let name = |id: EntityId| names.get(&id).cloned().unwrap_or_default();
    let facts = edges.into_iter().map(|edge| Fact {
        source_name: name(edge.source),
        target_name: target(&edge).map(name),
        superseded: edge.bounds.expired_at.is_some(),
        edge,
    });
    Ok(facts.collect())
}
