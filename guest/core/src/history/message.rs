//! What the commit of a call says.

use std::collections::BTreeSet;
use std::fmt;

use super::calls::Call;
use super::rows::Rows;
use crate::git::{Message, Subject, Summary, Trailer};
use crate::model::{ArtifactId, EdgeEventKind, EdgeId, Run, RunKind};
use crate::series::request::DEFAULT_FIELD;
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
    let series: Vec<String> = sent(call).iter().map(ToString::to_string).collect();
    if !series.is_empty() {
        return format!("put series {}", series.join(", "));
    }
    let series = call.commit.iter().flat_map(|commit| &commit.series);
    let series: Vec<String> = series.map(ToString::to_string).collect();
    if !series.is_empty() {
        return format!("change series {}", series.join(", "));
    }
    if let Some(edge) = added_edge(call) {
        return format!("add edge {edge}: {}", rows.fact(edge));
    }
    if call.changes().iter().any(|change| matches!(change, Change::SetDataset(_))) {
        return "describe the dataset".to_owned();
    }
    call.param("operation").unwrap_or_else(|| "nothing".to_owned())
}

/// A series as the log has it of a call that put it.
#[derive(serde::Deserialize)]
struct Sent {
    key: String,
    field: String,
    points: u64,
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        if self.field != DEFAULT_FIELD {
            write!(f, "/{}", self.field)?;
        }
        write!(f, " ({} points)", self.points)
    }
}

/// The series that a call put.
fn sent(call: &Call) -> Vec<Sent> {
    #[derive(serde::Deserialize)]
    struct Params {
        series: Vec<Sent>,
    }
    let params = call.run.as_ref().and_then(|run| serde_json::from_str::<Params>(&run.params).ok());
    params.map_or_else(Vec::new, |params| params.series)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Artifact, ArtifactKind, Bounds, Moment, RunId, StartSource};
    use crate::storage::CommitLog;
    use crate::time::{Date, Instant, Micros};

    fn run(kind: RunKind) -> Run {
        Run {
            id: RunId(7),
            seq: 3,
            kind,
            params: "{}".to_owned(),
            session_id: None,
            started_at: Micros(0),
            ended_at: Micros(0),
            changed_at: None,
            error: None,
            stages: Vec::new(),
            model_calls: Vec::new(),
        }
    }

    fn text(parent: Option<ArtifactId>) -> Change {
        let artifact = Artifact {
            id: ArtifactId(5),
            parent,
            series: None,
            kind: ArtifactKind::Episode,
            bytes: 2,
            title: None,
            session_id: None,
            wing: None,
            valid_at: Instant(0),
            created_at: Moment::Now,
        };
        Change::AddArtifact(AddArtifact { artifact, text: "Hi".to_owned() })
    }

    fn ended(artifact: Option<ArtifactId>) -> Change {
        let after = Bounds::stated(Date::second(Instant(0)), StartSource::Stated, None);
        Change::AddEvent(AddEvent { edge: EdgeId(9), kind: EdgeEventKind::Ended, artifact, cause: None, after })
    }

    fn check(run: Option<Run>, changes: Option<Vec<Change>>, subject: &str) {
        let commit = changes.map(|changes| CommitLog { seq: 3, at: Micros(1), changes, series: Vec::new() });
        let call = Call { seq: 3, run, commit };
        assert_eq!(message(&call, &Rows::default()).subject(), subject);
    }

    #[test]
    fn a_subject_says_what_is_left_of_a_call() {
        let remember = || Some(run(RunKind::Remember));
        check(remember(), Some(vec![text(None)]), "remember #5: Hi");
        check(remember(), None, "remember run #7 failed: it stored nothing");
        check(remember(), Some(vec![ended(Some(ArtifactId(4)))]), "remember #4: (deleted)");
        check(remember(), Some(vec![text(Some(ArtifactId(1)))]), "edit #7: nothing");
        check(None, Some(vec![text(None)]), "remember #5: Hi");
        check(None, Some(vec![ended(None)]), "entities and facts that no call accounts for");
        check(Some(run(RunKind::Query)), None, "query #7:");
        let params = r#"{"series":[{"key":"AAPL","field":"price","points":3},{"key":"k","field":"value","points":0}]}"#;
        let put = Run { params: params.to_owned(), ..run(RunKind::Edit) };
        check(Some(put), Some(vec![]), "edit #7: put series AAPL/price (3 points), k (0 points)");
        let retracted = Change::AddEvent(AddEvent {
            kind: EdgeEventKind::Retracted,
            ..match ended(None) {
                Change::AddEvent(event) => event,
                _ => unreachable!("an event"),
            }
        });
        check(Some(run(RunKind::Edit)), Some(vec![retracted]), "edit #7: retract edge 9: (deleted)");
    }
}
