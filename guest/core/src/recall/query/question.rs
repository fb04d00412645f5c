//! What a question names and asks for.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::EntityId;
use crate::runs;
use crate::storage::rules::MAX_ITEMS;
use crate::storage::{Snapshot, StorageResult};
use crate::vocabulary;

/// Entities of a question that facts are fetched for.
const MAX_ENTITIES: usize = 16;
/// Letters that a word of a question must share with a word of a relation.
const STEM: usize = 4;

/// The words of a question.
pub(super) struct Question {
    words: Vec<String>,
}

impl Question {
    pub(super) fn read(question: &str) -> Self {
        Self { words: runs::words(question) }
    }

    /// Every run of words that may be a name, with its place and length.
    fn runs(&self) -> impl Iterator<Item = (usize, usize, String)> + '_ {
        let lengths = 1..=runs::MAX_NAME_WORDS;
        lengths.flat_map(|length| runs::runs(&self.words, length).map(move |(start, name)| (start, length, name)))
    }

    /// The entities that it names: the longest names first, no word used twice.
    pub(super) fn entities<S: Snapshot>(&self, snapshot: &S) -> StorageResult<Vec<EntityId>> {
        let runs: Vec<(usize, usize, String)> = self.runs().collect();
        let names: BTreeSet<String> = runs.iter().map(|(_, _, name)| name.clone()).collect();
        let mut known: BTreeMap<String, Vec<EntityId>> = BTreeMap::new();
        let names: Vec<String> = names.into_iter().collect();
        for names in names.chunks(MAX_ITEMS as usize) {
            for found in snapshot.find_names(names)? {
                known.entry(found.name).or_default().push(found.entity);
            }
        }
        let mut found: Vec<&(usize, usize, String)> = runs.iter().filter(|run| known.contains_key(&run.2)).collect();
        found.sort_by_key(|(start, length, _)| (std::cmp::Reverse(*length), *start));
        let mut used = BTreeSet::new();
        let mut entities = Vec::new();
        for (start, length, name) in found {
            let words = *start..start + length;
            if words.clone().all(|word| !used.contains(&word)) {
                used.extend(words);
                entities.extend(known[name].iter().copied().filter(|id| !entities.contains(id)).collect::<Vec<_>>());
            }
        }
        entities.truncate(MAX_ENTITIES);
        Ok(entities)
    }

    /// The relations known from the start that it asks for.
    pub(super) fn relations(&self) -> Vec<&'static str> {
        vocabulary::built_in().filter(|relation| self.asks_for(relation)).collect()
    }

    /// Whether it asks for a relation: one of its words begins like a word of the relation.
    pub(super) fn asks_for(&self, relation: &str) -> bool {
        let stem = |word: &str| word.chars().take(STEM).collect::<String>();
        vocabulary::words(relation)
            .filter(|word| word.chars().count() >= STEM)
            .any(|word| self.words.iter().any(|asked| asked.chars().count() >= STEM && stem(asked) == stem(word)))
    }
}
