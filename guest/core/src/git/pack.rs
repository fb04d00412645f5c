//! Packs: many objects in one file, version 2, with an index, version 2. Source: git's `gitformat-pack(5)`.

mod index;
mod recent;

use std::collections::HashMap;

use super::deflate::{Deflater, Level};
use super::delta::{Delta, offset};
use super::history::History;
use super::id::{Id, IdHash};
use super::object::Kind;
use super::part::{Parts, Pieces};
use super::tree::Changed;
use index::Indexed;
use recent::Recent;

/// Most bytes that a pack has, unless one object alone is larger.
pub const PACK_LIMIT: usize = 64 * 1024 * 1024;

/// Most objects of a pack: each takes some 80 bytes of memory until the pack is finished.
const OBJECT_LIMIT: usize = 250_000;

/// Longest chain of deltas: git's own default (`pack.depth`).
const DEPTH_LIMIT: u8 = 50;

/// Directories below this size in bytes are written whole.
const DELTA_FROM: usize = 256;

/// Largest buffer in bytes that is kept for the next object.
const KEPT_LIMIT: usize = 1024 * 1024;

/// Bytes of a pack that are no objects: header and checksum.
const FRAME: usize = 12 + Id::BYTES;

/// The words before objects in a pack.
const OFS_DELTA: u8 = 6;

/// Writes objects into packs. Only the pack that is being made is in memory.
#[derive(Debug)]
pub(crate) struct Packer {
    deflater: Deflater,
    limit: usize,
    /// Counts the packs, so that nobody takes an object of an earlier one for a base.
    number: u32,
    bytes: Pieces,
    objects: Vec<Indexed>,
    by_id: HashMap<Id, u32, IdHash>,
    recent: Recent,
    encoded: Vec<u8>,
    delta: Vec<u8>,
    /// The names of the packs that were finished.
    finished: Vec<String>,
}

impl Packer {
    /// Packs of at most `limit` bytes.
    pub(crate) fn new(level: Level, limit: usize) -> Self {
        Self {
            deflater: Deflater::new(level),
            limit: limit.clamp(FRAME, PACK_LIMIT),
            number: 0,
            bytes: Pieces::default(),
            objects: Vec::new(),
            by_id: HashMap::default(),
            recent: Recent::default(),
            encoded: Vec::new(),
            delta: Vec::new(),
            finished: Vec::new(),
        }
    }

    /// The names of the packs that were finished, without path and ending; each is given once.
    pub(crate) fn take_finished(&mut self) -> Vec<String> {
        std::mem::take(&mut self.finished)
    }

    /// Whether the pack that is being made has little room left.
    pub(crate) fn is_nearly_full(&self) -> bool {
        self.bytes.len() > self.limit / 8 * 7 || self.objects.len() > OBJECT_LIMIT / 8 * 7
    }

    /// A file. `before` is what was at its path.
    pub(crate) fn blob(&mut self, id: Id, content: &[u8], before: Option<Id>, parts: &mut Parts) {
        let base = before.and_then(|before| Some((self.base(&before)?, self.recent.get(&before)?)));
        let delta = base.map(|(base, old)| (base, Delta::one_place(old, content)));
        // Text shrinks to about a third by itself.
        let delta = delta.filter(|(_, delta)| delta.weight() < content.len() / 3);
        self.object(Kind::Blob, id, content, delta.as_ref().map(|(base, delta)| (*base, delta)), parts);
        self.recent.insert(id, content);
    }

    /// A commit.
    pub(crate) fn commit(&mut self, id: Id, content: &[u8], parts: &mut Parts) {
        self.object(Kind::Commit, id, content, None, parts);
    }

    /// A directory.
    pub(crate) fn tree(&mut self, changed: Changed<'_>, parts: &mut Parts) {
        let Changed { id, content, change, history } = changed;
        if content.len() < DELTA_FROM {
            *history = None;
            self.object(Kind::Tree, id, content, None, parts);
            return;
        }
        let known = history.take().filter(|known| known.pack() == self.number);
        let known = known.zip(change).map(|(mut known, change)| {
            known.change(change);
            known
        });
        let base = known.as_ref().and_then(|known| known.bases().find(|&(base, _)| self.can_be_base(base)));
        let is_delta = base.is_some();
        let object = self.object(Kind::Tree, id, content, base, parts);
        let length = offset(content.len());
        // The object may have begun a pack of its own.
        *history = match known.filter(|known| is_delta && known.pack() == self.number) {
            Some(mut known) => {
                known.written(object, length);
                Some(known)
            }
            None => Some(Box::new(History::new(self.number, object, length))),
        };
    }

