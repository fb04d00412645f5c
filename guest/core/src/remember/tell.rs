//! The plan of a text: its entities and facts over one version of the dataset and what the plan has made of it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::candidates::Candidates;
use super::cast::{Cast, Choice};
use super::material::{Material, Sifted};
use super::resolve::{Comparison, resolved};
use super::{Dropped, Outcome, ToldEntity, ToldFact};
use crate::commit::Trouble;
use crate::extract::{ExtractedEdge, ExtractedTarget};
use crate::model::{ArtifactId, EdgeId, EntityId, Failure, Predicate, Target};
use crate::prompt::resolve_edges::{Pairs, ResolveEdges};
use crate::recall::Fact;
use crate::reconcile::Overlay;
use crate::reconcile::apply::{Applied, NewFact, Resolved, tell_resolved};
use crate::reconcile::told::Told;
use crate::stage::{Log, shown};
use crate::storage::{Change, Snapshot, StorageResult};
use crate::time::Instant;
use crate::vocabulary;

/// Where the facts of a text come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'s> {
    pub(super) artifact: ArtifactId,
    pub(super) reference_time: Instant,
    pub(super) wing: Option<&'s str>,
    /// A name, and the entity that it means for certain.
    pub(super) meant: Option<(&'s str, EntityId)>,
}

/// A text whose facts are told.
#[derive(Debug)]
pub(super) struct ToldText {
    pub(super) artifact: ArtifactId,
    pub(super) cast: Cast,
    applied: Vec<Applied>,
    pub(super) dropped: Dropped,
    /// Facts that a rule closed meanwhile, ascending.
    pub(super) closed: Vec<EdgeId>,
}

/// Why a text could not be told.
pub(super) enum Untold {
    /// There is no plan at all.
    Trouble(Trouble),
    /// A model has to compare this first.
    Ask(ResolveEdges),
    /// A model could not.
    Failed(Failure),
}

impl<E: Into<Trouble>> From<E> for Untold {
    fn from(error: E) -> Self {
        Self::Trouble(error.into())
    }
}

/// Tells what a text states over the plan so far: by the rules alone, or by what a model made of the `comparison`.
pub(super) fn tell<'a, S: Snapshot>(
    mut overlay: Overlay<'a, S>,
    source: &Source<'_>,
    material: &Material,
    comparison: Option<&mut Comparison>,
    log: &mut Log,
) -> Result<(Overlay<'a, S>, ToldText), Untold> {
    let since = overlay.draft().steps.len();
    let mut cast = Cast::find(&mut overlay, &material.entities, source)?;
    let rules = rules(&mut overlay, material.edges.iter().map(|sifted| sifted.relation.as_str()))?;
    let mut dropped = material.dropped;
    let facts = facts(source, &material.edges, &cast, &rules, &mut dropped);
    prefetch(&overlay, facts.iter())?;
    let (overlay, applied) = match comparison {
        None => by_rules(overlay, &facts)?,
        Some(comparison) => {
            let (ruled, applied) = by_rules(overlay.clone(), &facts)?;
            let candidates = Candidates::load(&overlay, &facts, &applied, &cast)?;
            comparison.note(&candidates, log);
            if candidates.is_empty() {
                (ruled, applied)
            } else {
                match comparison.of(&candidates) {
                    None => return Err(Untold::Ask(candidates.question)),
                    Some(Err(failure)) => return Err(Untold::Failed(failure.clone())),
                    Some(Ok(pairs)) => by_model(overlay, &facts, &applied, &candidates, pairs, &mut cast)?,
                }
            }
        }
    };
    let closed = overlay.closed_by_rule(since);
    Ok((overlay, ToldText { artifact: source.artifact, cast, applied, dropped, closed }))
}

/// Tells the facts as the rules alone would have it.
fn by_rules<'a, S: Snapshot>(
    mut overlay: Overlay<'a, S>,
    facts: &[NewFact],
) -> StorageResult<(Overlay<'a, S>, Vec<Applied>)> {
    let applied = tell_all(&mut overlay, facts, |_| None)?;
    Ok((overlay, applied))
}

