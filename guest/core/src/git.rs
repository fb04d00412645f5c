//! git repositories, written without git.
//!
//! It reads nothing, opens nothing and asks no clock.

mod error;
mod id;
mod message;
mod object;
mod path;
mod text;

pub use error::GitError;
pub use id::Id;
pub use message::{LINE_LIMIT, Message, SUBJECT_LIMIT, Subject, Summary, Trailer};
pub use object::{Commit, CommitTime, IDENTITY, Kind, Mode, TreeEntry};
pub use path::TreePath;
