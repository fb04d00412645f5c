//! Deltas: a content as pieces of an earlier one and bytes that are new.
//!
//! They are made by whoever makes the change, without searching for what is alike, and their copies go forward through
//! the earlier content. So two deltas in a row compose into one without either content.

use std::ops::Range;

/// Most bytes that one insert instruction holds.
const INSERT_LIMIT: usize = 0x7f;

/// Most bytes that one copy instruction holds.
const COPY_LIMIT: u32 = 0x00ff_ffff;

/// One piece of the new content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// So many bytes of the old content from this offset on.
    Copy { at: u32, length: u32 },
    /// So many of the bytes that are new, in their order.
    Insert { length: u32 },
}

/// The way from an old content to a new one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Delta {
    pieces: Vec<Piece>,
    /// The bytes of all inserts.
    inserted: Vec<u8>,
    /// Length of the old content.
    from: u32,
    /// Length of the new content.
    to: u32,
}

impl Delta {
    /// The start of a delta from a content of this length.
    pub(crate) fn from(length: u32) -> Self {
        Self { from: length, ..Self::default() }
    }

    /// The delta that changes nothing.
    pub(crate) fn identity(length: u32) -> Self {
        let mut delta = Self::from(length);
        delta.copy(0..length);
        delta
    }

    /// The delta between contents that differ in one place: what they start and end with alike is copied.
    pub(crate) fn one_place(old: &[u8], new: &[u8]) -> Self {
        let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let (old_rest, new_rest) = (&old[start..], &new[start..]);
        let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
        let mut delta = Self::from(offset(old.len()));
        delta.copy(0..offset(start));
        delta.insert(&new_rest[..new_rest.len() - end]);
        delta.copy(offset(old.len() - end)..offset(old.len()));
        delta
    }

    /// The new content goes on with these bytes of the old one, which lie after all that were copied before.
    pub(crate) fn copy(&mut self, range: Range<u32>) {
        let length = range.end - range.start;
        if length == 0 {
            return;
        }
        self.to += length;
        match self.pieces.last_mut() {
            Some(Piece::Copy { at, length: last }) if *at + *last == range.start => *last += length,
            _ => {
                debug_assert!(self.copied_up_to() <= range.start, "copies go forward");
                self.pieces.push(Piece::Copy { at: range.start, length });
            }
        }
    }

    /// The new content goes on with these bytes.
    pub(crate) fn insert(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let length = offset(bytes.len());
        self.to += length;
        self.inserted.extend_from_slice(bytes);
        match self.pieces.last_mut() {
            Some(Piece::Insert { length: last }) => *last += length,
            _ => self.pieces.push(Piece::Insert { length }),
        }
    }

    /// Where the last copy ended.
    fn copied_up_to(&self) -> u32 {
        self.pieces
            .iter()
            .rev()
            .find_map(|piece| match *piece {
                Piece::Copy { at, length } => Some(at + length),
                Piece::Insert { .. } => None,
            })
            .unwrap_or(0)
    }

    /// Length of the new content.
    pub(crate) fn target_length(&self) -> u32 {
        self.to
    }

    /// Bytes that it holds: about what it costs to keep or to write.
    pub(crate) fn weight(&self) -> usize {
        self.inserted.len() + self.pieces.len() * size_of::<Piece>()
    }

    /// The ranges of the old content that are copied, each with where it comes to lie.
    pub(crate) fn copies(&self) -> impl Iterator<Item = (Range<u32>, u32)> {
        let mut target = 0;
        self.pieces.iter().filter_map(move |piece| match *piece {
            Piece::Copy { at, length } => {
                target += length;
                Some((at..at + length, target - length))
            }
            Piece::Insert { length } => {
                target += length;
                None
            }
        })
    }

    /// How many bytes are new.
    pub(crate) fn inserted(&self) -> usize {
        self.inserted.len()
    }

    /// How many bytes both contents start with alike, as far as the delta says.
    fn common_start(&self) -> u32 {
        match self.pieces.first() {
            Some(&Piece::Copy { at: 0, length }) => length,
            _ => 0,
        }
    }

