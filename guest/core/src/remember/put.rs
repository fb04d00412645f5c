//! Series that come by themselves.

use super::series::write;
use super::validate::check_put;
use super::{SeriesPut, SeriesPutAnswer};
use crate::commit::commit;
use crate::llm::Llm;
use crate::model::{Call, Failure};
use crate::reconcile::Overlay;
use crate::stage::Log;
use crate::storage::{Dataset, Snapshot};

/// Writes series that come by themselves, in one commit.
///
/// # Errors
/// When the request is malformed, an anchor has no target, or storage fails. Nothing is stored then.
pub fn put_series<D: Dataset>(
    dataset: &D,
    _llm: &impl Llm,
    call: &Call,
    request: SeriesPut,
) -> Result<SeriesPutAnswer, Failure> {
    let (batch, _) = check_put(request, call)?;
    let (answer, _) = commit(dataset, |snapshot| {
        let head = snapshot.head()?;
        let mut overlay = Overlay::new(snapshot, &head);
        let written = write(&mut overlay, &batch, None, None)?;
        let mut log = Log::default();
        written.log(&mut log);
        let (series, warnings) = written.finish(&mut overlay);
        let mut draft = overlay.into_draft();
        draft.stages = log.into_stages();
        Ok((draft, SeriesPutAnswer { series, observations: Vec::new(), warnings }))
    })?;
    Ok(answer)
}
