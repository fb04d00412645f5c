//! What the commit of a call says.

use std::collections::BTreeSet;

use super::calls::Call;
use super::rows::Rows;
use crate::git::{Message, Subject, Summary, Trailer};
use crate::model::{ArtifactId, EdgeEventKind, EdgeId, Run, RunKind};
use crate::storage::{AddArtifact, AddEvent, Change, Snapshot, StorageResult};

/// The message of a call; `rows` has the edges that it names.
pub(super) fn message(call: &Call, rows: &Rows) -> Message {
    let message = match &call.run {
        Some(run) if run.kind == RunKind::Query => {
            let question = call.param("question").unwrap_or_default();
            of_run(Message::new(Subject::Query { run: run.id, question: &question }), run, Trailer::QueryRunId)
        }
        Some(run) if run.kind == RunKind::Edit => {
            let what = what(call, rows);
            of_run(Message::new(Subject::Edit { run: run.id, what: &what }), run, Trailer::EditRunId)
        }
        run => remember(call, run.as_ref(), rows),
    };
    let message = message.summary(summary(call));
    events(call).fold(message, |message, event| message.event(event.kind, event.edge, &rows.fact(event.edge)))
}

/// The message of a call, with what it names read from storage.
pub(super) fn read<S: Snapshot>(snapshot: &S, call: &Call) -> StorageResult<Message> {
    let Some(commit) = &call.commit else { return Ok(message(call, &Rows::default())) };
    let added = if call.is_edit() { added_edge(call) } else { None };
    let named: BTreeSet<EdgeId> = events(call).map(|event| event.edge).chain(added).collect();
    Ok(message(call, &Rows::load(snapshot, commit, &named)?))
}

fn of_run(message: Message, run: &Run, key: Trailer) -> Message {
    message.trailer(Trailer::SessionId, run.session_id.as_deref().unwrap_or_default()).trailer(key, run.id)
}

fn remember(call: &Call, run: Option<&Run>, rows: &Rows) -> Message {
    let root = call.artifacts().find(|add| add.artifact.parent.is_none());
    let message = match (root, run) {
        (Some(root), _) => told(root),
        (None, Some(run)) if call.commit.is_none() => {
            let error = run.error.as_deref().unwrap_or("it stored nothing");
            Message::new(Subject::Failed { run: run.id, error })
                .trailer(Trailer::SessionId, run.session_id.as_deref().unwrap_or_default())
        }
        (None, Some(run)) => match deleted(call) {
            Some(artifact) => Message::new(Subject::Deleted { artifact }).trailer(Trailer::ArtifactId, artifact),
            None => Message::new(Subject::Edit { run: run.id, what: &what(call, rows) }),
        },
        (None, None) => Message::new(Subject::Rest),
    };
    let message = match run {
        Some(run) => message.trailer(Trailer::RememberRunId, run.id),
        None => message,
    };
    match call.artifacts().count() {
        0 | 1 => message,
        count => message.trailer(Trailer::Artifacts, count),
    }
}

fn told(AddArtifact { artifact, text }: &AddArtifact) -> Message {
    Message::new(Subject::Remember { artifact: artifact.id, text })
        .trailer(Trailer::ArtifactId, artifact.id)
        .trailer(Trailer::Kind, artifact.kind)
        .trailer(Trailer::SessionId, artifact.session_id.as_deref().unwrap_or_default())
        .trailer(Trailer::ValidAt, artifact.valid_at)
}

/// The artifact that a call had stored, by what else it told.
fn deleted(call: &Call) -> Option<ArtifactId> {
    call.changes().iter().find_map(|change| match change {
        Change::AddEntityEvent(event) => event.artifact,
        Change::AddEdge(add) => add.edge.artifact,
        Change::AddEvent(event) => event.artifact,
        _ => None,
    })
}

/// What an edit did.
fn what(call: &Call, rows: &Rows) -> String {
    let retracted = events(call).find(|event| event.kind == EdgeEventKind::Retracted);
    if let Some(event) = retracted {
        return format!("retract edge {}: {}", event.edge, rows.fact(event.edge));
    }
    let series = call.commit.iter().flat_map(|commit| &commit.series);
    let series: Vec<String> = series.map(ToString::to_string).collect();
    if !series.is_empty() {
        return format!("series {}", series.join(", "));
    }
    if let Some(edge) = added_edge(call) {
        return format!("add edge {edge}: {}", rows.fact(edge));
    }
    if call.changes().iter().any(|change| matches!(change, Change::SetDataset(_))) {
        return "describe the dataset".to_owned();
    }
    call.param("operation").unwrap_or_else(|| "nothing".to_owned())
}

fn added_edge(call: &Call) -> Option<EdgeId> {
    call.changes().iter().find_map(|change| match change {
        Change::AddEdge(add) => Some(add.edge.id),
        _ => None,
    })
}

/// The events that a line is given to: those that change a fact.
fn events(call: &Call) -> impl Iterator<Item = &AddEvent> {
    call.changes().iter().filter_map(|change| match change {
        Change::AddEvent(event) if event.kind != EdgeEventKind::Confirmed => Some(event),
        _ => None,
    })
}

/// How much a call changed. What became of a fact that is new is no change.
fn summary(call: &Call) -> Summary {
    let mut summary = Summary::default();
    let (mut new, mut confirmed, mut changed) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for change in call.changes() {
        match change {
            Change::AddEntity(_) => summary.entities += 1,
            Change::AddEdge(add) => {
                new.insert(add.edge.id);
            }
            Change::AddEvent(event) if new.contains(&event.edge) => {}
            Change::AddEvent(event) if event.kind == EdgeEventKind::Confirmed => {
                confirmed.insert(event.edge);
            }
            Change::AddEvent(event) => {
                changed.insert(event.edge);
            }
            _ => {}
        }
    }
    let count = |edges: BTreeSet<EdgeId>| edges.len() as u64;
    Summary { edges: count(new), confirmed: count(confirmed), changed: count(changed), ..summary }
}
