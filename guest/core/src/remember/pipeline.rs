//! The steps of a remember, in order: check, extract, find who is who, reconcile, commit.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::cast::Cast;
use super::validate::{Checked, check};
use super::{Answer, Dropped, Extractor, Outcome, Request, ToldEntity, ToldFact};
use crate::commit::{Trouble, commit, date, date_edge};
use crate::extract::{ExtractedEdge, ExtractedEntity, ExtractedTarget, Extraction};
use crate::llm::Llm;
use crate::model::{Artifact, ArtifactId, Call, EdgeId, Failure, FailureCode, Moment, Predicate, Target};
use crate::names::normalize;
use crate::plan::Draft;
use crate::recall::Fact;
use crate::reconcile::Overlay;
use crate::reconcile::apply::{NewFact, tell};
use crate::reconcile::told::Told;
use crate::storage::rules::{MAX_LITERAL, MAX_NAME};
use crate::storage::{AddArtifact, Change, Committed, Dataset, Snapshot, StorageResult};
use crate::vocabulary;

/// Facts of one text: what a call's memory and an answer can hold.
const MAX_FACTS: usize = 10_000;

/// Extracts, reconciles, commits once.
///
/// # Errors
/// When the request is malformed or over a limit, needs what is not configured, or storage fails.
pub fn remember<D: Dataset>(dataset: &D, _llm: &impl Llm, call: &Call, request: Request) -> Result<Answer, Failure> {
    let request = check(request, call)?;
    let extraction = match request.extractor {
        Extractor::Off => Extraction::default(),
        Extractor::Pattern | Extractor::Llm | Extractor::Both => request.read_by_patterns(&request.text)?,
    };
    let told = Material::sift(&extraction);
    if told.edges.len() > MAX_FACTS {
        let message = format!("text: states {} facts; at most {MAX_FACTS} go at once, so split it", told.edges.len());
        return Err(Failure::new(FailureCode::TooLarge, message).about("text"));
    }
    let (answer, committed) = commit(dataset, |snapshot| plan(snapshot, &request, &told))?;
    let committed = committed.expect("a plan of remember has at least the artifact");
    Ok(dated(answer, committed))
}

/// What remember would do now: nothing is stored.
///
/// # Errors
/// As [`remember`].
pub fn preview<S: Snapshot>(snapshot: &S, _llm: &impl Llm, call: &Call, request: Request) -> Result<Answer, Failure> {
    let request = check(request, call)?;
    let extraction = match request.extractor {
        Extractor::Off => Extraction::default(),
        Extractor::Pattern | Extractor::Llm | Extractor::Both => request.read_by_patterns(&request.text)?,
    };
    let told = Material::sift(&extraction);
    let (_, answer) = plan(snapshot, &request, &told)?;
    Ok(dated(answer, Committed { seq: 0, at: call.now }))
}

/// What of an extraction can become entities and facts.
struct Material {
    entities: Vec<ExtractedEntity>,
    edges: Vec<Sifted>,
    dropped: Dropped,
}

/// A fact whose relation and endpoints are fit to be stored.
struct Sifted {
    relation: String,
    edge: ExtractedEdge,
}