    /// Makes the old content the new one, in place: what lies behind the common start moves back by as much as is
    /// inserted, and then forward piece by piece, which never catches up with what is still to be read.
    pub(crate) fn apply(&self, content: &mut Vec<u8>) {
        debug_assert_eq!(offset(content.len()), self.from);
        let start = self.common_start() as usize;
        let (length, room) = (content.len(), self.inserted.len());
        content.resize(length + room, 0);
        content.copy_within(start..length, start + room);
        let (mut end, mut inserted) = (start, self.inserted.as_slice());
        for piece in &self.pieces[usize::from(start > 0)..] {
            match *piece {
                Piece::Copy { at, length } => {
                    let from = at as usize + room;
                    content.copy_within(from..from + length as usize, end);
                    end += length as usize;
                }
                Piece::Insert { length } => {
                    let (bytes, rest) = inserted.split_at(length as usize);
                    content[end..end + bytes.len()].copy_from_slice(bytes);
                    end += bytes.len();
                    inserted = rest;
                }
            }
        }
        content.truncate(end);
    }

    /// The way from this delta's old content to the next one's new content.
    pub(crate) fn then(&self, next: &Self) -> Self {
        debug_assert_eq!(self.to, next.from);
        let mut composed = Self::from(self.from);
        let mut walk = Walk { delta: self, piece: 0, start: 0, inserted: 0 };
        let mut inserted = next.inserted.as_slice();
        for piece in &next.pieces {
            match *piece {
                Piece::Copy { at, length } => walk.copy(at..at + length, &mut composed),
                Piece::Insert { length } => {
                    let (bytes, rest) = inserted.split_at(length as usize);
                    composed.insert(bytes);
                    inserted = rest;
                }
            }
        }
        composed
    }

    /// Appends it as a pack has it. Source: "Deltified representation" in git's `gitformat-pack(5)`.
    pub(crate) fn write_to(&self, out: &mut Vec<u8>) {
        write_size(out, self.from);
        write_size(out, self.to);
        let mut inserted = self.inserted.as_slice();
        for piece in &self.pieces {
            match *piece {
                Piece::Copy { mut at, mut length } => {
                    while length > 0 {
                        let part = length.min(COPY_LIMIT);
                        write_copy(out, at, part);
                        at += part;
                        length -= part;
                    }
                }
                Piece::Insert { length } => {
                    let (bytes, rest) = inserted.split_at(length as usize);
                    for part in bytes.chunks(INSERT_LIMIT) {
                        out.push(u8::try_from(part.len()).expect("a part is at most 127 bytes"));
                        out.extend_from_slice(part);
                    }
                    inserted = rest;
                }
            }
        }
    }
}

/// A place in the new content of a delta that only moves forward.
struct Walk<'a> {
    delta: &'a Delta,
    piece: usize,
    /// Where that piece starts in the new content.
    start: u32,
    /// Where the next insert's bytes start.
    inserted: usize,
}

impl Walk<'_> {
    /// Copies a range of the delta's new content by way of its old one.
    fn copy(&mut self, range: Range<u32>, out: &mut Delta) {
        while let Some(&piece) = self.delta.pieces.get(self.piece) {
            let (Piece::Copy { length, .. } | Piece::Insert { length }) = piece;
            let end = self.start + length;
            if range.start < end {
                let (from, to) =
                    (range.start.max(self.start) - self.start, range.end.min(end).max(self.start) - self.start);
                match piece {
                    Piece::Copy { at, .. } => out.copy(at + from..at + to),
                    Piece::Insert { .. } => {
                        let bytes = &self.delta.inserted[self.inserted..][from as usize..to as usize];
                        out.insert(bytes);
                    }
                }
            }
            if range.end < end {
                return;
            }
            if let Piece::Insert { length } = piece {
                self.inserted += length as usize;
            }
            self.start = end;
            self.piece += 1;
            if range.end == end {
                return;
            }
        }
    }
}

/// A length or offset of content as deltas and directories keep it.
pub(crate) fn offset(length: usize) -> u32 {
    u32::try_from(length).expect("no content here reaches 4 GiB: calls are limited to megabytes")
}

