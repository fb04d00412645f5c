//! An export, step by step: calls are read, each becomes a commit, and parts of the repository come out.

use super::calls::{Call, Calls};
use super::files::{self, Replay};
use super::rows::Rows;
use super::{ExportRequest, Progress, Resume, message};
use crate::commit::Trouble;
use crate::git::files::Layout;
use crate::git::{
    CommitPlan, CommitTime, FileChange, GitError, Id, Kind, Message, Options, PACK_LIMIT, PART_LIMIT, Part, Subject,
    Writer,
};
use crate::model::{Failure, FailureCode, RunKind};
use crate::storage::{Head, Snapshot, StorageResult};
use crate::time::Micros;

/// Work that a step does without having enough to give: bytes of files, and [`CALL`] for each call.
const WORK: usize = 4 << 20;

/// What a call costs beside its files.
const CALL: usize = 64 << 10;

/// An export, pulled step by step. It ends with the calls that the snapshot of its first step has.
#[derive(Debug)]
pub struct Exporter {
    stage: Stage,
    progress: Progress,
    /// What is ready to be given.
    ready: Vec<Part>,
}

#[derive(Debug)]
enum Stage {
    /// Nothing was read.
    New(ExportRequest),
    Writing(Box<Work>),
    Published(Box<Work>),
    Done,
    /// It can't go on. What was visible before stays as it is.
    Failed(Failure),
}

impl Exporter {
    /// Begins or goes on.
    #[must_use]
    pub fn new(request: ExportRequest) -> Self {
        Self { stage: Stage::New(request), progress: Progress::default(), ready: Vec::new() }
    }

