//! Pattern sets: the YAML that describes a language, and the compiled form that a text is read with.
//!
//! The build script compiles these modules too, so they use nothing else of the crate.

pub(super) mod compile;
pub(super) mod fold;
pub(super) mod model;
pub(super) mod table;
mod template;
mod told;
mod tree;
