//! Questions without a model: the facts that a question is about, and a sentence made of them.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Belief, name_facts};
use super::{Fact, QueryAnswer, QueryMode, QueryRequest};
use crate::check::{MAX_WING, limit, optional_label, text};
use crate::commit::Trouble;
use crate::llm::Llm;
use crate::model::{Call, Direction, Edge, EdgeId, EntityId, Failure, Page, Target};
use crate::names::normalize;
use crate::storage::rules::MAX_ITEMS;
use crate::storage::{EdgeFilter, EdgeOrder, EdgeQuery, Snapshot, Standing, StorageResult, Validity};
use crate::time::{Date, Instant, Micros};
use crate::vocabulary;

const MAX_QUESTION: usize = 4_096;
const MAX_EVIDENCE: u32 = 100;
/// Words of the longest name that is looked for.
const MAX_NAME_WORDS: usize = 6;
/// Entities of a question that facts are fetched for.
const MAX_ENTITIES: usize = 16;
/// Facts that are fetched of each kind, however few are asked for: what answers best is known only afterwards.
const FETCHED: u32 = 20;
/// Sentences of an answer.
const MAX_SENTENCES: usize = 5;
/// Letters that a word of a question must share with a word of a relation.
const STEM: usize = 4;

/// Finds the facts that a question is about, and answers with them.
///
/// # Errors
/// When the request is malformed or storage fails.
pub fn query<S: Snapshot>(
    snapshot: &S,
    _llm: &impl Llm,
    call: &Call,
    request: &QueryRequest,
) -> Result<QueryAnswer, Failure> {
    text("question", &request.question, MAX_QUESTION)?;
    let limit = limit(request.limit, MAX_EVIDENCE)?;
    let wing = optional_label("wing", request.wing.as_deref(), MAX_WING)?;
    let at = request.at.unwrap_or_else(|| call.now.to_instant());
    let question = Question::read(&request.question);
    let mut evidence = retrieve(snapshot, &question, request, wing.as_ref(), at)?;
    let answer = answer(&question, &evidence, at);
    evidence.truncate(limit as usize);
    Ok(QueryAnswer { answer, mode: QueryMode::Evidence, evidence, used: Vec::new(), stages: Vec::new() })
}

/// The words of a question.
struct Question {
    words: Vec<String>,
}

impl Question {
    fn read(question: &str) -> Self {
        let trim = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '+' && c != '#');
            let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
            normalize(word)
        };
        Self { words: question.split_whitespace().map(trim).filter(|word| !word.is_empty()).collect() }
    }

    /// Every run of words that may be a name, with its place and length.
    fn runs(&self) -> impl Iterator<Item = (usize, usize, String)> + '_ {
        let starts = 0..self.words.len();
        starts.flat_map(move |start| {
            let longest = MAX_NAME_WORDS.min(self.words.len() - start);
            (1..=longest).map(move |length| (start, length, self.words[start..start + length].join(" ")))
        })
    }

    /// The entities that it names: the longest names first, no word used twice.
    fn entities<S: Snapshot>(&self, snapshot: &S) -> StorageResult<Vec<EntityId>> {
        let runs: Vec<(usize, usize, String)> = self.runs().collect();
        let names: BTreeSet<String> = runs.iter().map(|(_, _, name)| name.clone()).collect();
        let mut known: BTreeMap<String, Vec<EntityId>> = BTreeMap::new();
        let names: Vec<String> = names.into_iter().collect();
        for names in names.chunks(MAX_ITEMS as usize) {
            for found in snapshot.find_names(names)? {
                known.entry(found.name).or_default().push(found.entity);
            }
        }
        let mut found: Vec<&(usize, usize, String)> = runs.iter().filter(|run| known.contains_key(&run.2)).collect();
        found.sort_by_key(|(start, length, _)| (std::cmp::Reverse(*length), *start));
        let mut used = BTreeSet::new();
        let mut entities = Vec::new();
        for (start, length, name) in found {
            let words = *start..start + length;
            if words.clone().all(|word| !used.contains(&word)) {
                used.extend(words);
                entities.extend(known[name].iter().copied().filter(|id| !entities.contains(id)).collect::<Vec<_>>());
            }
        }
        entities.truncate(MAX_ENTITIES);
        Ok(entities)
    }

    /// The relations known from the start that it asks for.
    fn relations(&self) -> Vec<&'static str> {
        vocabulary::built_in().filter(|relation| self.asks_for(relation)).collect()
    }

    /// Whether it asks for a relation: one of its words begins like a word of the relation.
    fn asks_for(&self, relation: &str) -> bool {
        let stem = |word: &str| word.chars().take(STEM).collect::<String>();
        vocabulary::words(relation)
            .filter(|word| word.chars().count() >= STEM)
            .any(|word| self.words.iter().any(|asked| asked.chars().count() >= STEM && stem(asked) == stem(word)))
    }
}

