//! The entries of one directory, kept as the bytes that its tree object has.
//!
//! So hashing needs no copy, a million files take some forty bytes each, and the change of a directory is a delta of its
//! bytes for free. Entries have different lengths, and IDs may contain any byte, so a list of places where entries start
//! makes the search short.

use std::cmp::Ordering;
use std::ops::Range;

use crate::git::delta::{Delta, offset};
use crate::git::id::Id;
use crate::git::object::{Mode, TreeEntry};

/// About how many bytes lie between two places in the list.
const BLOCK: u32 = 1024;

/// By what a directory's entries are sorted: the name, with a `/` behind it for a directory. Source:
/// `base_name_compare` in git's `read-cache.c`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(Box<[u8]>);

impl Key {
    /// The key of a file.
    pub(crate) fn file(name: &str) -> Self {
        Self(name.as_bytes().into())
    }

    /// The key of a directory.
    pub(crate) fn directory(name: &str) -> Self {
        let mut key = Vec::with_capacity(name.len() + 1);
        key.extend_from_slice(name.as_bytes());
        key.push(b'/');
        Self(key.into())
    }

    /// The name, and what has it.
    pub(crate) fn parts(&self) -> (Mode, &[u8]) {
        match self.0.strip_suffix(b"/") {
            Some(name) => (Mode::Directory, name),
            None => (Mode::File, &self.0),
        }
    }

    fn compare(&self, entry: &TreeEntry<'_>) -> Ordering {
        let slash: &[u8] = if entry.mode == Mode::Directory { b"/" } else { b"" };
        self.0.iter().cmp(entry.name.iter().chain(slash))
    }
}

/// The entries, sorted, without doubles.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    bytes: Vec<u8>,
    /// Where some entries start, ascending; 0 is not among them.
    blocks: Vec<u32>,
}

impl Entries {
    /// Takes the content of a tree object over; `None` if it is not one that this module writes.
    pub(crate) fn read(bytes: Vec<u8>) -> Option<Self> {
        u32::try_from(bytes.len()).ok()?;
        let mut before: Option<Key> = None;
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (entry, length) = read_entry(rest)?;
            let name = std::str::from_utf8(entry.name).ok().filter(|name| !name.is_empty() && !name.contains('/'))?;
            let key = if entry.mode == Mode::File { Key::file(name) } else { Key::directory(name) };
            if before.is_some_and(|before| before >= key) {
                return None;
            }
            before = Some(key);
            rest = &rest[length..];
        }
        let mut entries = Self { bytes, blocks: Vec::new() };
        entries.blocks = entries.split(0..offset(entries.bytes.len()));
        Some(entries)
    }

    /// The content of the tree object.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What has this key.
    pub(crate) fn get(&self, key: &Key) -> Option<Id> {
        let range = self.find(key);
        (!range.is_empty()).then(|| self.entry(range.start).0.id)
    }

    /// Every entry in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = TreeEntry<'_>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            if at as usize == self.bytes.len() {
                return None;
            }
            let (entry, end) = self.entry(at);
            at = end;
            Some(entry)
        })
    }

    /// Sets and removes entries; the keys ascend. What changed, as a delta of the bytes.
    pub(crate) fn apply<'a>(&mut self, edits: impl Iterator<Item = (&'a Key, Option<Id>)>) -> Delta {
        let length = offset(self.bytes.len());
        let mut delta = Delta::from(length);
        let mut entry = Vec::new();
        let mut done = 0;
        for (key, id) in edits {
            let range = self.find(key);
            delta.copy(done..range.start);
            done = range.end;
            if let Some(id) = id {
                let (mode, name) = key.parts();
                entry.clear();
                TreeEntry { mode, name, id }.write_to(&mut entry);
                delta.insert(&entry);
            }
        }
        delta.copy(done..length);
        self.replace(&delta);
        delta
    }

    /// Becomes what the delta makes of it.
    fn replace(&mut self, delta: &Delta) {
        let room = self.bytes.len() + delta.inserted();
        // Not doubling: the spare room of a million entries would be tens of megabytes.
        if self.bytes.capacity() < room {
            self.bytes.reserve_exact(delta.inserted() + room / 8);
        }
        delta.apply(&mut self.bytes);
        self.blocks = self.moved_blocks(delta);
    }

    /// The places of the list after a delta was applied: those of entries that are still there, and new ones where much
    /// was inserted.
    fn moved_blocks(&self, delta: &Delta) -> Vec<u32> {
        let mut old = self.blocks.iter().copied().peekable();
        let mut blocks = Vec::with_capacity(self.blocks.len() + 2);
        let mut last = 0;
        let mut add = |block: u32| {
            if block - last > 4 * BLOCK {
                blocks.extend(self.split(last..block));
            }
            if block > last {
                blocks.push(block);
                last = block;
            }
        };
        for (range, target) in delta.copies() {
            while old.next_if(|&block| block < range.start).is_some() {}
            while let Some(block) = old.next_if(|&block| block < range.end) {
                add(target + (block - range.start));
            }
        }
        let end = offset(self.bytes.len());
        if end - last > 4 * BLOCK {
            let more = self.split(last..end);
            blocks.extend(more);
        }
        blocks
    }

    /// Starts of entries inside a range that starts and ends with one, about a block apart.
    fn split(&self, range: Range<u32>) -> Vec<u32> {
        let mut starts = Vec::new();
        let (mut at, mut last) = (range.start, range.start);
        while at < range.end {
            if at - last >= BLOCK {
                starts.push(at);
                last = at;
            }
            at = self.entry(at).1;
        }
        starts
    }

    /// Where the entry with this key lies; the empty range where it would be if there is none.
    fn find(&self, key: &Key) -> Range<u32> {
        let block = self.blocks.partition_point(|&at| key.compare(&self.entry(at).0) != Ordering::Less);
        let mut at = if block == 0 { 0 } else { self.blocks[block - 1] };
        while (at as usize) < self.bytes.len() {
            let (entry, end) = self.entry(at);
            match key.compare(&entry) {
                Ordering::Less => break,
                Ordering::Equal => return at..end,
                Ordering::Greater => at = end,
            }
        }
        at..at
    }

    /// The entry that starts here, and where it ends.
    fn entry(&self, at: u32) -> (TreeEntry<'_>, u32) {
        let (entry, length) = read_entry(&self.bytes[at as usize..]).expect("an entry starts here");
        (entry, at + offset(length))
    }
}

