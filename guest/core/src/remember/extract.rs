//! Extraction: what the text states, read by whom the request asks for.

use std::collections::BTreeSet;

use serde::Serialize;

use super::material::{Found, Material};
use super::validate::Checked;
use super::{Dropped, Extractor};
use crate::extract::ExtractedTarget;
use crate::llm::Llm;
use crate::model::{EntityId, Failure, FailureCode};
use crate::prompt::extract_graph::ExtractGraph;
use crate::prompt::{Ask, Problems, Unanswered, ask, cut};
use crate::runs;
use crate::stage::{Log, shown};
use crate::storage::rules::MAX_ITEMS;
use crate::storage::{Snapshot, StorageResult};
use crate::vocabulary;

/// Facts of one text: what a call's memory and an answer can hold.
const MAX_FACTS: usize = 10_000;
/// Runs of words of a text that are looked up as names; those of a long text are its shorter ones.
const MAX_RUNS: usize = 20_000;
/// Bytes of a fact that the log shows.
const MAX_SHOWN_FACT: usize = 200;
/// Names that a model is told.
const MAX_KNOWN_ENTITIES: usize = 50;
/// Relations of the dataset that a model is told, beside those known from the start.
const MAX_KNOWN_RELATIONS: u32 = 100;

/// What the memory knows already and a model should say alike.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Known {
    pub(super) entities: Vec<String>,
    pub(super) relations: Vec<String>,
}

impl Known {
    /// The entities that the text names, the first ones told, and the relations in use.
    pub(super) fn load<S: Snapshot>(snapshot: &S, text: &str) -> StorageResult<Self> {
        let names: Vec<String> = runs::names(&runs::words(text), MAX_RUNS).into_iter().collect();
        let mut ids: BTreeSet<EntityId> = BTreeSet::new();
        for names in names.chunks(MAX_ITEMS as usize) {
            ids.extend(snapshot.find_names(names)?.into_iter().map(|found| found.entity));
        }
        let ids: Vec<EntityId> = ids.into_iter().take(MAX_KNOWN_ENTITIES).collect();
        let entities = if ids.is_empty() { Vec::new() } else { snapshot.get_entities(&ids)? };
        let mut relations: Vec<String> = vocabulary::built_in().map(str::to_owned).collect();
        let own = snapshot.list_predicates(None, MAX_KNOWN_RELATIONS)?.into_iter().map(|predicate| predicate.name);
        for name in own {
            if !relations.contains(&name) {
                relations.push(name);
            }
        }
        Ok(Self { entities: entities.into_iter().map(|entity| entity.name).collect(), relations })
    }
}

/// What the stage gave.
#[derive(Serialize)]
struct Output<'a> {
    extractor: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    known_entities: usize,
    entities: usize,
    edges: usize,
    dropped: Dropped,
    names: Vec<&'a str>,
    facts: Vec<String>,
    problems: Vec<String>,
}

/// What the text states. `known` is asked for only where a model reads.
pub(super) fn extract(
    request: &Checked,
    llm: &impl Llm,
    known: impl FnOnce() -> Result<Known, Failure>,
    log: &mut Log,
) -> Result<Material, Failure> {
    let extractor = request.manner.extractor;
    if extractor == Extractor::Off {
        return Ok(Material::default());
    }
    let mut found = Vec::new();
    let (mut problems, mut known_entities) = (Problems::default(), 0);
    if extractor.asks_a_model() {
        let known = known()?;
        known_entities = known.entities.len();
        let (read, told) = by_model(request, llm, &known, log)?;
        found.push(read);
        problems = told;
    }
    if extractor != Extractor::Llm {
        found.push(Found { extraction: request.read_by_patterns(&request.text)?, model: None });
    }
    sift(extractor, &found, known_entities, &problems, log)
}

/// What of all that was found is fit to be stored; notes the stage.
pub(super) fn sift(
    extractor: Extractor,
    found: &[Found],
    known_entities: usize,
    problems: &Problems,
    log: &mut Log,
) -> Result<Material, Failure> {
    let mut material = Material::sift(found);
    material.dropped.invalid += problems.over_limit;
    let output = Output {
        extractor: extractor.as_str(),
        model: found.iter().find_map(|found| found.model.as_deref()),
        known_entities,
        entities: material.entities.len(),
        edges: material.edges.len(),
        dropped: material.dropped,
        names: shown(material.entities.iter().map(|mention| mention.entity.name.as_str())),
        facts: shown(material.edges.iter().map(|sifted| {
            let (ExtractedTarget::Entity(target) | ExtractedTarget::Text(target)) = &sifted.edge.target;
            cut(&format!("{} {} {target}", sifted.edge.source, sifted.relation), MAX_SHOWN_FACT)
        })),
        problems: problems.sentences(),
    };
    log.done(ExtractGraph::STAGE, &output);
    if material.edges.len() > MAX_FACTS {
        let count = material.edges.len();
        let message = format!("text: states {count} facts; at most {MAX_FACTS} go at once, so split it");
        return Err(Failure::new(FailureCode::TooLarge, message).about("text"));
    }
    Ok(material)
}

fn by_model(request: &Checked, llm: &impl Llm, known: &Known, log: &mut Log) -> Result<(Found, Problems), Failure> {
    let question = ExtractGraph {
        reference_time: request.reference_time.to_string(),
        timezone: request.timezone.name(),
        speaker: request.speaker.as_deref(),
        text: &request.text,
        known_entities: &known.entities,
        known_relations: &known.relations,
    };
    match ask(llm, &request.manner.models, &question) {
        Ok(answered) => Ok((Found { extraction: answered.value, model: Some(answered.model) }, answered.problems)),
        Err(Unanswered { error, is_missing, failure }) => {
            failed(request.manner.extractor, &error, log);
            Err(if is_missing { failure.about("extractor") } else { failure })
        }
    }
}

/// Notes that a model did not read a text.
pub(super) fn failed(extractor: Extractor, error: &str, log: &mut Log) {
    log.failed(ExtractGraph::STAGE, &serde_json::json!({"extractor": extractor.as_str()}), error);
}