/// Tells the facts as a model resolved them. `told` are they by the rules alone: which of them are news.
fn by_model<'a, S: Snapshot>(
    mut overlay: Overlay<'a, S>,
    facts: &[NewFact],
    told: &[Applied],
    candidates: &Candidates,
    pairs: &Pairs,
    cast: &mut Cast,
) -> StorageResult<(Overlay<'a, S>, Vec<Applied>)> {
    let resolved = resolved(pairs, candidates);
    let of_fact: Vec<Option<&Resolved>> =
        told.iter().map(|applied| candidates.news.get(&applied.edge).and_then(|index| resolved.get(index))).collect();
    overlay.keep(candidates.facts.iter().map(|fact| fact.edge.clone()));
    cast.learn(&candidates.facts);
    let rows: BTreeMap<EdgeId, &Fact> = candidates.facts.iter().map(|fact| (fact.edge.id, fact)).collect();
    let in_other_words = facts.iter().zip(&of_fact).flat_map(|(fact, resolved)| {
        let duplicates = resolved.iter().flat_map(|resolved| &resolved.duplicates);
        duplicates.filter_map(|(id, functional)| Some(fact.in_words_of(&rows.get(id)?.edge, *functional)))
    });
    let in_other_words: Vec<NewFact> = in_other_words.collect();
    prefetch(&overlay, in_other_words.iter())?;
    let applied = tell_all(&mut overlay, facts, |place| of_fact[place])?;
    Ok((overlay, applied))
}

impl ToldText {
    /// The facts that it states, as the plan leaves them.
    pub(super) fn edges<S: Snapshot>(&self, overlay: &Overlay<'_, S>) -> StorageResult<Vec<ToldFact>> {
        told_facts(overlay, &self.cast, &self.applied)
    }

    /// The entities that it names.
    pub(super) fn entities(&self) -> Vec<ToldEntity> {
        let members = self.cast.members();
        members.map(|member| ToldEntity { entity: member.entity.clone(), created: member.created }).collect()
    }

    /// Notes the stage.
    pub(super) fn log(&self, edges: &[ToldFact], log: &mut Log) {
        log.done("store_artifact", &Stored::of(self, edges));
    }
}

/// What is stored, in numbers.
#[derive(Serialize)]
struct Stored<'a> {
    artifact: u64,
    entities: usize,
    new_entities: usize,
    edges: BTreeMap<&'static str, usize>,
    invalidated_edges: Vec<u64>,
    dropped: Dropped,
    /// Names that mean several entities, and which was chosen.
    choices: &'a [Choice],
}

impl<'a> Stored<'a> {
    fn of(text: &'a ToldText, told: &[ToldFact]) -> Self {
        let mut edges = BTreeMap::new();
        for told in told {
            *edges.entry(told.outcome.as_str()).or_default() += 1;
        }
        Self {
            artifact: text.artifact.0,
            entities: text.cast.members().count(),
            new_entities: text.cast.members().filter(|member| member.created).count(),
            edges,
            invalidated_edges: shown(text.closed.iter().map(|id| id.0)),
            dropped: text.dropped,
            choices: text.cast.choices(),
        }
    }
}

/// The rules of the relations of a text; a relation that is told for the first time gets its own.
fn rules<'t, S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    relations: impl Iterator<Item = &'t str>,
) -> StorageResult<BTreeMap<String, Predicate>> {
    let names: BTreeSet<&str> = relations.collect();
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let stored = overlay.get_predicates(&names)?;
    let mut rules: BTreeMap<String, Predicate> = stored.into_iter().map(|rule| (rule.name.clone(), rule)).collect();
    for name in names {
        if let Entry::Vacant(entry) = rules.entry(name) {
            let predicate = vocabulary::predicate(entry.key());
            overlay.push(Change::PutPredicate(predicate.clone()), "the relation is told for the first time");
            entry.insert(predicate);
        }
    }
    Ok(rules)
}

