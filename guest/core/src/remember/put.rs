//! Series that come by themselves.

use super::observe::tell_series;
use super::pipeline::date_series;
use super::series::check_stored;
use super::state::{Question, State};
use super::validate::{Batch, Manner, check_put};
use super::{Observed, SeriesPut, SeriesPutAnswer};
use crate::commit::{Stop, commit_asking, read};
use crate::llm::Llm;
use crate::model::{Call, Failure};
use crate::plan::Draft;
use crate::reconcile::Overlay;
use crate::storage::{Dataset, Snapshot};

/// Writes series that come by themselves, in one commit. What is there already is none.
///
/// # Errors
/// When the request is malformed, an anchor has no target, or storage fails. Nothing is stored then; the failure has the
/// stages that were reached.
pub fn put_series<D: Dataset>(
    dataset: &D,
    llm: &impl Llm,
    call: &Call,
    request: SeriesPut,
) -> Result<SeriesPutAnswer, Failure> {
    let (batch, manner) = check_put(request, call)?;
    let mut state = State::default();
    let outcome = (|| {
        if manner.extractor.asks_a_model() && batch.observed != Observed::Nothing {
            read(dataset, |snapshot: &D::Snapshot| check_stored(snapshot, &batch))?;
        }
        commit_asking(
            dataset,
            &mut state,
            |state, snapshot| plan(snapshot, &batch, &manner, state),
            |state, question| state.ask(question, &manner, llm),
        )
    })();
    let (mut answer, committed) = outcome.map_err(|failure| state.log.fail(failure))?;
    if let Some(committed) = committed {
        date_series(&mut answer, committed);
    }
    Ok(answer)
}

fn plan<S: Snapshot>(
    snapshot: &S,
    batch: &Batch,
    manner: &Manner,
    state: &mut State,
) -> Result<(Draft, SeriesPutAnswer), Stop<Question>> {
    let head = snapshot.head()?;
    let (overlay, series) = tell_series(Overlay::new(snapshot, &head), batch, manner, None, state)?;
    let mut log = state.log.clone();
    let (mut draft, answer) = series.finish(overlay, &mut log)?;
    draft.stages = log.into_stages();
    Ok((draft, answer))
}