impl Material {
    fn sift(extraction: &Extraction) -> Self {
        let mut dropped = Dropped::default();
        let mut edges = Vec::new();
        // Endpoints of private facts: a private value must not come in as an entity either.
        let mut private = BTreeSet::new();
        for edge in &extraction.edges {
            match fit(edge) {
                Ok(relation) => edges.push(Sifted { relation, edge: edge.clone() }),
                Err(Unfit::Private) => {
                    dropped.pii += 1;
                    private.insert(object_key(edge));
                }
                Err(Unfit::Empty) => dropped.empty += 1,
                Err(Unfit::SelfLoop) => dropped.self_loop += 1,
                Err(Unfit::TooLong) => dropped.invalid += 1,
            }
        }
        let mut entities = Vec::new();
        let mut seen = BTreeSet::new();
        let endpoints = edges.iter().flat_map(|sifted| {
            let target = match &sifted.edge.target {
                ExtractedTarget::Entity(name) => Some(name),
                ExtractedTarget::Text(_) => None,
            };
            std::iter::once(&sifted.edge.source).chain(target)
        });
        let endpoints: Vec<&String> = endpoints.collect();
        let of_facts: BTreeSet<String> = endpoints.iter().map(|name| normalize(name)).collect();
        for entity in &extraction.entities {
            let name = normalize(&entity.name);
            if name.is_empty() {
                dropped.empty += 1;
            } else if name.len() > MAX_NAME || entity.name.len() > MAX_NAME {
                dropped.invalid += 1;
            } else if (of_facts.contains(&name) || !private.contains(&name)) && seen.insert(name) {
                entities.push(entity.clone());
            }
        }
        for name in endpoints {
            if seen.insert(normalize(name)) {
                let (name, r#type) = (name.clone(), "unknown".to_owned());
                entities.push(ExtractedEntity { name, r#type, description: String::new() });
            }
        }
        Self { entities, edges, dropped }
    }
}

enum Unfit {
    Private,
    Empty,
    SelfLoop,
    TooLong,
}

fn object_key(edge: &ExtractedEdge) -> String {
    match &edge.target {
        ExtractedTarget::Entity(name) | ExtractedTarget::Text(name) => normalize(name),
    }
}

fn fit(edge: &ExtractedEdge) -> Result<String, Unfit> {
    let Some(relation) = vocabulary::relation(&edge.relation) else {
        return Err(if edge.relation.contains(char::is_alphanumeric) { Unfit::TooLong } else { Unfit::Empty });
    };
    if vocabulary::is_private(&relation) {
        return Err(Unfit::Private);
    }
    let (source, object) = (normalize(&edge.source), object_key(edge));
    if source.is_empty() || object.is_empty() {
        return Err(Unfit::Empty);
    }
    let (object_text, max_object) = match &edge.target {
        ExtractedTarget::Entity(name) => (name, MAX_NAME),
        ExtractedTarget::Text(text) => (text, MAX_LITERAL),
    };
    let too_long = |text: &str, max: usize| text.len() > max;
    if too_long(&source, MAX_NAME)
        || too_long(&edge.source, MAX_NAME)
        || too_long(object_text, max_object)
        || too_long(&object, max_object)
    {
        return Err(Unfit::TooLong);
    }
    if source == object && matches!(edge.target, ExtractedTarget::Entity(_)) {
        return Err(Unfit::SelfLoop);
    }
    Ok(relation)
}

fn plan<S: Snapshot>(snapshot: &S, request: &Checked, told: &Material) -> Result<(Draft, Answer), Trouble> {
    let head = snapshot.head()?;
    let mut overlay = Overlay::new(snapshot, &head);
    let artifact_id = add_artifact(&mut overlay, request);
    let cast = Cast::find(&mut overlay, &told.entities, artifact_id, None)?;
    let rules = rules(&mut overlay, told.edges.iter().map(|sifted| sifted.relation.as_str()))?;
    let mut dropped = told.dropped;
    let facts = facts(request, told, &cast, &rules, artifact_id, &mut dropped);
    let outcomes = tell_all(&mut overlay, &facts)?;
    let edges = told_facts(&overlay, &cast, &outcomes)?;
    let entities = cast.members().map(|member| ToldEntity { entity: member.entity.clone(), created: member.created });
    let answer = Answer {
        artifact_id,
        entities: entities.collect(),
        edges,
        invalidated_edges: overlay.closed_by_rule(),
        dropped,
    };
    Ok((overlay.into_draft(), answer))
}

fn add_artifact<S: Snapshot>(overlay: &mut Overlay<'_, S>, request: &Checked) -> ArtifactId {
    let artifact = Artifact {
        id: overlay.new_artifact_id(),
        parent: None,
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
    let stored = overlay.snapshot().get_predicates(&names)?;
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
    told: &Material,
    cast: &Cast,
    rules: &BTreeMap<String, Predicate>,
    artifact: ArtifactId,
    dropped: &mut Dropped,
) -> Vec<NewFact> {
    let mut facts: Vec<NewFact> = Vec::new();
    let mut seen = BTreeSet::new();
    for Sifted { relation, edge } in &told.edges {
        let source = cast.entity(&edge.source).expect("every endpoint of a fact is in the cast");
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
            functional: rules.get(relation).is_some_and(|rule| rule.functional),
            description,
            raw_text: edge.raw_text.clone(),
            confidence: edge.confidence,
            model: None,
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

/// Tells the facts by their start, then by their place in the text; what became of each, in the order of the text.
fn tell_all<S: Snapshot>(overlay: &mut Overlay<'_, S>, facts: &[NewFact]) -> StorageResult<Vec<(EdgeId, Outcome)>> {
    let keys: Vec<_> = facts.iter().map(NewFact::key).collect();
    overlay.prefetch(keys.iter().zip(facts).map(|(key, fact)| (key, &fact.told, fact.functional)))?;
    let mut order: Vec<usize> = (0..facts.len()).collect();
    order.sort_by_key(|&place| (facts[place].told.start.at, place));
    let mut outcomes = BTreeMap::new();
    for place in order {
        outcomes.insert(place, tell(overlay, &facts[place])?);
    }
    Ok(outcomes.into_values().collect())
}

/// The rows that the facts of a text are now, each once.
fn told_facts<S: Snapshot>(
    overlay: &Overlay<'_, S>,
    cast: &Cast,
    outcomes: &[(EdgeId, Outcome)],
) -> StorageResult<Vec<ToldFact>> {
    let mut told: Vec<ToldFact> = Vec::new();
    let mut places: BTreeMap<EdgeId, usize> = BTreeMap::new();
    for &(id, outcome) in outcomes {
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
        let source_name = cast.name_of(edge.source).expect("the source of a told fact is in the cast").to_owned();
        let superseded = edge.bounds.expired_at.is_some();
        places.insert(id, told.len());
        told.push(ToldFact { fact: Fact { edge, source_name, target_name, superseded }, outcome });
    }
    Ok(told)
}

/// The answer with the time that the commit assigned.
fn dated(mut answer: Answer, committed: Committed) -> Answer {
    for told in &mut answer.entities {
        date(&mut told.entity.created_at, committed);
    }
    for told in &mut answer.edges {
        date_edge(&mut told.fact.edge, committed);
    }
    answer
}

#[cfg(test)]
mod tests;
