//! What storage answers about the past: commits and runs.

use super::Change;
use crate::model::{Run, SeriesId};
use crate::time::Micros;

/// What a commit changed.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitLog {
    /// Number of the call.
    pub seq: u64,
    /// Its transaction time.
    pub at: Micros,
    /// As the plan had them, sorted by kind.
    pub changes: Vec<Change>,
    /// Series that it touched, ascending.
    pub series: Vec<SeriesId>,
}

/// A part of the commits, by `seq`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommitPage {
    /// The commits.
    pub commits: Vec<CommitLog>,
    /// Whether there are more after the last of them.
    pub more: bool,
}

/// A part of the runs that have ended, by `seq`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunPage {
    /// The runs.
    pub runs: Vec<Run>,
    /// Whether there are more after the last of them.
    pub more: bool,
}
