//! The calls of a dataset in the order of their ends, each with what it changed.

use std::collections::VecDeque;

use crate::model::{Run, RunKind};
use crate::storage::{AddArtifact, Change, CommitLog, Snapshot, StorageResult};
use crate::time::Micros;

/// Most calls that are read at once: what they say is as long as callers make it.
const PAGE: u32 = 32;

/// A call that has ended. It has a run, or a commit of which no run tells, or both.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) seq: u64,
    pub(super) run: Option<Run>,
    pub(super) commit: Option<CommitLog>,
}

impl Call {
    /// When it was.
    pub(super) fn at(&self) -> Micros {
        let began = self.run.as_ref().map(|run| run.started_at);
        began.or_else(|| self.commit.as_ref().map(|commit| commit.at)).unwrap_or_default()
    }

    /// What it changed.
    pub(super) fn changes(&self) -> &[Change] {
        self.commit.as_ref().map_or(&[], |commit| &commit.changes)
    }

    /// What it stored of texts.
    pub(super) fn artifacts(&self) -> impl Iterator<Item = &AddArtifact> {
        self.changes().iter().filter_map(|change| match change {
            Change::AddArtifact(add) => Some(add),
            _ => None,
        })
    }

    /// Whether it is an edit.
    pub(super) fn is_edit(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.kind == RunKind::Edit)
    }

    /// A text among what was asked for.
    pub(super) fn param(&self, name: &str) -> Option<String> {
        let params: serde_json::Value = serde_json::from_str(&self.run.as_ref()?.params).ok()?;
        Some(params.get(name)?.as_str()?.to_owned())
    }
}

/// Reads calls page by page.
#[derive(Debug)]
pub(super) struct Calls {
    until: u64,
    /// How many are read at once.
    page: u32,
    runs: Ahead<Run>,
    commits: Ahead<CommitLog>,
    current: Option<Call>,
}

impl Calls {
    /// Those with a `seq` after this one, up to another one.
    pub(super) fn new(after: u64, until: u64) -> Self {
        let page = u32::try_from(until.saturating_sub(after)).unwrap_or(PAGE).clamp(1, PAGE);
        Self { until, page, runs: Ahead::new(after), commits: Ahead::new(after), current: None }
    }

    /// The call that was not passed yet; `None`: all were. Snapshots may be newer from call to call.
    pub(super) fn current<S: Snapshot>(&mut self, snapshot: &S) -> StorageResult<Option<&Call>> {
        if self.current.is_none() {
            self.runs.fill(|after| snapshot.list_runs(after, self.page).map(|page| (page.runs, page.more)))?;
            self.commits.fill(|after| snapshot.list_commits(after, self.page).map(|page| (page.commits, page.more)))?;
            let seqs = [self.runs.seq(), self.commits.seq()];
            let first = seqs.into_iter().flatten().min().filter(|seq| *seq <= self.until);
            self.current = first.map(|seq| Call { seq, run: self.runs.take(seq), commit: self.commits.take(seq) });
        }
        Ok(self.current.as_ref())
    }

    /// Goes on to the next.
    pub(super) fn pass(&mut self) {
        self.current = None;
    }

    /// The next call, passed.
    pub(super) fn next<S: Snapshot>(&mut self, snapshot: &S) -> StorageResult<Option<Call>> {
        self.current(snapshot)?;
        Ok(self.current.take())
    }
}

/// What has a `seq`.
trait Numbered {
    fn seq(&self) -> u64;
}

impl Numbered for Run {
    fn seq(&self) -> u64 {
        self.seq
    }
}

impl Numbered for CommitLog {
    fn seq(&self) -> u64 {
        self.seq
    }
}

/// A list that is read ahead.
#[derive(Debug)]
struct Ahead<T> {
    items: VecDeque<T>,
    after: u64,
    is_end: bool,
}

impl<T: Numbered> Ahead<T> {
    fn new(after: u64) -> Self {
        Self { items: VecDeque::new(), after, is_end: false }
    }

    fn fill(&mut self, read: impl FnOnce(u64) -> StorageResult<(Vec<T>, bool)>) -> StorageResult<()> {
        if self.items.is_empty() && !self.is_end {
            let (items, more) = read(self.after)?;
            self.after = items.last().map_or(self.after, T::seq);
            self.is_end = !more;
            self.items = items.into();
        }
        Ok(())
    }

    fn seq(&self) -> Option<u64> {
        self.items.front().map(T::seq)
    }

    fn take(&mut self, seq: u64) -> Option<T> {
        if self.seq() == Some(seq) { self.items.pop_front() } else { None }
    }
}
