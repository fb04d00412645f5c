//! What comes out: files of a repository in pieces.

use std::collections::VecDeque;

/// Most bytes that a piece has.
pub const PART_LIMIT: usize = 1024 * 1024;

/// A piece of a file of the repository, in the order in which they must become visible.
///
/// A file is written beside its place and moved there with its last piece, so that whoever is killed in between leaves a
/// whole repository. What names objects comes after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Where, relative to the repository. A directory, which holds nothing yet, ends in `/`.
    pub path: String,
    /// At most [`PART_LIMIT`] bytes, which follow those of the part before if that has the same path.
    pub bytes: Vec<u8>,
    /// Whether it is the last piece of the file.
    pub last: bool,
}

/// Parts that wait to be taken.
#[derive(Debug, Default)]
pub(crate) struct Parts(VecDeque<Part>);

impl Parts {
    /// A file of pieces that are small enough.
    pub(crate) fn pieces(&mut self, path: &str, pieces: Vec<Vec<u8>>) {
        let last = pieces.len().saturating_sub(1);
        for (number, bytes) in pieces.into_iter().enumerate() {
            debug_assert!(bytes.len() <= PART_LIMIT);
            self.0.push_back(Part { path: path.to_owned(), bytes, last: number == last });
        }
    }

    /// A whole file, or a directory.
    pub(crate) fn file(&mut self, path: &str, bytes: Vec<u8>) {
        if bytes.len() <= PART_LIMIT {
            self.pieces(path, vec![bytes]);
        } else {
            self.pieces(path, bytes.chunks(PART_LIMIT).map(<[u8]>::to_vec).collect());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn pop(&mut self) -> Option<Part> {
        self.0.pop_front()
    }
}

/// Bytes in pieces of [`PART_LIMIT`], so that a large file grows without being moved and is given away piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    pieces: Vec<Vec<u8>>,
    length: usize,
}

impl Pieces {
    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len();
        while !bytes.is_empty() {
            match self.pieces.last_mut().filter(|piece| piece.len() < PART_LIMIT) {
                Some(piece) => {
                    let (now, later) = bytes.split_at(bytes.len().min(PART_LIMIT - piece.len()));
                    piece.extend_from_slice(now);
                    bytes = later;
                }
                None => self.pieces.push(Vec::with_capacity(if self.pieces.is_empty() { 4096 } else { PART_LIMIT })),
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The bytes so far; the first piece can be changed.
    pub(crate) fn pieces_mut(&mut self) -> &mut [Vec<u8>] {
        &mut self.pieces
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().map(Vec::as_slice)
    }

    pub(crate) fn into_pieces(self) -> Vec<Vec<u8>> {
        self.pieces
    }
}
