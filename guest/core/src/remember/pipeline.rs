//! The steps of a remember, in order: check, extract, find who is who, compare with what is stored, commit.
//!
//! No snapshot is held while a model is asked. What a model said is kept for the next attempt, and it is asked again
//! only if what it would have to compare differs.

use super::extract::{Known, extract};
use super::material::Material;
use super::resolve::Resolution;
use super::tell::Telling;
use super::validate::{Checked, check};
use super::{Answer, Request};
use crate::commit::{Attempt, Trouble, commit_asking, date, date_edge, read};
use crate::llm::Llm;
use crate::model::{Call, Failure};
use crate::prompt::resolve_edges::ResolveEdges;
use crate::stage::Log;
use crate::storage::{Committed, Dataset, Snapshot};

/// Extracts, reconciles, commits once.
///
/// # Errors
/// When the request is malformed or over a limit, needs what is not configured, a model gives no usable answer, or
/// storage fails. Nothing is stored then; the failure has the stages that were reached.
pub fn remember<D: Dataset>(dataset: &D, llm: &impl Llm, call: &Call, request: Request) -> Result<Answer, Failure> {
    let request = check(request, call)?;
    let mut state = State::default();
    let outcome = (|| {
        let known = || read(dataset, |snapshot: &D::Snapshot| Known::load(snapshot, &request.text));
        let told = extract(&request, llm, known, &mut state.log)?;
        commit_asking(
            dataset,
            &mut state,
            |state, snapshot| plan(snapshot, &request, &told, state),
            |state, question| state.ask(question, &request, llm),
        )
    })();
    let (answer, committed) = outcome.map_err(|failure| state.log.fail(failure))?;
    let committed = committed.expect("a plan of remember has at least the artifact");
    Ok(dated(answer, committed))
}

/// What remember would do now: nothing is stored.
///
/// # Errors
/// As [`remember`].
pub fn preview<S: Snapshot>(snapshot: &S, llm: &impl Llm, call: &Call, request: Request) -> Result<Answer, Failure> {
    let request = check(request, call)?;
    let mut state = State::default();
    let outcome = (|| {
        let told = extract(&request, llm, || Ok(Known::load(snapshot, &request.text)?), &mut state.log)?;
        loop {
            match plan(snapshot, &request, &told, &mut state)? {
                Attempt::Ask(question) => state.ask(question, &request, llm)?,
                Attempt::Commit(_, answer) => return Ok(answer),
            }
        }
    })();
    let answer = outcome.map_err(|failure: Failure| state.log.fail(failure))?;
    Ok(dated(answer, Committed { seq: 0, at: call.now }))
}

/// What a call learns as it goes on.
#[derive(Debug, Default)]
struct State {
    log: Log,
    resolution: Resolution,
    /// What was compared in the attempt before.
    compared: Option<ResolveEdges>,
}

impl State {
    fn ask(&mut self, question: ResolveEdges, request: &Checked, llm: &impl Llm) -> Result<(), Failure> {
        self.resolution.ask(question, request, llm, &mut self.log)
    }
}

/// The plan on one version, or what a model has to be asked before there can be one.
fn plan<S: Snapshot>(
    snapshot: &S,
    request: &Checked,
    told: &Material,
    state: &mut State,
) -> Result<Attempt<ResolveEdges, Answer>, Trouble> {
    let (overlay, mut telling) = Telling::begin(snapshot, request, told)?;
    let facts = if request.extractor.asks_a_model() {
        let by_rules = telling.by_rules(overlay.clone())?;
        let candidates = telling.candidates(&by_rules)?;
        if state.compared.as_ref() != Some(&candidates.question) {
            candidates.log(&mut state.log);
            state.compared = Some(candidates.question.clone());
        }
        if candidates.is_empty() {
            by_rules
        } else {
            let Some(pairs) = state.resolution.of(&candidates) else { return Ok(Attempt::Ask(candidates.question)) };
            telling.by_model(overlay, &by_rules, &candidates, pairs)?
        }
    } else {
        telling.by_rules(overlay)?
    };
    let (draft, answer) = telling.finish(facts, &state.log)?;
    Ok(Attempt::Commit(draft, answer))
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
