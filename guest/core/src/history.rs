//! The history of a dataset: what each call did, as a list, and as a git repository.
//!
//! Both are told from what storage has of the past, call by call in the order in which calls ended, each as it was known
//! when it ended: what is exported is never changed by a later call.

mod calls;
mod csv;
mod export;
mod files;
mod list;
mod log;
mod message;
mod rows;
mod sources;

pub use self::export::Exporter;
pub use self::list::list_history;
pub use crate::git::{Format, files::Layout};
use crate::model::{EdgeId, EntityId, RunId, RunKind};
use crate::time::Micros;

/// Which calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryRequest {
    /// That touched this entity or a fact of it; `None`: any.
    pub entity: Option<EntityId>,
    /// That touched this fact; `None`: any.
    pub edge: Option<EdgeId>,
    /// 1 to 1,000.
    pub limit: u32,
    /// Where a list before this one left off.
    pub cursor: Option<String>,
}

/// What a call did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number in the order of the ends.
    pub seq: u64,
    /// Its run.
    pub run_id: RunId,
    /// What kind of call it was.
    pub kind: RunKind,
    /// When it was, as its commit in a repository is dated.
    pub at: Micros,
    /// Whether it failed.
    pub failed: bool,
    /// What it was about, as the subject of its commit says.
    pub subject: String,
    /// What it changed, as the body of its commit says; empty when it changed nothing.
    pub lines: Vec<String>,
}

/// A part of the history, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryAnswer {
    /// The calls.
    pub entries: Vec<Entry>,
    /// Where to go on; `None`: that was all.
    pub cursor: Option<String>,
}

/// What a repository is to be like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportRequest {
    /// How files are spread.
    pub layout: Layout,
    /// Whether the points of series are files too.
    pub series: bool,
    /// How new objects are stored.
    pub format: Format,
    /// Most bytes of a pack, up to 64 MiB.
    pub pack_limit: u32,
    /// Where the repository stands; `None`: it is new.
    pub resume: Option<Resume>,
}

/// Where a repository stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resume {
    /// The commit of its branch, as 40 hex digits.
    pub head: String,
    /// What an export saved for that commit; `None`: it is lost, and the history is replayed up to that commit.
    pub state: Option<Vec<u8>>,
    /// The names of its packs, without path and ending, oldest first.
    pub packs: Vec<String>,
}

/// How far an export is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// `seq` of the last call that is in it.
    pub seq: u64,
    /// `seq` of the last call that will be.
    pub until: u64,
    /// How many commits were made.
    pub commits: u64,
}
