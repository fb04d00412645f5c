//! An export, step by step: commits are planned by one side and taken as parts of files by the other.

use std::fmt;

use super::error::GitError;
use super::id::Id;
use super::message::Message;
use super::object::CommitTime;
use super::part::Part;
use super::path::TreePath;
use super::writer::Writer;

/// What happens to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// It has this content from now on.
    Put {
        /// Where it is.
        path: TreePath,
        /// Its bytes.
        content: Vec<u8>,
    },
    /// It goes.
    Remove {
        /// Where it was.
        path: TreePath,
    },
}

/// A commit to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitPlan {
    /// When.
    pub time: CommitTime,
    /// What it says.
    pub message: Message,
    /// What it changes, in an order in which no file is in the way of another.
    pub changes: Vec<FileChange>,
}

impl fmt::Display for CommitPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "commit at {}: {}", self.time.seconds(), self.message.subject())?;
        self.changes.iter().try_for_each(|change| match change {
            FileChange::Put { path, content } => writeln!(f, "+ {path} of {} bytes", content.len()),
            FileChange::Remove { path } => writeln!(f, "- {path}"),
        })
    }
}

impl Writer {
    /// Makes a planned commit; its ID.
    ///
    /// # Errors
    /// Those of [`Writer::put`] and [`Writer::remove`]. The export can't go on then: part of the plan was made.
    pub fn apply(&mut self, plan: CommitPlan) -> Result<Id, GitError> {
        for change in plan.changes {
            match change {
                FileChange::Put { path, content } => self.put(path, content)?,
                FileChange::Remove { path } => self.remove(&path)?,
            }
        }
        Ok(self.commit(plan.time, plan.message))
    }
}

/// The parts of a repository to which planned commits are added one by one. Each step makes at most one commit, so that
/// memory and time between two parts stay small. What was written so far becomes visible whenever a pack is nearly full,
/// so that an export that is interrupted goes on from there, and at the end.
#[derive(Debug)]
pub struct Export<I> {
    writer: Writer,
    plans: I,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Writing,
    Published,
    Failed,
}

impl<I> Export<I> {
    /// Adds these commits to what the writer has.
    pub fn new(writer: Writer, plans: I) -> Self {
        Self { writer, plans, stage: Stage::Writing }
    }

    /// The writer, for more commits.
    pub fn into_writer(self) -> Writer {
        self.writer
    }
}

impl<I, E> Iterator for Export<I>
where
    I: Iterator<Item = Result<CommitPlan, E>>,
    E: From<GitError>,
{
    type Item = Result<Part, E>;

    /// The next part; nothing comes after an error, and what was visible before stays as it is.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.stage == Stage::Failed {
                return None;
            }
            if let Some(part) = self.writer.next_part() {
                return Some(Ok(part));
            }
            if self.stage == Stage::Published {
                return None;
            }
            if let Err(error) = self.step() {
                self.stage = Stage::Failed;
                return Some(Err(error));
            }
        }
    }
}

impl<I, E> Export<I>
where
    I: Iterator<Item = Result<CommitPlan, E>>,
    E: From<GitError>,
{
    fn step(&mut self) -> Result<(), E> {
        match self.plans.next() {
            Some(plan) => {
                self.writer.apply(plan?)?;
                if self.writer.is_pack_nearly_full() {
                    self.writer.publish()?;
                }
            }
            None => {
                self.writer.publish()?;
                self.stage = Stage::Published;
            }
        }
        Ok(())
    }
}
