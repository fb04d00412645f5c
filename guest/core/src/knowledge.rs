//! What people change by hand. Each call is one commit.

use std::collections::BTreeSet;

use crate::check::label;
use crate::commit::{Trouble, commit};
use crate::model::{Call, EdgeId, Failure, FailureCode};
use crate::plan::{Draft, Step};
use crate::recall::{Fact, name_facts};
use crate::reconcile::{Overlay, apply};
use crate::storage::{Change, Dataset, SetDataset, Snapshot};
use crate::vocabulary;

const MAX_DESCRIPTION: usize = 4_000;
const MAX_TAGS: usize = 64;
const MAX_TAG: usize = 64;

/// What a retraction changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Retraction {
    /// The fact, out of belief from now on.
    pub fact: Fact,
    /// Facts that it had closed and that hold longer now, ascending.
    pub reopened_edges: Vec<EdgeId>,
}

/// What people say of a dataset; `None` leaves it as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetRequest {
    /// At most 4,000 bytes.
    pub description: Option<String>,
    /// At most 64 tags of 1 to 64 bytes.
    pub tags: Option<Vec<String>>,
}

/// Takes a fact out of belief; what only it had closed holds again.
///
/// # Errors
/// When there is no such fact, it is retracted already, or storage fails.
pub fn retract<D: Dataset>(dataset: &D, _call: &Call, edge: EdgeId) -> Result<Retraction, Failure> {
    let (mut retraction, committed) = commit(dataset, |snapshot| plan_retraction(snapshot, edge))?;
    let committed = committed.expect("a plan of retract has at least the retraction");
    crate::commit::date_edge(&mut retraction.fact.edge, committed);
    Ok(retraction)
}

fn plan_retraction<S: Snapshot>(snapshot: &S, id: EdgeId) -> Result<(Draft, Retraction), Trouble> {
    let head = snapshot.head()?;
    let row = snapshot.get_edges(&[id])?.pop();
    let row =
        row.ok_or_else(|| Failure::new(FailureCode::NotFound, format!("there is no edge {id} in this dataset")))?;
    if let Some(at) = row.bounds.retracted_at {
        let message = format!("edge {id} was retracted at {at} already");
        return Err(Failure::new(FailureCode::Conflict, message).into());
    }
    let rule = snapshot.get_predicates(std::slice::from_ref(&row.relation))?.pop();
    let functional = rule.unwrap_or_else(|| vocabulary::predicate(&row.relation)).functional;
    let mut overlay = Overlay::new(snapshot, &head);
    let row = apply::retract(&mut overlay, row, functional)?;
    let fact = name_facts(snapshot, vec![row])?.swap_remove(0);
    let reopened_edges = overlay.reopened();
    Ok((overlay.into_draft(), Retraction { fact, reopened_edges }))
}

/// Changes what people say of the dataset. Whether anything changed.
///
/// # Errors
/// When a field is malformed, or storage fails.
pub fn put_dataset<D: Dataset>(dataset: &D, _call: &Call, request: &DatasetRequest) -> Result<bool, Failure> {
    let wanted = check_dataset(request)?;
    let ((), committed) = commit(dataset, |snapshot| {
        let head = snapshot.head()?;
        let set = SetDataset {
            description: wanted.description.clone().filter(|description| *description != head.description),
            tags: wanted.tags.clone().filter(|tags| *tags != head.tags),
        };
        let change = (set != SetDataset::default())
            .then(|| Step { change: Change::SetDataset(set), reason: "asked for".to_owned() });
        Ok((Draft { version: head.version, steps: change.into_iter().collect(), stages: Vec::new() }, ()))
    })?;
    Ok(committed.is_some())
}

fn check_dataset(request: &DatasetRequest) -> Result<SetDataset, Failure> {
    if let Some(description) = &request.description
        && (description.len() > MAX_DESCRIPTION || description.contains('\0'))
    {
        let message = format!("must have at most {MAX_DESCRIPTION} bytes and no NUL");
        return Err(Failure::field("description", message));
    }
    let tags = request.tags.as_ref().map(|tags| {
        if tags.len() > MAX_TAGS {
            return Err(Failure::field("tags", format!("has {} items; at most {MAX_TAGS} are possible", tags.len())));
        }
        let tags = tags.iter().enumerate().map(|(place, tag)| label(&format!("tags[{place}]"), tag, MAX_TAG));
        Ok(tags.collect::<Result<BTreeSet<String>, Failure>>()?.into_iter().collect())
    });
    Ok(SetDataset { description: request.description.clone(), tags: tags.transpose()? })
}
