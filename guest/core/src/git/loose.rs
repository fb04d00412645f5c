//! Loose objects: one file each. Source: git's `gitformat-loose(5)`.

use super::deflate::{Deflater, Level};
use super::id::Id;
use super::object::Kind;
use super::part::Parts;

/// Writes each object into a file of its own.
#[derive(Debug)]
pub(crate) struct Loose {
    deflater: Deflater,
    object: Vec<u8>,
}

impl Loose {
    pub(crate) fn new(level: Level) -> Self {
        Self { deflater: Deflater::new(level), object: Vec::new() }
    }

    /// An object.
    pub(crate) fn object(&mut self, kind: Kind, id: Id, content: &[u8], parts: &mut Parts) {
        self.object.clear();
        self.object.extend_from_slice(&kind.header(content.len()));
        self.object.extend_from_slice(content);
        let mut file = Vec::new();
        self.deflater.zlib(&self.object, &mut file);
        parts.file(&path(id), file);
    }
}

/// Where the object is.
fn path(id: Id) -> String {
    let hex = id.to_string();
    let (directory, name) = hex.split_at(2);
    format!("objects/{directory}/{name}")
}
