//! git repositories, written without git: objects, packs and the files around them, as values and bytes.
//!
//! It reads nothing, opens nothing and asks no clock. Commits go into a [`Writer`] one after the other, and pieces of the
//! repository's files come out, in an order in which a reader who sees only some of them sees a whole repository. Memory
//! holds the names and IDs of the newest files, and the pack that is being made.

mod deflate;
mod delta;
mod error;
mod export;
pub mod files;
mod history;
mod id;
mod loose;
mod message;
mod object;
mod pack;
mod part;
mod path;
mod repository;
mod state;
mod text;
mod tree;
mod writer;

pub use deflate::Level;
pub use error::GitError;
pub use export::{CommitPlan, Export, FileChange};
pub use id::Id;
pub use message::{LINE_LIMIT, Message, SUBJECT_LIMIT, Subject, Summary, Trailer};
pub use object::{Commit, CommitTime, IDENTITY, Kind, Mode, TreeEntry};
pub use pack::PACK_LIMIT;
pub use part::{PART_LIMIT, Part};
pub use path::TreePath;
pub use repository::{BRANCH, STATES};
pub use writer::{Format, Options, Writer};
