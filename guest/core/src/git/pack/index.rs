//! The index of a pack, version 2. Source: "pack-*.idx files" in git's `gitformat-pack(5)`.

use crate::git::id::Id;
use crate::git::part::Pieces;

/// An object of a pack, as its index has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indexed {
    /// Its name.
    pub(super) id: Id,
    /// CRC-32 of its entry in the pack.
    pub(super) crc: u32,
    /// Where its entry starts. Below 2³¹, so that the table for large packs isn't needed.
    pub(super) offset: u32,
    /// How many deltas lead to it. Not in the index.
    pub(super) depth: u8,
}

/// The index of a pack with these objects and this checksum.
pub(super) fn write(mut objects: Vec<Indexed>, pack: Id) -> Pieces {
    objects.sort_unstable_by_key(|object| object.id);
    let mut index = Pieces::default();
    index.push(b"\xfftOc\0\0\0\x02");
    for first in 0..=u8::MAX {
        let upto = objects.partition_point(|object| object.id.0[0] <= first);
        let upto = u32::try_from(upto).expect("a pack has fewer objects than bytes");
        index.push(&upto.to_be_bytes());
    }
    for object in &objects {
        index.push(&object.id.0);
    }
    for object in &objects {
        index.push(&object.crc.to_be_bytes());
    }
    for object in &objects {
        index.push(&object.offset.to_be_bytes());
    }
    index.push(&pack.0);
    let checksum = Id::checksum(index.iter());
    index.push(&checksum.0);
    index
}