/// Seven bits a byte, lowest first.
fn write_size(out: &mut Vec<u8>, mut size: u32) {
    while size >= 0x80 {
        out.push((size & 0x7f) as u8 | 0x80);
        size >>= 7;
    }
    out.push(size as u8);
}

/// A copy instruction: of offset and length only the bytes that aren't zero.
fn write_copy(out: &mut Vec<u8>, at: u32, length: u32) {
    let instruction = out.len();
    out.push(0x80);
    let bytes = at.to_le_bytes().into_iter().chain(length.to_le_bytes().into_iter().take(3));
    for (bit, byte) in bytes.enumerate().filter(|&(_, byte)| byte != 0) {
        out[instruction] |= 1 << bit;
        out.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads what [`Delta::write_to`] writes, as git does.
    fn patch(old: &[u8], delta: &[u8]) -> Vec<u8> {
        let mut bytes = delta.iter().copied();
        let mut size = || {
            let mut size = 0u32;
            for shift in (0..).step_by(7) {
                let byte = bytes.next().unwrap();
                size |= u32::from(byte & 0x7f) << shift;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            size as usize
        };
        assert_eq!(size(), old.len());
        let length = size();
        let mut new = Vec::new();
        while let Some(instruction) = bytes.next() {
            if instruction & 0x80 == 0 {
                new.extend(bytes.by_ref().take(usize::from(instruction)));
                continue;
            }
            let mut field = |from: u8, count: u8| {
                (0..count)
                    .filter(|i| instruction >> (from + i) & 1 == 1)
                    .map(|i| usize::from(bytes.next().unwrap()) << (8 * i))
                    .sum::<usize>()
            };
            let at = field(0, 4);
            let length = field(4, 3);
            new.extend_from_slice(&old[at..at + length]);
        }
        assert_eq!(new.len(), length);
        new
    }

    fn check(old: &[u8], new: &[u8], delta: &Delta) {
        let mut applied = old.to_vec();
        delta.apply(&mut applied);
        assert_eq!(applied, new);
        let mut written = Vec::new();
        delta.write_to(&mut written);
        assert_eq!(patch(old, &written), new);
    }

    /// A delta from splices: skip so many bytes, drop so many, insert these.
    fn splice(old: &[u8], splices: &[(usize, usize, Vec<u8>)]) -> (Vec<u8>, Delta) {
        let mut delta = Delta::from(offset(old.len()));
        let (mut new, mut at) = (Vec::new(), 0);
        for (skip, drop, insert) in splices {
            let end = (at + skip).min(old.len());
            delta.copy(offset(at)..offset(end));
            delta.insert(insert);
            new.extend_from_slice(&old[at..end]);
            new.extend_from_slice(insert);
            at = (end + drop).min(old.len());
        }
        delta.copy(offset(at)..offset(old.len()));
        new.extend_from_slice(&old[at..]);
        (new, delta)
    }

    #[test]
    fn long_copies_and_inserts_are_split() {
        let old = vec![7; 0x0180_0000];
        check(&old, &old, &Delta::identity(offset(old.len())));
        let new = vec![8; 1000];
        check(b"x", &new, &Delta::one_place(b"x", &new));
    }

    proptest! {
        #[test]
        fn contents_that_differ_in_one_place_have_a_delta(old in "[ab]{0,40}", new in "[ab]{0,40}") {
            check(old.as_bytes(), new.as_bytes(), &Delta::one_place(old.as_bytes(), new.as_bytes()));
        }

        #[test]
        fn two_deltas_compose_into_one(
            old in prop::collection::vec(any::<u8>(), 0..400),
            first in prop::collection::vec((0usize..60, 0usize..20, prop::collection::vec(any::<u8>(), 0..20)), 0..8),
            second in prop::collection::vec((0usize..60, 0usize..20, prop::collection::vec(any::<u8>(), 0..20)), 0..8),
        ) {
            let (middle, first) = splice(&old, &first);
            check(&old, &middle, &first);
            let (new, second) = splice(&middle, &second);
            check(&middle, &new, &second);
            check(&old, &new, &first.then(&second));
        }
    }
}
