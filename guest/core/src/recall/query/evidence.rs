//! The facts that a question is about, best first.

use std::collections::BTreeMap;

use super::Asked;
use super::question::Question;
use crate::model::{Direction, Edge, EdgeId, EntityId, Page, Target};
use crate::recall::facts::{Belief, name_facts};
use crate::recall::{Fact, QueryRequest};
use crate::storage::{EdgeFilter, EdgeOrder, EdgeQuery, Snapshot, Standing, StorageResult, Validity};
use crate::time::{Instant, Micros};

/// Facts that are fetched of each kind, however few are asked for: what answers best is known only afterwards.
const FETCHED: u32 = 20;

/// The facts about what the question names, best first. A question that names nothing is about what the turn before
/// it named.
pub(super) fn retrieve<S: Snapshot>(
    snapshot: &S,
    question: &Question,
    request: &QueryRequest,
    wing: Option<&String>,
    at: Asked,
    belief: Belief,
) -> StorageResult<Vec<Fact>> {
    if belief == Belief::Nothing {
        return Ok(Vec::new());
    }
    let mut entities = question.entities(snapshot)?;
    if let Some(turn) = request.history.last().filter(|_| entities.is_empty()) {
        entities = Question::read(&format!("{} {}", turn.question, turn.answer)).entities(snapshot)?;
    }
    let asked = question.relations();
    let queries = queries(&entities, &asked, request.limit.max(FETCHED), wing, at, belief.known_at());
    if queries.is_empty() {
        return Ok(Vec::new());
    }
    let mut edges: BTreeMap<EdgeId, Edge> = BTreeMap::new();
    for page in snapshot.find_edges(&queries)? {
        edges.extend(page.edges.into_iter().map(|edge| (edge.id, edge)));
    }
    let mut edges: Vec<Edge> = edges.into_values().collect();
    edges.sort_by_cached_key(|edge| std::cmp::Reverse(score(question, &entities, edge, at)));
    name_facts(snapshot, edges)
}

/// For each entity what holds at the time that is asked about and what held latest, of the relations that are asked for
/// and of all.
fn queries(
    entities: &[EntityId],
    asked: &[&str],
    limit: u32,
    wing: Option<&String>,
    at: Asked,
    known_at: Option<Micros>,
) -> Vec<EdgeQuery> {
    let query = |entity: EntityId, relation: Option<&str>, validity: Validity| EdgeQuery {
        filter: EdgeFilter {
            entity: Some(entity),
            direction: Direction::Both,
            relation: relation.map(str::to_owned),
            target: None,
            validity,
            known_at,
            standing: Standing::Believed,
            unknown_start: true,
            wing: wing.cloned(),
        },
        order: EdgeOrder::LatestValid,
        page: Page { limit, after: None },
    };
    let relations = || asked.iter().map(|relation| Some(*relation)).chain([None]);
    let pairs = entities.iter().flat_map(|&entity| relations().map(move |relation| (entity, relation)));
    pairs
        .flat_map(|(entity, relation)| [at.validity(), Validity::Any].map(|validity| query(entity, relation, validity)))
        .collect()
}

/// How much a fact is what the question is about, then the later the better.
fn score(question: &Question, entities: &[EntityId], edge: &Edge, at: Asked) -> (usize, Instant, EdgeId) {
    let named = |id: EntityId| entities.contains(&id);
    let both = named(edge.source) && matches!(edge.target, Target::Entity(target) if named(target));
    let points = [
        (question.asks_for(&edge.relation), 8),
        (both, 4),
        (at.meets(edge.bounds.interval()), 2),
        (named(edge.source), 1),
    ];
    let points = points.iter().filter(|(holds, _)| *holds).map(|(_, points)| points).sum();
    (points, edge.bounds.valid_at.at, edge.id)
}
