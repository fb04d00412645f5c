//! The files of a memory's repository: where each thing lies, and what its file says. Pure functions of plain values.

mod entries;
mod front_matter;
mod layout;
mod readme;
mod slug;

pub use entries::{Chunk, artifact, edge, entity};
pub use front_matter::{FrontMatter, Plain};
pub use layout::{ChildKind, Layout};
pub use readme::{GIT_ATTRIBUTES, Readme};
pub use slug::slug;