/// The facts of a text with their names resolved, in the order of the text, each once.
fn facts(
    origin: &Source<'_>,
    edges: &[Sifted],
    cast: &Cast,
    rules: &BTreeMap<String, Predicate>,
    dropped: &mut Dropped,
) -> Vec<NewFact> {
    let mut facts: Vec<NewFact> = Vec::new();
    let mut seen = BTreeSet::new();
    let source_of = |edge: &ExtractedEdge| cast.entity(&edge.source).expect("every endpoint of a fact is in the cast");
    let has_one_value = |relation: &String| rules.get(relation).is_some_and(|rule| rule.functional);
    // Of whom a model states the one value of a relation: patterns, which spell it otherwise, must not end it.
    let by_model = edges.iter().filter(|sifted| sifted.model.is_some() && has_one_value(&sifted.relation));
    let settled: BTreeSet<_> = by_model.map(|sifted| (source_of(&sifted.edge).id, &sifted.relation)).collect();
    for Sifted { relation, edge, model } in edges {
        let source = source_of(edge);
        if model.is_none() && settled.contains(&(source.id, relation)) {
            continue;
        }
        let (target, target_name) = match &edge.target {
            ExtractedTarget::Text(text) => (Target::Text(text.trim().to_owned()), text.trim()),
            ExtractedTarget::Entity(name) => {
                let entity = cast.entity(name).expect("every endpoint of a fact is in the cast");
                (Target::Entity(entity.id), entity.name.as_str())
            }
        };
        if target == Target::Entity(source.id) {
            dropped.self_loop += 1;
            continue;
        }
        let description = edge.description.clone().unwrap_or_else(|| sentence(&source.name, relation, target_name));
        let fact = NewFact {
            source: source.id,
            relation: relation.clone(),
            target,
            told: Told::new(edge.valid_at, edge.invalid_at, origin.reference_time),
            functional: has_one_value(relation),
            description,
            raw_text: edge.raw_text.clone(),
            confidence: edge.confidence,
            model: model.clone(),
            wing: origin.wing.map(str::to_owned),
            artifact: Some(origin.artifact),
        };
        if seen.insert((fact.key(), fact.told.start, fact.told.end)) {
            facts.push(fact);
        }
    }
    facts
}

/// A fact as a sentence: `Alice works at Acme.`
fn sentence(source: &str, relation: &str, target: &str) -> String {
    format!("{source} {} {target}.", relation.replace('_', " "))
}

/// Asks storage for what telling these facts will need.
fn prefetch<'f, S: Snapshot>(overlay: &Overlay<'_, S>, facts: impl Iterator<Item = &'f NewFact>) -> StorageResult<()> {
    let facts: Vec<&NewFact> = facts.collect();
    let keys: Vec<_> = facts.iter().map(|fact| fact.key()).collect();
    overlay.prefetch(keys.iter().zip(&facts).map(|(key, fact)| (key, &fact.told, fact.functional)))
}

/// Tells the facts by their start, then by their place in the text; what became of each, in the order of the text.
fn tell_all<'r, S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    facts: &[NewFact],
    resolved: impl Fn(usize) -> Option<&'r Resolved>,
) -> StorageResult<Vec<Applied>> {
    let nothing = Resolved::default();
    let mut order: Vec<usize> = (0..facts.len()).collect();
    order.sort_by_key(|&place| (facts[place].told.start.at, place));
    let mut applied = BTreeMap::new();
    for place in order {
        applied.insert(place, tell_resolved(overlay, &facts[place], resolved(place).unwrap_or(&nothing))?);
    }
    Ok(applied.into_values().collect())
}

/// The rows that the facts of a text are now, each once.
fn told_facts<S: Snapshot>(overlay: &Overlay<'_, S>, cast: &Cast, applied: &[Applied]) -> StorageResult<Vec<ToldFact>> {
    let mut told: Vec<ToldFact> = Vec::new();
    let mut places: BTreeMap<EdgeId, usize> = BTreeMap::new();
    for &Applied { edge: id, outcome, .. } in applied {
        if let Some(&place) = places.get(&id) {
            if told[place].outcome == Outcome::Confirmed {
                told[place].outcome = outcome;
            }
            continue;
        }
        let edge = overlay.edge(id)?.expect("a told fact is a row of the plan or of the snapshot");
        let target_name = match &edge.target {
            Target::Entity(target) => cast.name_of(*target).map(str::to_owned),
            Target::Text(_) => None,
        };
        let source_name = cast.name_of(edge.source).expect("the cast knows every endpoint of a told fact").to_owned();
        let superseded = edge.bounds.expired_at.is_some();
        places.insert(id, told.len());
        told.push(ToldFact { fact: Fact { edge, source_name, target_name, superseded }, outcome });
    }
    Ok(told)
}
