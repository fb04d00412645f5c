//! Contradictions that no rule of a relation settles: of two facts that can't be true at a time, the one that begins
//! earlier ends where the other begins.
//!
//! Where contradictions cut a fact is kept in [`Bounds::contradicted_at`], apart from the limit that its relation sets,
//! and who cut it is the cause of the event that did. So a retraction can give back what only the retracted fact cut.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::functional::limited;
use super::overlay::{Overlay, event};
use crate::model::{ArtifactId, Bounds, Edge, EdgeEvent, EdgeEventKind, EdgeId, Page, StartSource};
use crate::storage::rules::MAX_ITEMS;
use crate::storage::{EventFilter, Snapshot, StorageResult};
use crate::time::Date;
use crate::vocabulary;

/// Which of two facts that contradict each other ends where the other begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// None: they hold at different times, or nobody knows which began first.
    Neither,
    /// The known one.
    Known,
    /// The new one.
    New,
}

/// Settles a contradiction between a new fact and a known one that is live.
#[must_use]
pub fn verdict(new: &Bounds, known: &Bounds) -> Verdict {
    let ended_by = |bounds: &Bounds, other: &Bounds| bounds.invalid_at.is_some_and(|end| end.at <= other.valid_at.at);
    let unknown = |bounds: &Bounds| bounds.start_source == StartSource::Unknown;
    if ended_by(known, new) || ended_by(new, known) || (unknown(known) && unknown(new)) {
        Verdict::Neither
    } else if known.valid_at.at <= new.valid_at.at {
        Verdict::Known
    } else {
        Verdict::New
    }
}

/// The bounds of a fact that is contradicted from this date on.
fn cut(bounds: &Bounds, at: Date) -> Bounds {
    let earliest = bounds.contradicted_at.filter(|known| known.at <= at.at).unwrap_or(at);
    // A row that is closed already keeps the limit that closed it, if that is the earlier one.
    let limit = bounds.invalid_at.filter(|_| bounds.expired_at.is_some());
    limited(&Bounds { contradicted_at: Some(earliest), ..*bounds }, limit)
}

/// Settles the contradictions of a row that the plan has just added; whether one closed it.
pub(super) fn contradict<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    new: EdgeId,
    known: &[EdgeId],
    artifact: Option<ArtifactId>,
) -> StorageResult<bool> {
    let mut rows = Vec::new();
    for &id in known.iter().filter(|id| **id != new).collect::<BTreeSet<_>>() {
        rows.extend(overlay.edge(id)?.filter(|row| row.bounds.is_live()));
    }
    let Some(mut new) = overlay.edge(new)? else { return Ok(false) };
    // The latest first, so that each that cuts the new row is in its log, should an earlier one be retracted.
    rows.sort_by_key(|row| Reverse((row.bounds.valid_at.at, row.id)));
    let told = new.bounds;
    let mut superseded = false;
    for mut row in rows {
        match verdict(&told, &row.bounds) {
            Verdict::Neither => {}
            Verdict::Known => {
                let (at, cause) = (new.bounds.valid_at, new.id);
                close(overlay, &mut row, EdgeEventKind::Invalidated, at, cause, artifact);
            }
            Verdict::New => {
                close(overlay, &mut new, EdgeEventKind::Superseded, row.bounds.valid_at, row.id, artifact);
                superseded = true;
            }
        }
    }
    Ok(superseded)
}

fn close<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    row: &mut Edge,
    kind: EdgeEventKind,
    at: Date,
    cause: EdgeId,
    artifact: Option<ArtifactId>,
) {
    let closing = event(row.id, kind, artifact, Some(cause), cut(&row.bounds, at));
    overlay.add_event(row, closing, format!("edge {cause} contradicts it; it holds until {at}"));
}

/// Gives back what a row that goes out of belief had cut.
pub(super) fn give_back<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    gone: EdgeId,
    limit_of: impl Fn(&Overlay<'_, S>, bool, &Edge) -> StorageResult<Option<Date>>,
) -> StorageResult<()> {
    let cuts = events(overlay.snapshot(), EventFilter::Cause(gone))?.into_iter().filter(is_cut);
    let cuts: BTreeSet<EdgeId> = cuts.map(|event| event.edge).collect();
    for id in cuts {
        let Some(mut row) = overlay.edge(id)?.filter(|row| row.bounds.retracted_at.is_none()) else { continue };
        let left = contradictions(overlay.snapshot(), id, gone)?;
        let earliest = left.iter().min_by_key(|(cause, at)| (at.at, *cause)).map(|(cause, at)| (*cause, *at));
        let contradicted_at = earliest.map(|(_, at)| at);
        if contradicted_at == row.bounds.contradicted_at {
            continue;
        }
        let rule = overlay.snapshot().get_predicates(std::slice::from_ref(&row.relation))?.pop();
        let functional = rule.unwrap_or_else(|| vocabulary::predicate(&row.relation)).functional;
        let limit = limit_of(overlay, functional, &row)?;
        let after = limited(&Bounds { contradicted_at, ..row.bounds }, limit);
        let (kind, reason) = match after.invalid_at {
            Some(end) if after.expired_at.is_some() => (EdgeEventKind::Revised, format!("now it holds until {end}")),
            _ => (EdgeEventKind::Reopened, "nothing contradicts it any more".to_owned()),
        };
        let cause = earliest.filter(|(_, at)| after.invalid_at == Some(*at)).map_or(gone, |(cause, _)| cause);
        overlay.add_event(&mut row, event(id, kind, None, Some(cause), after), reason);
    }
    Ok(())
}

/// Who contradicts a row and from when on, but for one that goes and those that went before.
fn contradictions<S: Snapshot>(snapshot: &S, id: EdgeId, gone: EdgeId) -> StorageResult<BTreeMap<EdgeId, Date>> {
    let log = events(snapshot, EventFilter::Edge(id))?;
    let cuts = log.iter().filter(|event| is_cut(event));
    let cuts: Vec<(EdgeId, Date)> = cuts.filter_map(|event| event.cause.zip(event.after.contradicted_at)).collect();
    let causes: BTreeSet<EdgeId> = cuts.iter().map(|(cause, _)| *cause).filter(|cause| *cause != gone).collect();
    let causes: Vec<EdgeId> = causes.into_iter().collect();
    if causes.is_empty() {
        return Ok(BTreeMap::new());
    }
    let believed = snapshot.get_edges(&causes)?.into_iter().filter(|edge| edge.bounds.retracted_at.is_none());
    let believed: BTreeSet<EdgeId> = believed.map(|edge| edge.id).collect();
    Ok(cuts.into_iter().filter(|(cause, _)| believed.contains(cause)).collect())
}

/// Whether an event says that another row contradicts this one. It changes no bounds if a third row does so from the
/// same date on; the events of a relation's rule always change some.
fn is_cut(event: &EdgeEvent) -> bool {
    let before = event.before.and_then(|before| before.contradicted_at);
    matches!(event.kind, EdgeEventKind::Invalidated | EdgeEventKind::Superseded)
        && event.after.contradicted_at.is_some()
        && (before != event.after.contradicted_at || event.before == Some(event.after))
}

fn events<S: Snapshot>(snapshot: &S, filter: EventFilter) -> StorageResult<Vec<EdgeEvent>> {
    let mut events = Vec::new();
    let mut page = Page { limit: MAX_ITEMS, after: None };
    loop {
        let part = snapshot.list_events(filter, page)?;
        events.extend(part.events);
        if part.next.is_none() {
            return Ok(events);
        }
        page.after = part.next;
    }
}