/// The first entry of a tree's content, and its length in bytes.
fn read_entry(bytes: &[u8]) -> Option<(TreeEntry<'_>, usize)> {
    let mode = if bytes.first() == Some(&b'1') { Mode::File } else { Mode::Directory };
    let rest = bytes.strip_prefix(mode.as_str().as_bytes())?.strip_prefix(b" ")?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    let id: &[u8; Id::BYTES] = rest[end + 1..].first_chunk()?;
    Some((TreeEntry { mode, name: &rest[..end], id: Id(*id) }, mode.as_str().len() + 1 + end + 1 + Id::BYTES))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::git::object::Kind;

    fn id(number: u16) -> Id {
        Id::of(Kind::Blob, &number.to_le_bytes())
    }

    fn content(entries: &BTreeMap<Key, Id>) -> Vec<u8> {
        let mut content = Vec::new();
        for (key, id) in entries {
            let (mode, name) = key.parts();
            TreeEntry { mode, name, id: *id }.write_to(&mut content);
        }
        content
    }

    #[test]
    fn directories_sort_as_if_they_ended_in_a_slash() {
        let mut keys =
            [Key::file("12.md"), Key::directory("12"), Key::file("120.md"), Key::file("12-a"), Key::directory("12-")];
        keys.sort();
        let names: Vec<_> = keys.iter().map(|key| String::from_utf8_lossy(key.parts().1).into_owned()).collect();
        assert_eq!(names, ["12-", "12-a", "12.md", "12", "120.md"]);
    }

    #[test]
    fn what_is_no_tree_is_not_read() {
        let mut two = Vec::new();
        for name in ["b", "a"] {
            TreeEntry { mode: Mode::File, name: name.as_bytes(), id: id(1) }.write_to(&mut two);
        }
        for bytes in [&two, &two[..two.len() - 1], b"100644 a", b"100755 a\0", b"160000 aaaaaaaaaaaaaaaaaaaaaaaaaaa\0"]
        {
            assert!(Entries::read(bytes.to_vec()).is_none(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn entries_are_what_a_sorted_map_holds(
            rounds in prop::collection::vec(
                prop::collection::vec((any::<bool>(), 0u16..400, prop::option::of(any::<u16>())), 0..120), 1..12)
        ) {
            let mut entries = Entries::default();
            let mut map = BTreeMap::new();
            for round in rounds {
                let edits: BTreeMap<Key, Option<Id>> = round.into_iter().map(|(directory, name, value)| {
                    let name = name.to_string();
                    (if directory { Key::directory(&name) } else { Key::file(&name) }, value.map(id))
                }).collect();
                let before = entries.bytes().to_vec();
                let delta = entries.apply(edits.iter().map(|(key, id)| (key, *id)));
                for (key, value) in edits {
                    match value {
                        Some(id) => map.insert(key, id),
                        None => map.remove(&key),
                    };
                }
                let expected = content(&map);
                prop_assert_eq!(entries.bytes(), &expected);
                let mut patched = before.clone();
                delta.apply(&mut patched);
                prop_assert_eq!(&patched, &expected);
                for name in (0..400u16).step_by(7) {
                    let key = Key::file(&name.to_string());
                    prop_assert_eq!(entries.get(&key), map.get(&key).copied());
                }
                prop_assert_eq!(entries.iter().count(), map.len());
                let again = Entries::read(expected.clone()).expect("a tree");
                prop_assert!(entries.blocks.iter().all(|&at| entries.entry(at).1 > at));
                prop_assert!(again.blocks.len() <= expected.len() / BLOCK as usize);
            }
        }
    }
}
