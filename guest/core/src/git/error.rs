//! What can be wrong with what a repository is asked to hold.

use super::id::Id;

/// Why a repository can't take something. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// A path that some system can't hold.
    #[error("{path:?} is no path of a repository: use letters, digits, `.`, `_` and `-`, with `/` between components")]
    Path {
        /// The path.
        path: String,
    },
    /// A file where a directory is, or below a file.
    #[error("{path:?} can't be a file: {other:?} is in its way; remove that first")]
    Conflict {
        /// The file.
        path: String,
        /// What is there.
        other: String,
    },
    /// A file to remove that isn't there.
    #[error("{path:?} can't be removed: there is no such file")]
    Missing {
        /// The file.
        path: String,
    },
    /// A saved state that is damaged or of another repository.
    #[error(
        "the saved state of the export can't be used: {problem}; export anew to another directory, or delete this one \
         first"
    )]
    State {
        /// What is wrong.
        problem: &'static str,
    },
    /// A history without the commit to go on from.
    #[error(
        "what was exported before, up to {head}, is no beginning of this history; export anew to another directory, or \
         delete this one first"
    )]
    Unreached {
        /// The commit.
        head: Id,
    },
}
