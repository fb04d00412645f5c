//! The plan: artifact, entities and facts of a text over one version of the dataset.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::candidates::Candidates;
use super::cast::{Cast, Choice};
use super::material::{Material, Sifted};
use super::resolve::resolved;
use super::validate::Checked;
use super::{Answer, Dropped, Outcome, SeriesPutAnswer, ToldEntity, ToldFact};
use crate::commit::Trouble;
use crate::extract::{ExtractedEdge, ExtractedTarget};
use crate::model::{Artifact, ArtifactId, EdgeId, Moment, Predicate, Target};
use crate::plan::Draft;
use crate::prompt::resolve_edges::Pairs;
use crate::recall::Fact;
use crate::reconcile::Overlay;
use crate::reconcile::apply::{Applied, NewFact, Resolved, tell_resolved};
use crate::reconcile::told::Told;
use crate::stage::{Log, shown};
use crate::storage::{AddArtifact, Change, Snapshot, StorageResult};
use crate::vocabulary;

/// A text whose names are resolved, before any of its facts is told.
pub(super) struct Telling {
    artifact: ArtifactId,
    cast: Cast,
    facts: Vec<NewFact>,
    dropped: Dropped,
}

/// A text whose facts are told.
pub(super) struct Facts<'a, S> {
    overlay: Overlay<'a, S>,
    applied: Vec<Applied>,
}

impl Telling {
    /// Finds out who is who; also the plan so far.
    pub(super) fn begin<'a, S: Snapshot>(
        snapshot: &'a S,
        request: &Checked,
        material: &Material,
    ) -> Result<(Overlay<'a, S>, Self), Trouble> {
        let head = snapshot.head()?;
        let mut overlay = Overlay::new(snapshot, &head);
        let artifact = add_artifact(&mut overlay, request);
        let cast = Cast::find(&mut overlay, &material.entities, artifact)?;
        let rules = rules(&mut overlay, material.edges.iter().map(|sifted| sifted.relation.as_str()))?;
        let mut dropped = material.dropped;
        let facts = facts(request, &material.edges, &cast, &rules, artifact, &mut dropped);
        prefetch(&overlay, facts.iter())?;
        Ok((overlay, Self { artifact, cast, facts, dropped }))
    }

    /// Tells the facts as the rules alone would have it.
    pub(super) fn by_rules<'a, S: Snapshot>(&self, mut overlay: Overlay<'a, S>) -> StorageResult<Facts<'a, S>> {
        let applied = tell_all(&mut overlay, &self.facts, |_| None)?;
        Ok(Facts { overlay, applied })
    }

    /// What a model has to compare with what is stored, once the facts are told by the rules.
    pub(super) fn candidates<S: Snapshot>(&self, told: &Facts<'_, S>) -> StorageResult<Candidates> {
        Candidates::load(&told.overlay, &self.facts, &told.applied, &self.cast)
    }

    /// Tells the facts as a model resolved them. `told` are they by the rules alone: which of them are news.
    pub(super) fn by_model<'a, S: Snapshot>(
        &mut self,
        mut overlay: Overlay<'a, S>,
        told: &Facts<'a, S>,
        candidates: &Candidates,
        pairs: &Pairs,
    ) -> StorageResult<Facts<'a, S>> {
        let resolved = resolved(pairs, candidates);
        let of_fact: Vec<Option<&Resolved>> = told
            .applied
            .iter()
            .map(|applied| candidates.news.get(&applied.edge).and_then(|index| resolved.get(index)))
            .collect();
        overlay.keep(candidates.facts.iter().map(|fact| fact.edge.clone()));
        self.cast.learn(&candidates.facts);
        let rows: BTreeMap<EdgeId, &Fact> = candidates.facts.iter().map(|fact| (fact.edge.id, fact)).collect();
        let in_other_words = self.facts.iter().zip(&of_fact).flat_map(|(fact, resolved)| {
            let duplicates = resolved.iter().flat_map(|resolved| &resolved.duplicates);
            duplicates.filter_map(|(id, functional)| Some(fact.in_words_of(&rows.get(id)?.edge, *functional)))
        });
        let in_other_words: Vec<NewFact> = in_other_words.collect();
        prefetch(&overlay, in_other_words.iter())?;
        let applied = tell_all(&mut overlay, &self.facts, |place| of_fact[place])?;
        Ok(Facts { overlay, applied })
    }

    /// The plan and what it gives.
    pub(super) fn finish<S: Snapshot>(self, told: Facts<'_, S>, log: &Log) -> StorageResult<(Draft, Answer)> {
        let edges = told_facts(&told.overlay, &self.cast, &told.applied)?;
        let members = self.cast.members();
        let entities: Vec<ToldEntity> =
            members.map(|member| ToldEntity { entity: member.entity.clone(), created: member.created }).collect();
        let answer = Answer {
            artifact_id: self.artifact,
            entities,
            edges,
            invalidated_edges: told.overlay.closed_by_rule(0),
            dropped: self.dropped,
            timeseries: SeriesPutAnswer::default(),
        };
        let mut log = log.clone();
        log.done("store_artifact", &Stored::of(&answer, self.cast.choices()));
        let mut draft = told.overlay.into_draft();
        draft.stages = log.into_stages();
        Ok((draft, answer))
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
    fn of(answer: &Answer, choices: &'a [Choice]) -> Self {
        let mut edges = BTreeMap::new();
        for told in &answer.edges {
            *edges.entry(told.outcome.as_str()).or_default() += 1;
        }
        Self {
            artifact: answer.artifact_id.0,
            entities: answer.entities.len(),
            new_entities: answer.entities.iter().filter(|told| told.created).count(),
            edges,
            invalidated_edges: shown(answer.invalidated_edges.iter().map(|id| id.0)),
            dropped: answer.dropped,
            choices,
        }
    }
}

fn add_artifact<S: Snapshot>(overlay: &mut Overlay<'_, S>, request: &Checked) -> ArtifactId {
    let artifact = Artifact {
        id: overlay.new_artifact_id(),
        parent: None,
        series: None,
        kind: request.kind,
        bytes: u32::try_from(request.text.len()).expect("the length of a text was checked"),
        title: request.title.clone(),
        session_id: request.session_id.clone(),
        wing: request.wing.clone(),
        valid_at: request.reference_time,
        created_at: Moment::Now,
    };
    let id = artifact.id;
    overlay.push(Change::AddArtifact(AddArtifact { artifact, text: request.text.clone() }), "what was sent");
    id
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
    request: &Checked,
    edges: &[Sifted],
    cast: &Cast,
    rules: &BTreeMap<String, Predicate>,
    artifact: ArtifactId,
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
            told: Told::new(edge.valid_at, edge.invalid_at, request.reference_time),
            functional: has_one_value(relation),
            description,
            raw_text: edge.raw_text.clone(),
            confidence: edge.confidence,
            model: model.clone(),
            wing: request.wing.clone(),
            artifact: Some(artifact),
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
