//! Runs of words of a running text: what in it may be a name.

use std::collections::BTreeSet;

use crate::names::normalize;
use crate::storage::rules::MAX_NAME;

/// Words of the longest name that is looked for.
pub(crate) const MAX_NAME_WORDS: usize = 6;

/// The words of a text as keys, without the punctuation around them and without the `'s` of a genitive.
pub(crate) fn words(text: &str) -> Vec<String> {
    let trim = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '&'));
        let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        normalize(word)
    };
    text.split_whitespace().map(trim).filter(|word| !word.is_empty()).collect()
}

/// Every run of so many words, with its place, in the order of the text.
pub(crate) fn runs(words: &[String], length: usize) -> impl Iterator<Item = (usize, String)> + '_ {
    words.windows(length).enumerate().map(|(start, words)| (start, words.join(" ")))
}

/// The runs that may be names, once each and at most `max`: those of one word first, then those of two, and so on, since
/// the shorter a name, the likelier it is one.
pub(crate) fn names(words: &[String], max: usize) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for length in 1..=MAX_NAME_WORDS {
        for (_, name) in runs(words, length) {
            if names.len() == max {
                return names;
            }
            if name.len() <= MAX_NAME {
                names.insert(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_without_the_marks_around_them() {
        let words = words("“João's” boss at (Marks & Spencer), C++!");
        assert_eq!(words, ["joao", "boss", "at", "marks", "&", "spencer", "c++"]);
        let names = names(&words, 100);
        for name in ["marks & spencer", "c++", "boss at"] {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn of_a_long_text_the_short_runs_are_looked_for() {
        let words: Vec<String> = (0..50).map(|n| format!("w{n}")).collect();
        assert_eq!(names(&words, 60).iter().filter(|name| name.contains(' ')).count(), 10);
    }
}
