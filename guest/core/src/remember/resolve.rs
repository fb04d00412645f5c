//! Resolution: what a model says of the text's news and of what is stored.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::candidates::Candidates;
use crate::llm::Llm;
use crate::model::{Edge, Failure, ModelChoice};
use crate::prompt::resolve_edges::{Pair, Pairs, ResolveEdges};
use crate::prompt::{Answered, Ask, Unanswered, ask};
use crate::reconcile::apply::Resolved;
use crate::stage::{Log, shown};

/// What is compared for one text of a call, and what a model said of it last: what is asked again on another version of
/// the dataset is answered from here.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    answered: Option<(ResolveEdges, Result<Pairs, Failure>)>,
    /// What was compared in the attempt before.
    compared: Option<ResolveEdges>,
}

#[derive(Serialize)]
struct Output<'a> {
    model: &'a str,
    duplicates: Vec<Named>,
    contradictions: Vec<Named>,
    problems: Vec<String>,
}

#[derive(Serialize)]
struct Named {
    new: usize,
    existing: u64,
}

impl Comparison {
    /// Notes what is compared, where that is not what was compared before.
    pub(super) fn note(&mut self, candidates: &Candidates, log: &mut Log) {
        if self.compared.as_ref() != Some(&candidates.question) {
            candidates.log(log);
            self.compared = Some(candidates.question.clone());
        }
    }

    /// What the model said to these candidates; `None` when it wasn't asked about them.
    pub(super) fn of(&self, candidates: &Candidates) -> Option<&Result<Pairs, Failure>> {
        let (question, said) = self.answered.as_ref()?;
        (*question == candidates.question).then_some(said)
    }

    /// Whether the model was asked about other candidates before.
    pub(super) fn was_asked(&self) -> bool {
        self.answered.is_some()
    }

    /// Asks the model.
    pub(super) fn ask(
        &mut self,
        question: ResolveEdges,
        models: &[ModelChoice],
        llm: &impl Llm,
        log: &mut Log,
    ) -> Result<(), Failure> {
        let said = match ask(llm, models, &question) {
            Ok(Answered { value, model, problems }) => {
                let named = |pairs: &BTreeSet<Pair>| {
                    shown(pairs.iter().map(|(new, existing)| Named { new: *new, existing: existing.0 }))
                };
                let output = Output {
                    model: &model,
                    duplicates: named(&value.duplicates),
                    contradictions: named(&value.contradictions),
                    problems: problems.sentences(),
                };
                log.done(ResolveEdges::STAGE, &output);
                Ok(value)
            }
            Err(Unanswered { error, failure, .. }) => {
                let output = serde_json::json!({"new": question.new.len(), "existing": question.existing.len()});
                log.failed(ResolveEdges::STAGE, &output, &error);
                Err(failure)
            }
        };
        let outcome = said.as_ref().map(|_| ()).map_err(Clone::clone);
        self.answered = Some((question, said));
        outcome
    }
}

/// What the pairs mean for each of the news, by its index.
pub(super) fn resolved(pairs: &Pairs, candidates: &Candidates) -> BTreeMap<usize, Resolved> {
    let mut resolved: BTreeMap<usize, Resolved> = BTreeMap::new();
    // Of several rows that say the same the open one counts, else the latest.
    let mut rows: Vec<&Edge> = candidates.facts.iter().map(|fact| &fact.edge).collect();
    rows.sort_by_key(|row| Reverse((row.bounds.invalid_at.is_none(), row.bounds.valid_at.at, row.id)));
    for row in rows {
        let functional = candidates.functional.contains(&row.relation);
        for (new, _) in pairs.duplicates.iter().filter(|(_, duplicate)| *duplicate == row.id) {
            resolved.entry(*new).or_default().duplicates.push((row.id, functional));
        }
    }
    for &(new, contradiction) in &pairs.contradictions {
        resolved.entry(new).or_default().contradictions.push(contradiction);
    }
    resolved
}