    /// The object of this pack that a delta can go back to.
    fn base(&self, id: &Id) -> Option<u32> {
        self.by_id.get(id).copied().filter(|&object| self.can_be_base(object))
    }

    fn can_be_base(&self, object: u32) -> bool {
        self.objects[object as usize].depth < DEPTH_LIMIT
    }

    /// Writes an object, unless this pack has it; its number in the pack. Where there is no room for it the pack is
    /// finished, and the object begins the next one, whole.
    fn object(&mut self, kind: Kind, id: Id, content: &[u8], delta: Option<(u32, &Delta)>, parts: &mut Parts) -> u32 {
        if let Some(&object) = self.by_id.get(&id) {
            return object;
        }
        let mut depth = 0;
        match delta {
            Some((base, delta)) => {
                depth = self.objects[base as usize].depth + 1;
                self.encode_delta(base, delta);
            }
            None => self.encode(kind, content),
        }
        let is_full = self.bytes.len() + self.encoded.len() + Id::BYTES > self.limit;
        if !self.objects.is_empty() && (is_full || self.objects.len() == OBJECT_LIMIT) {
            self.finish(parts);
            depth = 0;
            self.encode(kind, content);
        }
        if self.objects.is_empty() {
            // The number of objects comes when it is known.
            self.bytes.push(b"PACK\0\0\0\x02\0\0\0\0");
        }
        let object = offset(self.objects.len());
        let crc = crc32fast::hash(&self.encoded);
        self.objects.push(Indexed { id, crc, offset: offset(self.bytes.len()), depth });
        self.by_id.insert(id, object);
        self.bytes.push(&self.encoded);
        if self.encoded.capacity() > KEPT_LIMIT {
            self.encoded = Vec::new();
        }
        object
    }

    /// Writes the whole content as an entry of a pack.
    fn encode(&mut self, kind: Kind, content: &[u8]) {
        let word = match kind {
            Kind::Commit => 1,
            Kind::Tree => 2,
            Kind::Blob => 3,
        };
        self.encoded.clear();
        write_head(&mut self.encoded, word, content.len());
        match kind {
            Kind::Tree => self.deflater.zlib_of_ids(content, &mut self.encoded),
            Kind::Blob | Kind::Commit => self.deflater.zlib(content, &mut self.encoded),
        }
    }

    /// Writes a delta as an entry of a pack.
    fn encode_delta(&mut self, base: u32, delta: &Delta) {
        self.delta.clear();
        delta.write_to(&mut self.delta);
        self.encoded.clear();
        write_head(&mut self.encoded, OFS_DELTA, self.delta.len());
        write_distance(&mut self.encoded, offset(self.bytes.len()) - self.objects[base as usize].offset);
        self.deflater.zlib_of_ids(&self.delta, &mut self.encoded);
    }

    /// Gives away the pack that is being made, if it has objects: the pack before its index, without which git doesn't
    /// see it.
    pub(crate) fn finish(&mut self, parts: &mut Parts) {
        if self.objects.is_empty() {
            return;
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.pieces_mut()[0][8..12].copy_from_slice(&offset(self.objects.len()).to_be_bytes());
        let checksum = Id::checksum(bytes.iter());
        bytes.push(&checksum.0);
        let name = format!("pack-{checksum}");
        parts.pieces(&format!("objects/pack/{name}.pack"), bytes.into_pieces());
        let index = index::write(std::mem::take(&mut self.objects), checksum);
        parts.pieces(&format!("objects/pack/{name}.idx"), index.into_pieces());
        self.finished.push(name);
        self.by_id = HashMap::default();
        self.recent = Recent::default();
        self.number += 1;
    }
}

/// Kind and length: four bits of the length, then seven a byte.
fn write_head(out: &mut Vec<u8>, word: u8, length: usize) {
    let mut byte = word << 4 | (length & 0x0f) as u8;
    let mut rest = length >> 4;
    while rest > 0 {
        out.push(byte | 0x80);
        byte = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    out.push(byte);
}

/// How far back the base is: seven bits a byte, highest first, where each byte that goes on counts one more.
fn write_distance(out: &mut Vec<u8>, distance: u32) {
    let mut bytes = [0; 5];
    let mut at = bytes.len() - 1;
    bytes[at] = (distance & 0x7f) as u8;
    let mut rest = distance >> 7;
    while rest > 0 {
        rest -= 1;
        at -= 1;
        bytes[at] = 0x80 | (rest & 0x7f) as u8;
        rest >>= 7;
    }
    out.extend_from_slice(&bytes[at..]);
}
