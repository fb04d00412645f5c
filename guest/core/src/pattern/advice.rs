//! What a set would do well to have: lists without which false facts come out.

use super::set::compile::Problem;
use super::set::model::{PatternSet, TimeWords, Words};

impl PatternSet {
    /// The recommended lists that the set leaves empty, and what each is for. A set without them works, but states more
    /// than its texts do. What it leaves out as a whole, `words` or `time`, has the built-in set of its language, if
    /// there is one.
    #[must_use]
    pub fn advice(&self) -> Vec<Problem> {
        let built_in = super::Patterns::built_in().languages().any(|language| language == self.language.to_lowercase());
        let (no_words, no_time) = (Words::default(), TimeWords::default());
        let words = self.words.as_ref().or((!built_in).then_some(&no_words)).map(recommended_words);
        let time = self.time.as_ref().or((!built_in).then_some(&no_time)).map(recommended_time);
        let all = words.into_iter().flatten().chain(time.into_iter().flatten());
        let missing = all.filter(|(_, list, _)| list.is_empty());
        missing.map(|(place, _, message)| Problem { place: place.to_owned(), message: message.to_owned() }).collect()
    }
}

/// A list's place, the list, and what is amiss without it.
type Recommended<'a> = (&'static str, &'a [String], &'static str);

fn recommended_words(words: &Words) -> Vec<Recommended<'_>> {
    vec![
        ("words.denials", &words.denials, "empty; what is denied or wished will be read as a fact"),
        ("words.late_denials", &words.late_denials, "empty; `(not true)` after a fact will take nothing back"),
        ("words.doubts", &words.doubts, "empty; hearsay and guesses will be read as facts"),
        ("words.conditions", &words.conditions, "empty; conditions will be read as facts"),
        ("words.labels", &words.labels, "empty; what follows `Rumor:` or `Example:` will be read as a fact"),
        (
            "words.barriers",
            &words.barriers,
            "empty; names will go on into other clauses, and passives be read as facts",
        ),
        ("words.possessives", &words.possessives, "empty; `my sister` or `some people` will be names"),
        ("words.vague", &words.vague, "empty; `nobody` and `here` will be names"),
        ("words.verbs", &words.verbs, "empty; names will go on into clauses whose verb no pattern has"),
        ("words.object_ends", &words.object_ends, "empty; objects will go on to the end of their clause"),
    ]
}

fn recommended_time(time: &TimeWords) -> Vec<Recommended<'_>> {
    vec![
        ("time.dates", &time.dates, "empty; only ISO dates will be read, and other dates be parts of names"),
        ("time.phrases.unread", &time.phrases.unread, "empty; what began `before` a date will count as of now"),
    ]
}
