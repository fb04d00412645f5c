//! The artifacts that speak of things, as far as a replay has come.

use std::collections::BTreeMap;

use crate::model::{ArtifactId, Page, Position};
use crate::storage::StorageResult;
use crate::storage::rules::MAX_ITEMS;

/// Bytes that the lists may take before all are forgotten.
const LIMIT: usize = 16 << 20;

/// Bytes that a list takes beside its items.
const OVERHEAD: usize = 64;

/// Lists of artifacts by the thing that they speak of. What is not kept is read again.
#[derive(Debug)]
pub(super) struct Sources<K> {
    lists: BTreeMap<K, Vec<ArtifactId>>,
    bytes: usize,
}

impl<K: Ord + Copy> Sources<K> {
    pub(super) fn new() -> Self {
        Self { lists: BTreeMap::new(), bytes: 0 }
    }

    /// The artifacts of a thing with those that are new, ascending. `read` gives a part of the list as of the commit that
    /// brings the new ones, those among them.
    pub(super) fn with(
        &mut self,
        key: K,
        new: &[ArtifactId],
        mut read: impl FnMut(Page) -> StorageResult<(Vec<ArtifactId>, Option<Position>)>,
    ) -> StorageResult<&[ArtifactId]> {
        if self.bytes > LIMIT {
            *self = Self::new();
        }
        if !self.lists.contains_key(&key) {
            let mut list = Vec::new();
            let mut page = Page { limit: MAX_ITEMS, after: None };
            loop {
                let (artifacts, next) = read(page)?;
                list.extend(artifacts);
                match next {
                    Some(_) => page.after = next,
                    None => break,
                }
            }
            self.bytes += OVERHEAD + size_of_val(list.as_slice());
            self.lists.insert(key, list);
        }
        let list = self.lists.entry(key).or_default();
        for artifact in new {
            if let Err(place) = list.binary_search(artifact) {
                list.insert(place, *artifact);
                self.bytes += size_of::<ArtifactId>();
            }
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_once_until_there_are_too_many_of_them() {
        let mut sources = Sources::new();
        let mut reads = 0;
        let mut with = |key: u8, new: &[ArtifactId]| {
            let list = sources.with(key, new, |page| {
                reads += 1;
                let (from, to) = page.after.map_or((1, 10_000), |after| (after.id + 1, 1_200_000));
                let next = page.after.is_none().then_some(Position { at: 0, id: to });
                Ok(((from..=to).map(ArtifactId).collect(), next))
            });
            let list = list.expect("storage answers");
            assert!(list.is_sorted());
            (list.len(), reads)
        };
        assert_eq!(with(1, &[ArtifactId(1_200_000)]), (1_200_000, 2));
        assert_eq!(with(1, &[ArtifactId(1_200_001), ArtifactId(1_200_002)]), (1_200_002, 2));
        assert_eq!(with(1, &[ArtifactId(1_200_001)]), (1_200_002, 2));
        assert_eq!(with(2, &[]), (1_200_000, 4));
        assert_eq!(with(1, &[]), (1_200_000, 6), "all were forgotten");
    }
}
