//! Facts in time, with what closed each.

use std::collections::BTreeMap;

use super::facts::{Belief, find, list, name_facts};
use super::{Closing, FactsRequest, TimelineAnswer, TimelineFact, When};
use crate::check::label;
use crate::commit::Trouble;
use crate::model::{Bounds, Call, EdgeEventKind, EdgeId, Failure};
use crate::storage::rules::MAX_NAME;
use crate::storage::{Snapshot, Standing, StorageResult};

/// Facts in time, retracted ones too, each with what closed it.
///
/// # Errors
/// When the request is malformed, asks for facts at one time, or storage fails.
pub fn timeline<S: Snapshot>(snapshot: &S, call: &Call, request: &FactsRequest) -> Result<TimelineAnswer, Failure> {
    if matches!(request.at, When::Now | When::At(_)) {
        return Err(Failure::field("at", "a timeline shows all times; use from and until to narrow it"));
    }
    label("entity", request.entity.as_deref().unwrap_or_default(), MAX_NAME)?;
    Ok(timeline_of(snapshot, call, request)?)
}

fn timeline_of<S: Snapshot>(snapshot: &S, call: &Call, request: &FactsRequest) -> Result<TimelineAnswer, Trouble> {
    let list = list("timeline", request);
    let (edges, next) = find(snapshot, call, request, list, Standing::Any)?;
    let belief = Belief::of(snapshot, request.known_at)?;
    let closings = closings(snapshot, edges.iter().map(|edge| (edge.id, &edge.bounds)), belief)?;
    let facts = name_facts(snapshot, edges)?.into_iter().map(|fact| {
        let closed_by = closings.get(&fact.edge.id).copied();
        TimelineFact { fact, closed_by }
    });
    Ok(TimelineAnswer { facts: facts.collect(), cursor: next.map(|next| list.cursor(next)) })
}

/// The kinds of event that can have closed a fact with these bounds; empty while it is open.
fn closing_kinds(bounds: &Bounds) -> &'static [EdgeEventKind] {
    if bounds.retracted_at.is_some() {
        &[EdgeEventKind::Retracted]
    } else if bounds.expired_at.is_some() {
        &[EdgeEventKind::Invalidated, EdgeEventKind::Superseded, EdgeEventKind::Revised]
    } else if bounds.invalid_at.is_some() {
        &[EdgeEventKind::Created, EdgeEventKind::Ended]
    } else {
        &[]
    }
}

fn closings<'e, S: Snapshot>(
    snapshot: &S,
    edges: impl Iterator<Item = (EdgeId, &'e Bounds)>,
    belief: Belief,
) -> StorageResult<BTreeMap<EdgeId, Closing>> {
    let mut by_kinds: BTreeMap<&[EdgeEventKind], Vec<EdgeId>> = BTreeMap::new();
    for (id, bounds) in edges {
        by_kinds.entry(closing_kinds(bounds)).or_default().push(id);
    }
    by_kinds.remove(&[][..]);
    let mut closings = BTreeMap::new();
    for (kinds, ids) in by_kinds {
        for event in snapshot.last_events(&ids, kinds, belief.known_at())? {
            let closing =
                Closing { event: event.kind, at: event.at, artifact_id: event.artifact, edge_id: event.cause };
            closings.insert(event.edge, closing);
        }
    }
    Ok(closings)
}
