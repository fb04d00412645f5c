//! The steps of a remember, in order: check, extract, find who is who, compare with what is stored, commit.
//!
//! No snapshot is held while a model is asked. What a model said is kept for the next attempt, and it is asked again
//! only if what it would have to compare differs.

use super::extract::{Known, extract};
use super::material::Material;
use super::observe::tell_series;
use super::series::check_stored;
use super::state::{Question, State, Which};
use super::tell::{Source, Untold, tell};
use super::validate::{Checked, check};
use super::{Answer, Request, SeriesPutAnswer, ToldEntity, ToldFact};
use crate::commit::{Stop, commit_asking, date, date_edge, read};
use crate::llm::Llm;
use crate::model::{Artifact, ArtifactId, Call, Failure, Moment};
use crate::plan::Draft;
use crate::reconcile::Overlay;
use crate::storage::{AddArtifact, Change, Committed, Dataset, Snapshot};

/// Extracts, reconciles, commits once.
///
/// # Errors
/// When the request is malformed or over a limit, needs what is not configured, an anchor has no target, a model gives no
/// usable answer, or storage fails. Nothing is stored then; the failure has the stages that were reached.
pub fn remember<D: Dataset>(dataset: &D, llm: &impl Llm, call: &Call, request: Request) -> Result<Answer, Failure> {
    let request = check(request, call)?;
    let mut state = State::default();
    let outcome = (|| {
        if request.manner.extractor.asks_a_model() && !request.batch.series.is_empty() {
            read(dataset, |snapshot: &D::Snapshot| check_stored(snapshot, &request.batch))?;
        }
        let known = || read(dataset, |snapshot: &D::Snapshot| Ok(Known::load(snapshot, &request.text)?));
        let told = extract(&request, llm, known, &mut state.log)?;
        commit_asking(
            dataset,
            &mut state,
            |state, snapshot| plan(snapshot, &request, &told, state),
            |state, question| state.ask(question, &request.manner, llm),
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
        if request.manner.extractor.asks_a_model() {
            check_stored(snapshot, &request.batch)?;
        }
        let told = extract(&request, llm, || Ok(Known::load(snapshot, &request.text)?), &mut state.log)?;
        loop {
            match plan(snapshot, &request, &told, &mut state) {
                Err(Stop::Ask(question) | Stop::AskAgain(question)) => state.ask(question, &request.manner, llm)?,
                Err(Stop::Trouble(trouble)) => return Err(trouble.into()),
                Ok((_, answer)) => return Ok(answer),
            }
        }
    })();
    let answer = outcome.map_err(|failure: Failure| state.log.fail(failure))?;
    Ok(dated(answer, Committed { seq: 0, at: call.now }))
}

/// The plan on one version, or what a model has to be asked before there can be one.
fn plan<S: Snapshot>(
    snapshot: &S,
    request: &Checked,
    material: &Material,
    state: &mut State,
) -> Result<(Draft, Answer), Stop<Question>> {
    let head = snapshot.head()?;
    let mut overlay = Overlay::new(snapshot, &head);
    let wing = request.manner.wing.as_deref();
    let artifact = add_artifact(&mut overlay, request);
    let source = Source { artifact, reference_time: request.reference_time, wing, meant: None };
    let (comparison, log) = state.compare(&Which::Sent, &request.manner);
    let (overlay, text) = match tell(overlay, &source, material, comparison, log) {
        Ok(told) => told,
        Err(Untold::Trouble(trouble)) => return Err(trouble.into()),
        Err(Untold::Ask(question)) => return Err(state.compare_first(Which::Sent, question)),
        Err(Untold::Failed(failure)) => return Err(failure.into()),
    };
    let (overlay, series) = tell_series(overlay, &request.batch, &request.manner, Some((artifact, &text.cast)), state)?;
    let edges = text.edges(&overlay)?;
    let mut log = state.log.clone();
    text.log(&edges, &mut log);
    let (mut draft, timeseries) = series.finish(overlay, &mut log)?;
    draft.stages = log.into_stages();
    let answer = Answer {
        artifact_id: artifact,
        entities: text.entities(),
        edges,
        invalidated_edges: text.closed,
        dropped: text.dropped,
        timeseries,
    };
    Ok((draft, answer))
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
        wing: request.manner.wing.clone(),
        valid_at: request.reference_time,
        created_at: Moment::Now,
    };
    let id = artifact.id;
    overlay.push(Change::AddArtifact(AddArtifact { artifact, text: request.text.clone() }), "what was sent");
    id
}

/// The answer with the time that the commit assigned.
fn dated(mut answer: Answer, committed: Committed) -> Answer {
    date_text(&mut answer.entities, &mut answer.edges, committed);
    date_series(&mut answer.timeseries, committed);
    answer
}

/// The same of series.
pub(super) fn date_series(answer: &mut SeriesPutAnswer, committed: Committed) {
    for told in &mut answer.observations {
        date_text(&mut told.entities, &mut told.edges, committed);
    }
}

fn date_text(entities: &mut [ToldEntity], edges: &mut [ToldFact], committed: Committed) {
    for told in entities {
        date(&mut told.entity.created_at, committed);
    }
    for told in edges {
        date_edge(&mut told.fact.edge, committed);
    }
}

#[cfg(test)]
mod tests;
