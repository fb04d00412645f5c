//! Contents of files that were written lately: what a changed file can be a delta of.

use std::collections::{HashMap, VecDeque};

use crate::git::id::{Id, IdHash};

/// Most bytes that are kept.
const LIMIT: usize = 16 * 1024 * 1024;

/// Files above this size in bytes are not kept.
const FILE_LIMIT: usize = 1024 * 1024;

/// What a kept file costs beside its content.
const OVERHEAD: usize = 128;

/// The contents that were given last.
#[derive(Debug, Default)]
pub(super) struct Recent {
    contents: HashMap<Id, Box<[u8]>, IdHash>,
    /// Oldest first.
    order: VecDeque<Id>,
    bytes: usize,
}

impl Recent {
    /// The content of a file, if it is kept.
    pub(super) fn get(&self, id: &Id) -> Option<&[u8]> {
        self.contents.get(id).map(|content| &**content)
    }

    /// Keeps a content, and lets the oldest go.
    pub(super) fn insert(&mut self, id: Id, content: &[u8]) {
        if content.len() > FILE_LIMIT || self.contents.contains_key(&id) {
            return;
        }
        self.bytes += content.len() + OVERHEAD;
        self.contents.insert(id, content.into());
        self.order.push_back(id);
        while self.bytes > LIMIT {
            let Some(oldest) = self.order.pop_front() else { break };
            if let Some(content) = self.contents.remove(&oldest) {
                self.bytes -= content.len() + OVERHEAD;
            }
        }
    }
}
