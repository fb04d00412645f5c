//! What calls did, as a list.

use std::collections::BTreeSet;

use super::calls::{Call, Calls};
use super::message;
use super::rows::{ROWS, ends};
use super::{Entry, HistoryAnswer, HistoryRequest};
use crate::check::limit;
use crate::commit::Trouble;
use crate::cursor::List;
use crate::model::{Edge, EdgeId, EntityId, Failure, Page, Position, RunId, RunKind};
use crate::storage::{Change, EventFilter, Snapshot, StorageResult};

/// Most calls of a list.
const MAX_ENTRIES: u32 = 1_000;

/// Commits that are looked at for an entity before a page ends, however many of them touched it.
const SCANNED: u32 = 2_000;

/// What calls did, oldest first. What touched an entity is looked for call by call, so a page may have fewer entries
/// than asked for, or none, and lead on all the same.
///
/// # Errors
/// When the request is malformed or storage fails.
pub fn list_history<S: Snapshot>(snapshot: &S, request: &HistoryRequest) -> Result<HistoryAnswer, Failure> {
    Ok(list(snapshot, request)?)
}

fn list<S: Snapshot>(snapshot: &S, request: &HistoryRequest) -> Result<HistoryAnswer, Trouble> {
    let limit = limit(request.limit, MAX_ENTRIES)? as usize;
    let list = List::new("history", &(request.entity, request.edge));
    let after = list.position(request.cursor.as_deref())?.map_or(0, |position| position.id);
    let until = snapshot.head()?.seq;
    let (calls, next) = match request.edge {
        Some(edge) => of_edge(snapshot, edge, request.entity, after, limit)?,
        None => scan(snapshot, request.entity, after, until, limit)?,
    };
    let entries = calls.iter().map(|call| entry(snapshot, call)).collect::<StorageResult<Vec<Entry>>>()?;
    Ok(HistoryAnswer { entries, cursor: next.map(|seq| list.cursor(Position { at: 0, id: seq })) })
}

fn entry<S: Snapshot>(snapshot: &S, call: &Call) -> StorageResult<Entry> {
    let message = message::read(snapshot, call)?;
    let told = if call.artifacts().next().is_some() { RunKind::Remember } else { RunKind::Edit };
    Ok(Entry {
        seq: call.seq,
        run_id: call.run.as_ref().map_or(RunId(0), |run| run.id),
        kind: call.run.as_ref().map_or(told, |run| run.kind),
        at: call.at(),
        failed: call.run.as_ref().is_some_and(|run| run.error.is_some()),
        subject: message.subject().to_owned(),
        lines: message.into_body(),
    })
}

/// Calls and where the list goes on.
type Found = (Vec<Call>, Option<u64>);

/// The calls in order, those that touched an entity if one is given.
fn scan<S: Snapshot>(
    snapshot: &S,
    entity: Option<EntityId>,
    after: u64,
    until: u64,
    limit: usize,
) -> StorageResult<Found> {
    let mut calls = Calls::new(after, until);
    let (mut found, mut scanned) = (Vec::new(), 0);
    let mut last = after;
    while let Some(call) = calls.current(snapshot)? {
        if found.len() == limit || scanned == SCANNED {
            return Ok((found, Some(last)));
        }
        last = call.seq;
        let fits = match entity {
            None => true,
            Some(entity) => touches(snapshot, call, entity)?,
        };
        scanned += u32::from(entity.is_some() && call.commit.is_some());
        if fits {
            found.extend(calls.next(snapshot)?);
        } else {
            calls.pass();
        }
    }
    Ok((found, None))
}

/// The calls that touched an edge: each left an event in its log.
fn of_edge<S: Snapshot>(
    snapshot: &S,
    edge: EdgeId,
    entity: Option<EntityId>,
    after: u64,
    limit: usize,
) -> StorageResult<Found> {
    if let Some(entity) = entity
        && !snapshot.get_edges(&[edge])?.iter().flat_map(ends).any(|end| end == entity)
    {
        return Ok((Vec::new(), None));
    }
    let mut page = Page { limit: MAX_ENTRIES, after: Some(end_of(after)) };
    let mut found: Vec<Call> = Vec::new();
    loop {
        let events = snapshot.list_events(EventFilter::Edge(edge), page)?;
        let seqs: BTreeSet<u64> = events.events.iter().map(|event| event.seq).collect();
        for seq in seqs {
            if found.last().is_some_and(|call| call.seq == seq) {
                continue;
            }
            if found.len() == limit {
                return Ok((found, Some(seq - 1)));
            }
            found.extend(Calls::new(seq - 1, seq).next(snapshot)?);
        }
        if events.next.is_none() {
            return Ok((found, None));
        }
        page.after = events.next;
    }
}

/// After every event of this commit.
fn end_of(seq: u64) -> Position {
    Position { at: i64::try_from(seq).unwrap_or(i64::MAX), id: u64::from(u32::MAX) }
}

/// Whether a call touched an entity or a fact of it.
fn touches<S: Snapshot>(snapshot: &S, call: &Call, entity: EntityId) -> StorageResult<bool> {
    let is_end = |edge: &Edge| ends(edge).any(|end| end == entity);
    let mut known: BTreeSet<EdgeId> = BTreeSet::new();
    for change in call.changes() {
        let told = match change {
            Change::AddEntity(add) => add.entity.id == entity,
            Change::AddEntityEvent(event) => event.entity == entity,
            Change::AddMention(mention) => mention.entity == entity,
            Change::AddEdge(add) => is_end(&add.edge),
            Change::AddEvent(event) => {
                known.insert(event.edge);
                false
            }
            _ => false,
        };
        if told {
            return Ok(true);
        }
    }
    let known: Vec<EdgeId> = known.into_iter().collect();
    for ids in known.chunks(ROWS) {
        if snapshot.get_edges(ids)?.iter().any(is_end) {
            return Ok(true);
        }
    }
    Ok(false)
}
