//! Candidates: what is stored about the things that the text's news are about, for a model to compare.
//!
//! News are the facts that neither repeat a row nor have a relation whose rule settles them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cast::Cast;
use crate::model::{Direction, Edge, EdgeId, EntityId, Page, Target};
use crate::prompt::resolve_edges::{New, ResolveEdges};
use crate::prompt::statement::{Existing, Statement, start};
use crate::recall::{Fact, name_facts_by};
use crate::reconcile::Overlay;
use crate::reconcile::apply::{Applied, NewFact};
use crate::stage::{Log, shown};
use crate::storage::{EdgeFilter, EdgeOrder, EdgeQuery, Snapshot, Standing, StorageResult, Validity};
use crate::vocabulary;

/// Stored facts that a model is shown.
const MAX_CANDIDATES: usize = 50;
/// News that a model is shown.
const MAX_NEWS: usize = 1_000;
/// Entities whose facts are looked at: those that the news name first.
const MAX_ENTITIES: usize = 512;
/// Entities whose facts one call of storage gives, so that its answer stays small.
const ENTITIES_A_CALL: usize = 128;

/// What a model has to compare.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    /// The news and the stored facts.
    pub(super) question: ResolveEdges,
    /// The stored facts as rows.
    pub(super) facts: Vec<Fact>,
    /// The indexes of the news by the row that each would be.
    pub(super) news: BTreeMap<EdgeId, usize>,
    /// Which of the relations of the stored facts have one target at a time.
    pub(super) functional: BTreeSet<String>,
    entities: Vec<String>,
    unasked: usize,
    unlooked: usize,
    cut: bool,
}

impl Candidates {
    /// `overlay` is the plan before the facts are told, `told` what became of each by code alone.
    pub(super) fn load<S: Snapshot>(
        overlay: &Overlay<'_, S>,
        facts: &[NewFact],
        told: &[Applied],
        cast: &Cast,
    ) -> StorageResult<Self> {
        let mut candidates = Self::default();
        let mut touched: Vec<EntityId> = Vec::new();
        let mut seen = BTreeSet::new();
        for (fact, applied) in facts.iter().zip(told).filter(|(fact, told)| !fact.functional && !told.is_repeat) {
            if candidates.question.new.len() == MAX_NEWS {
                candidates.unasked += 1;
                continue;
            }
            let index = candidates.question.new.len();
            candidates.news.insert(applied.edge, index);
            candidates.question.new.push(New { index, fact: news(fact, cast) });
            let known = endpoints(fact).filter(|id| cast.is_known(*id));
            touched.extend(known.filter(|id| seen.insert(*id)));
        }
        candidates.unlooked = touched.len().saturating_sub(MAX_ENTITIES);
        touched.truncate(MAX_ENTITIES);
        candidates.entities = shown(touched.iter().filter_map(|id| cast.name_of(*id)).map(str::to_owned));
        let (edges, cut) = live_edges(overlay, &touched)?;
        candidates.cut = cut;
        candidates.facts = name_facts_by(|ids| overlay.get_entities(ids), edges)?;
        candidates.question.existing = candidates.facts.iter().map(Existing::of).collect();
        candidates.functional = functional(overlay, &candidates.facts)?;
        Ok(candidates)
    }

    /// Whether there is anything to compare.
    pub(super) fn is_empty(&self) -> bool {
        self.question.new.is_empty() || self.question.existing.is_empty()
    }

    /// Notes the two stages that found them.
    pub(super) fn log(&self, log: &mut Log) {
        log.done(
            "find_candidates_by_name",
            &Found {
                new: self.question.new.len(),
                left_out: self.unasked,
                entities: &self.entities,
                entities_left_out: self.unlooked,
            },
        );
        let ids = self.question.existing.iter().map(|existing| existing.id);
        log.done("load_candidates", &Loaded { edges: ids.collect(), cut: self.cut });
    }
}

/// What the search by name gave.
#[derive(Serialize)]
struct Found<'a> {
    new: usize,
    left_out: usize,
    entities: &'a [String],
    entities_left_out: usize,
}

/// Which stored facts are shown, and whether there were more.
#[derive(Serialize)]
struct Loaded {
    edges: Vec<u64>,
    cut: bool,
}

fn endpoints(fact: &NewFact) -> impl Iterator<Item = EntityId> {
    let target = match fact.target {
        Target::Entity(id) => Some(id),
        Target::Text(_) => None,
    };
    std::iter::once(fact.source).chain(target)
}

/// The newest live edges that touch these entities, and whether there are more than are shown.
fn live_edges<S: Snapshot>(overlay: &Overlay<'_, S>, touched: &[EntityId]) -> StorageResult<(Vec<Edge>, bool)> {
    let mut edges: BTreeMap<EdgeId, Edge> = BTreeMap::new();
    let mut cut = false;
    for entities in touched.chunks(ENTITIES_A_CALL) {
        let queries: Vec<EdgeQuery> = entities.iter().map(|entity| touching(*entity)).collect();
        for page in overlay.ask(&queries)? {
            cut |= page.next.is_some();
            edges.extend(page.edges.into_iter().map(|edge| (edge.id, edge)));
        }
    }
    edges.retain(|id, _| !overlay.touches(*id));
    edges.extend(overlay.live_at(touched).into_iter().map(|edge| (edge.id, edge)));
    cut |= edges.len() > MAX_CANDIDATES;
    Ok((edges.into_values().rev().take(MAX_CANDIDATES).collect(), cut))
}

fn touching(entity: EntityId) -> EdgeQuery {
    let filter = EdgeFilter {
        entity: Some(entity),
        direction: Direction::Both,
        relation: None,
        target: None,
        validity: Validity::Any,
        known_at: None,
        standing: Standing::Live,
        unknown_start: true,
        wing: None,
    };
    let limit = u32::try_from(MAX_CANDIDATES).expect("it is small");
    EdgeQuery { filter, order: EdgeOrder::NewestTold, page: Page { limit, after: None } }
}

/// Which of the relations of these facts have one target at a time.
fn functional<S: Snapshot>(overlay: &Overlay<'_, S>, facts: &[Fact]) -> StorageResult<BTreeSet<String>> {
    let relations: BTreeSet<String> = facts.iter().map(|fact| fact.edge.relation.clone()).collect();
    if relations.is_empty() {
        return Ok(relations);
    }
    let names: Vec<String> = relations.iter().cloned().collect();
    let rules = overlay.get_predicates(&names)?;
    let rule = |name: &String| rules.iter().find(|rule| rule.name == *name).map(|rule| rule.functional);
    Ok(relations
        .into_iter()
        .filter(|name| rule(name).unwrap_or_else(|| vocabulary::predicate(name).functional))
        .collect())
}

fn news(fact: &NewFact, cast: &Cast) -> Statement {
    let name = |id: EntityId| cast.name_of(id).unwrap_or_default().to_owned();
    Statement {
        source: name(fact.source),
        relation: fact.relation.clone(),
        target: match &fact.target {
            Target::Entity(id) => name(*id),
            Target::Text(text) => text.clone(),
        },
        description: fact.description.clone(),
        valid_at: start(fact.told.start),
        invalid_at: fact.told.end.map(|end| end.to_string()),
    }
}
