//! Names of objects: SHA-1 over a header and the content.

use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

use sha1::{Digest, Sha1};

use super::object::Kind;

/// The name of an object: the SHA-1 of `<kind> <length>\0<content>`. Source: git's `gitformat-loose(5)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub [u8; Self::BYTES]);

impl Id {
    /// How many bytes it has.
    pub const BYTES: usize = 20;

    /// The name of an object with this content.
    #[must_use]
    pub fn of(kind: Kind, content: &[u8]) -> Self {
        let mut sha = Sha1::new();
        sha.update(kind.header(content.len()));
        sha.update(content);
        Self(sha.finalize().into())
    }

    /// The checksum that ends a pack or an index: plain SHA-1.
    #[must_use]
    pub(crate) fn checksum<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut sha = Sha1::new();
        for piece in pieces {
            sha.update(piece);
        }
        Self(sha.finalize().into())
    }

    /// Reads 40 hexadecimal digits; `None` for anything else.
    #[must_use]
    pub fn from_hex(hex: &str) -> Option<Self> {
        let digits = hex.as_bytes();
        if digits.len() != 2 * Self::BYTES {
            return None;
        }
        let mut id = [0; Self::BYTES];
        for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(id))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({self})")
    }
}

/// Hashes an [`Id`] to its first bytes: it is a hash already.
#[derive(Debug, Default)]
pub(crate) struct IdHasher(u64);

/// For maps from [`Id`].
pub(crate) type IdHash = BuildHasherDefault<IdHasher>;

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        if let Some((first, _)) = bytes.split_first_chunk() {
            self.0 ^= u64::from_le_bytes(*first);
        }
    }

    fn write_usize(&mut self, _length: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_objects_have_the_names_that_git_gives_them() {
        assert_eq!(Id::of(Kind::Blob, b"").to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(Id::of(Kind::Tree, b"").to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    }

    #[test]
    fn hexadecimal_digits_read_back_and_nothing_else_does() {
        let id = Id::of(Kind::Blob, b"x");
        assert_eq!(Id::from_hex(&id.to_string()), Some(id));
        for hex in
            ["", "e69de29b", "g69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "é69de29bb2d1d6434b8b29ae775ad8c2e48c539"]
        {
            assert_eq!(Id::from_hex(hex), None, "{hex}");
        }
    }
}