/// The facts about what the question names, best first.
fn retrieve<S: Snapshot>(
    snapshot: &S,
    question: &Question,
    request: &QueryRequest,
    wing: Option<&String>,
    at: Instant,
) -> Result<Vec<Fact>, Trouble> {
    let belief = Belief::of(snapshot, request.known_at)?;
    if belief == Belief::Nothing {
        return Ok(Vec::new());
    }
    let entities = question.entities(snapshot)?;
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
    Ok(name_facts(snapshot, edges)?)
}

/// For each entity what holds at the time that is asked about and what held latest, of the relations that are asked for
/// and of all.
fn queries(
    entities: &[EntityId],
    asked: &[&str],
    limit: u32,
    wing: Option<&String>,
    at: Instant,
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
        .flat_map(|(entity, relation)| {
            [Validity::At(at), Validity::Any].map(|validity| query(entity, relation, validity))
        })
        .collect()
}

/// How much a fact is what the question is about, then the later the better.
fn score(question: &Question, entities: &[EntityId], edge: &Edge, at: Instant) -> (usize, Instant, EdgeId) {
    let named = |id: EntityId| entities.contains(&id);
    let both = named(edge.source) && matches!(edge.target, Target::Entity(target) if named(target));
    let points = [
        (question.asks_for(&edge.relation), 8),
        (both, 4),
        (edge.bounds.interval().contains(at), 2),
        (named(edge.source), 1),
    ];
    let points = points.iter().filter(|(holds, _)| *holds).map(|(_, points)| points).sum();
    (points, edge.bounds.valid_at.at, edge.id)
}

/// The evidence in words: what it says of the time that was asked about, or else what was known last.
fn answer(question: &Question, evidence: &[Fact], at: Instant) -> String {
    let asked: Vec<&Fact> = evidence.iter().filter(|fact| question.asks_for(&fact.edge.relation)).collect();
    if asked.is_empty() && !evidence.is_empty() && !question.relations().is_empty() {
        return "Nothing that is remembered says so. What else is known is in the evidence.".to_owned();
    }
    let about: Vec<&Fact> = if asked.is_empty() { evidence.iter().collect() } else { asked };
    let holding: Vec<&Fact> = about.iter().copied().filter(|fact| fact.edge.bounds.interval().contains(at)).collect();
    if !holding.is_empty() {
        let mut sentences: Vec<String> = holding.iter().take(MAX_SENTENCES).map(|fact| sentence(fact)).collect();
        if holding.len() > MAX_SENTENCES {
            sentences.push(format!("And {} more in the evidence.", holding.len() - MAX_SENTENCES));
        }
        return sentences.join(" ");
    }
    match about.first() {
        None => "Nothing that is remembered is about this.".to_owned(),
        Some(latest) => format!("Nothing that is remembered holds at {at}. The latest: {}", sentence(latest)),
    }
}

/// A date as people say it: of a midnight only the day.
fn spoken(date: Date) -> String {
    let text = date.to_string();
    text.strip_suffix("T00:00:00Z").map_or_else(|| text.clone(), str::to_owned)
}

/// A fact with its dates: `Alice works at Globex, since 2024-03-01.`
fn sentence(fact: &Fact) -> String {
    let bounds = &fact.edge.bounds;
    let object = fact.object();
    let dates = match (bounds.start_known(), bounds.invalid_at) {
        (true, None) => format!("since {}", spoken(bounds.valid_at)),
        (true, Some(end)) => format!("from {} until {}", spoken(bounds.valid_at), spoken(end)),
        (false, Some(end)) => format!("until {}", spoken(end)),
        (false, None) => "since an unknown time".to_owned(),
    };
    format!("{} {} {object}, {dates}.", fact.source_name, fact.edge.relation.replace('_', " "))
}