    /// The next pieces, maybe none yet; `None`: the repository is whole. When storage failed, the step can be made again.
    ///
    /// # Errors
    /// When the request is malformed, the state is not that of the commit, what was exported before is no beginning of
    /// the history any more, or storage fails.
    pub fn next<S: Snapshot>(&mut self, snapshot: &S) -> Result<Option<Vec<Part>>, Failure> {
        match self.step(snapshot) {
            Ok(more) => Ok(more.then(|| std::mem::take(&mut self.ready))),
            Err(Trouble::Storage(error)) => Err(error.into()),
            Err(Trouble::Failure(failure)) => {
                self.stage = Stage::Failed(failure.clone());
                Err(failure)
            }
        }
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Makes parts ready; whether there may be more.
    fn step<S: Snapshot>(&mut self, snapshot: &S) -> Result<bool, Trouble> {
        let mut work = 0;
        loop {
            match &mut self.stage {
                Stage::New(request) => {
                    let begun = Work::begin(request, snapshot, &mut self.progress)?;
                    self.stage = Stage::Writing(Box::new(begun));
                }
                Stage::Writing(writing) => {
                    if !take(&mut writing.writer, &mut self.ready) || work >= WORK {
                        return Ok(true);
                    }
                    match writing.add_call(snapshot, &mut self.progress)? {
                        Some(bytes) => work += CALL + bytes,
                        None => self.publish()?,
                    }
                }
                Stage::Published(published) => {
                    if !take(&mut published.writer, &mut self.ready) {
                        return Ok(true);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return Ok(!self.ready.is_empty()),
                Stage::Failed(failure) => return Err(failure.clone().into()),
            }
        }
    }

    fn publish(&mut self) -> Result<(), Trouble> {
        if let Stage::Writing(mut work) = std::mem::replace(&mut self.stage, Stage::Done) {
            work.publish()?;
            self.progress.seq = self.progress.until;
            self.stage = Stage::Published(work);
        }
        Ok(())
    }
}

/// Takes what a writer has ready, up to what one step gives; whether it has no more.
fn take(writer: &mut Writer, ready: &mut Vec<Part>) -> bool {
    let mut bytes: usize = ready.iter().map(|part| part.bytes.len()).sum();
    while bytes < PART_LIMIT {
        let Some(part) = writer.next_part() else { return true };
        bytes += part.bytes.len();
        ready.push(part);
    }
    false
}

/// An export that goes on.
#[derive(Debug)]
struct Work {
    writer: Writer,
    calls: Calls,
    replay: Replay,
    place: Place,
    /// Whether earlier commits were made by another export, so that erasing is noticed by nobody else.
    is_resumed: bool,
}

impl Work {
    fn begin<S: Snapshot>(request: &ExportRequest, snapshot: &S, progress: &mut Progress) -> Result<Self, Trouble> {
        let head = snapshot.head()?;
        let options = options(request)?;
        let mut place = Place::start(&head, request);
        let (writer, is_resumed) = match &request.resume {
            None => (Writer::new(options, &head.name), false),
            Some(resume) => writer(options, resume)?,
        };
        if is_resumed {
            place = Place::read(writer.note(), &place)?;
            place.check(snapshot, &head)?;
        }
        let calls = Calls::new(place.seq, head.seq);
        let replay = Replay::new(head.name.clone(), request.layout, request.series);
        let mut work = Self { writer, calls, replay, place, is_resumed };
        *progress = Progress { seq: work.place.seq, until: head.seq, commits: 0 };
        if !is_resumed {
            let first = work.calls.current(snapshot)?.map(Call::at);
            let at = first.map_or(head.created_at, |first| first.min(head.created_at));
            let message = Message::new(Subject::Begin { dataset: &head.name });
            work.apply(at, message, work.replay.begin())?;
            progress.commits += 1;
        }
        Ok(work)
    }

    /// Makes the commit of the next call, if that is one; how many bytes its files have. `None`: there is no call left.
    fn add_call<S: Snapshot>(&mut self, snapshot: &S, progress: &mut Progress) -> Result<Option<usize>, Trouble> {
        let Some(call) = self.calls.current(snapshot)? else { return Ok(None) };
        if self.is_resumed && self.place.series && erases_points(call) {
            return Err(moved("points of series were erased that it has").into());
        }
        let (mut changes, message) = match &call.commit {
            Some(commit) => {
                let rows = Rows::load(snapshot, commit, &files::touched(commit))?;
                (self.replay.changes(snapshot, commit, &rows)?, message::message(call, &rows))
            }
            None => (Vec::new(), message::message(call, &Rows::default())),
        };
        let (seq, at) = (call.seq, call.at());
        if call.is_edit() {
            changes.retain(|change| changes_file(&self.writer, change));
        }
        let is_commit = !call.is_edit() || !changes.is_empty();
        changes.extend(self.replay.run(call));
        let bytes = changes.iter().map(length).sum();
        self.calls.pass();
        if is_commit {
            self.apply(at, message, changes)?;
            progress.commits += 1;
        }
        progress.seq = seq;
        self.place = Place { seq, at, ..self.place };
        if self.writer.is_pack_nearly_full() {
            self.publish()?;
        }
        Ok(Some(bytes))
    }

    fn apply(&mut self, at: Micros, message: Message, changes: Vec<FileChange>) -> Result<(), Trouble> {
        let time = CommitTime::new(at.to_instant().0);
        self.writer.apply(CommitPlan { time, message, changes })?;
        Ok(())
    }

    fn publish(&mut self) -> Result<(), Trouble> {
        self.writer.set_note(self.place.write());
        self.writer.publish()?;
        Ok(())
    }
}

/// Where an export stands in the history, and what it is like: what a saved state notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// The last call.
    seq: u64,
    /// When that was.
    at: Micros,
    created_at: Micros,
    layout: Layout,
    series: bool,
}

impl Place {
    fn start(head: &Head, request: &ExportRequest) -> Self {
        let (layout, series) = (request.layout, request.series);
        Self { seq: 0, at: head.created_at, created_at: head.created_at, layout, series }
    }

    fn write(&self) -> String {
        let Self { seq, at, created_at, layout, series } = self;
        format!("{seq} {} {} {layout} {series}", at.0, created_at.0)
    }

    /// The place that a state noted, for an export that is to be like this one.
    fn read(note: &[u8], wanted: &Self) -> Result<Self, Failure> {
        let damaged = || Failure::from(GitError::State { problem: "its note is damaged" });
        let words: Vec<&str> = std::str::from_utf8(note).map_err(|_| damaged())?.split(' ').collect();
        let read = || {
            let &[seq, at, created_at, layout, series] = words.as_slice() else { return None };
            let [at, created_at] = [at, created_at].map(|at| at.parse().ok().map(Micros));
            let (layout, series) = (Layout::from_word(layout)?, series.parse().ok()?);
            Some(Self { seq: seq.parse().ok()?, at: at?, created_at: created_at?, layout, series })
        };
        let place = read().ok_or_else(damaged)?;
        if place.layout != wanted.layout {
            let message = format!("the repository has the layout {}; ask for that, or export anew", place.layout);
            return Err(Failure::field("layout", message));
        }
        if place.series != wanted.series {
            let has = if place.series { "has points of series" } else { "has no points of series" };
            return Err(Failure::field("series", format!("the repository {has}; ask for the same, or export anew")));
        }
        Ok(place)
    }

    /// Whether the history still leads here.
    fn check<S: Snapshot>(&self, snapshot: &S, head: &Head) -> Result<(), Trouble> {
        let is_there = head.created_at == self.created_at && (self.seq == 0 || self.is_call(snapshot)?);
        if is_there { Ok(()) } else { Err(moved("the dataset is another one, or lost its last calls").into()) }
    }

    fn is_call<S: Snapshot>(&self, snapshot: &S) -> StorageResult<bool> {
        let mut last = Calls::new(self.seq - 1, self.seq);
        Ok(last.current(snapshot)?.is_some_and(|call| call.at() == self.at))
    }
}

fn options(request: &ExportRequest) -> Result<Options, Failure> {
    let pack_limit = request.pack_limit as usize;
    if !(1..=PACK_LIMIT).contains(&pack_limit) {
        let message = format!("is {pack_limit}; it must be from 1 to {PACK_LIMIT} bytes");
        return Err(Failure::field("pack_limit", message));
    }
    Ok(Options { format: request.format, pack_limit, ..Options::default() })
}

/// A writer that goes on, and whether it has the state of an earlier one.
fn writer(options: Options, resume: &Resume) -> Result<(Writer, bool), Failure> {
    let head = Id::from_hex(&resume.head)
        .ok_or_else(|| Failure::field("resume.head", "is no commit; give the 40 hexadecimal digits of the branch"))?;
    match &resume.state {
        Some(state) => Ok((Writer::resume(options, head, state)?, true)),
        None => Ok((Writer::catch_up(options, head, resume.packs.clone()), false)),
    }
}

/// Whether a call erased points, which exports before it have.
fn erases_points(call: &Call) -> bool {
    let done = call.run.as_ref().is_some_and(|run| run.kind == RunKind::Edit && run.changed_at.is_some());
    done && matches!(call.param("operation").as_deref(), Some("delete_series" | "delete_points"))
}

fn changes_file(writer: &Writer, change: &FileChange) -> bool {
    match change {
        FileChange::Put { path, content } => writer.get(path) != Some(Id::of(Kind::Blob, content)),
        FileChange::Remove { .. } => true,
    }
}

fn length(change: &FileChange) -> usize {
    match change {
        FileChange::Put { content, .. } => content.len(),
        FileChange::Remove { .. } => 0,
    }
}

fn moved(why: &str) -> Failure {
    let message = format!(
        "the repository can't be gone on with: {why}; export anew to another directory, or delete this one first"
    );
    Failure::new(FailureCode::Conflict, message).about("resume")
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        let message = error.to_string();
        match error {
            GitError::State { .. } | GitError::Unreached { .. } => {
                Self::new(FailureCode::Conflict, message).about("resume")
            }
            GitError::Path { .. } | GitError::Conflict { .. } | GitError::Missing { .. } => {
                Self::new(FailureCode::Internal, message)
            }
        }
    }
}

impl From<GitError> for Trouble {
    fn from(error: GitError) -> Self {
        Self::Failure(error.into())
    }
}
