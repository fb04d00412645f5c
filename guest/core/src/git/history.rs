//! How a directory was written into the current pack, and against which of its versions the next one is written.
//!
//! A chain of deltas that always goes back to the version before must start anew from the whole content every fifty
//! versions, and whole contents of large directories are what makes a pack large. So every sixteenth version goes back
//! sixteen versions, and every 256th 256: no chain is longer than 45, and the content is written whole once in 4,096
//! versions. Deltas over several versions are composed of those over one.

use super::delta::Delta;

/// How many versions a rung spans, in versions of the rung below.
const FACTOR: u32 = 16;

/// A version that others can be written against.
#[derive(Debug)]
struct Rung {
    /// Its number in the pack.
    base: u32,
    /// The way from it to the newest version.
    since: Delta,
}

/// The versions of one directory in one pack.
#[derive(Debug)]
pub(crate) struct History {
    /// Which pack; what lies in another can't be a base.
    pack: u32,
    /// How many versions came after the one that was written whole.
    versions: u32,
    /// The newest version, the newest that is a multiple of 16, and the newest that is one of 256; none where too much
    /// changed since.
    rungs: [Option<Rung>; 3],
}

impl History {
    /// Begins with a version that is written whole, as this object of that pack.
    pub(crate) fn new(pack: u32, object: u32, length: u32) -> Self {
        let rungs = std::array::from_fn(|_| Some(Rung { base: object, since: Delta::identity(length) }));
        Self { pack, versions: 0, rungs }
    }

    /// Which pack it is about.
    pub(crate) fn pack(&self) -> u32 {
        self.pack
    }

    /// Takes in a version that is about to be written.
    pub(crate) fn change(&mut self, change: Delta) {
        let [newest, rungs @ ..] = &mut self.rungs;
        for slot in rungs {
            let composed = slot.take().map(|rung| Rung { since: rung.since.then(&change), ..rung });
            *slot = composed.filter(|rung| is_worth_it(&rung.since));
        }
        *newest = newest.take().map(|rung| Rung { since: change, ..rung }).filter(|rung| is_worth_it(&rung.since));
        self.versions += 1;
    }

    /// The bases for that version, the best first, each with the way from it. None: it is to be written whole.
    pub(crate) fn bases(&self) -> impl Iterator<Item = (u32, &Delta)> {
        let rungs = self.height().map_or(&[][..], |height| &self.rungs[..=height]);
        rungs.iter().rev().flatten().map(|rung| (rung.base, &rung.since))
    }

    /// That version, which has this length, was written as this object.
    pub(crate) fn written(&mut self, object: u32, length: u32) {
        let Some(height) = self.height() else { return };
        for rung in &mut self.rungs[..=height] {
            *rung = Some(Rung { base: object, since: Delta::identity(length) });
        }
    }

    /// The highest rung that the newest version stands on.
    fn height(&self) -> Option<usize> {
        let spans = [1, FACTOR, FACTOR.pow(2), FACTOR.pow(3)];
        let height = spans.iter().rposition(|span| self.versions.is_multiple_of(*span))?;
        (height < self.rungs.len()).then_some(height)
    }
}

/// Whether a delta takes less room than the content of a directory, half of which are IDs, which don't shrink.
fn is_worth_it(delta: &Delta) -> bool {
    delta.weight() < delta.target_length() as usize / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_chain_is_longer_than_45_and_every_base_leads_to_the_newest_version() {
        let mut history = History::new(0, 0, 1_000);
        let mut contents = vec![vec![0; 1_000]];
        let mut depths = vec![0];
        for version in 1..4096u32 {
            let old = &contents[version as usize - 1];
            let mut new = vec![0; 1_000];
            new[..4].copy_from_slice(&version.to_le_bytes());
            new.truncate(900 + version as usize % 100);
            history.change(Delta::one_place(old, &new));
            let mut bases = history.bases().peekable();
            let best = bases.peek().expect("a base").0;
            for (base, since) in bases {
                let mut patched = contents[base as usize].clone();
                since.apply(&mut patched);
                assert_eq!(patched, new, "version {version} from {base}");
            }
            depths.push(depths[best as usize] + 1);
            history.written(version, new.len().try_into().unwrap());
            contents.push(new);
        }
        assert_eq!(depths.iter().max(), Some(&45));
        history.change(Delta::one_place(&contents[4095], b"x"));
        assert_eq!(history.bases().count(), 0);
    }
    #[test]
    fn what_changed_too_much_since_is_no_base() {
        let mut history = History::new(0, 0, 1_000);
        let (old, new) = (vec![1; 1_000], vec![2; 1_000]);
        history.change(Delta::one_place(&old, &new));
        assert_eq!(history.bases().count(), 0);
        history.change(Delta::identity(1_000));
        assert_eq!(history.bases().count(), 0);
    }
}
