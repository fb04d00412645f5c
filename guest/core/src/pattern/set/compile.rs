//! From a set as written to a set as looked up, with every problem named by its place.

use std::collections::BTreeSet;
use std::fmt;

use super::fold::{Kind, fold, tokenize};
use super::model::{Pattern, PatternSet, TimeWords, Words};
use super::table::{self, Class, Sequences, Table, UNKNOWN, Vocabulary, WordId, class};
use super::template::expand;
use super::told::{Told, slots_of};
use super::tree::plant;

/// What is wrong with a set, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Path in the file: `patterns[2].templates[0]`.
    pub place: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// What stands for any words at the end of an object.
const ANY: &str = "{{words}}";

/// The rules that a relation may have.
const RULES: [&str; 4] = ["functional", "one_source", "symmetric", "immutable"];

/// Compiles a set; what its file leaves out of `words` and `time` comes from `base`, the set of the same language.
pub(crate) fn compile(set: &PatternSet, base: Option<&PatternSet>) -> Result<Table, Vec<Problem>> {
    let (no_words, no_time) = (Words::default(), TimeWords::default());
    let words = set.words.as_ref().or_else(|| base?.words.as_ref()).unwrap_or(&no_words);
    let time = set.time.as_ref().or_else(|| base?.time.as_ref()).unwrap_or(&no_time);
    let mut compiler = Compiler::default();
    compiler.check_head(set);
    let phrases = compiler.phrases(set, words);
    let ways: Vec<Way> = (0..set.patterns.len()).flat_map(|at| compiler.pattern(set, at)).collect();
    let told = Told::new(&mut compiler, time);
    compiler.collect(set, &phrases, &ways);
    for phrase in told.phrases() {
        compiler.check_slots(phrase);
        compiler.words.extend(slots_of(phrase).filter(|part| !part.starts_with("{{")));
    }
    let named = time.months.keys().chain(time.weekdays.keys()).chain(time.numbers.keys()).chain(time.units.keys());
    compiler.words.extend(named.map(|word| fold(word)));
    if !compiler.problems.is_empty() {
        return Err(compiler.problems);
    }

    compiler.words.remove("");
    let vocabulary = Vocabulary::of(compiler.words.iter().map(String::as_str));
    let time = told.table(&vocabulary, time);
    let patterns = set.patterns.iter().enumerate().map(|(at, pattern)| {
        let own = ways.iter().filter(|way| way.pattern == at);
        let named = |name: &Option<String>| {
            let at = set.patterns.iter().position(|known| Some(&known.name) == name.as_ref())?;
            u32::try_from(at).ok()
        };
        let (next, of_organization) = (named(&pattern.next), named(&pattern.of_organization));
        table::Pattern { next, of_organization, ..compiled(pattern, words, &vocabulary, links(own, &vocabulary)) }
    });
    let patterns = patterns.collect();
    let (tree, around) = plant(&vocabulary, &phrases, &ways, &time);
    Ok(Table {
        language: set.language.to_lowercase(),
        version: set.version.clone(),
        vocabulary,
        tree,
        around,
        patterns,
        null_subject: words.null_subject,
        female_endings: words.female_endings.iter().map(|ending| fold(ending)).collect(),
        male_endings: words.male_endings.iter().map(|ending| fold(ending)).collect(),
        time,
    })
}

/// One written-out template.
pub(super) struct Way {
    pub(super) pattern: usize,
    pub(super) prefix: Vec<String>,
    pub(super) middle: Vec<String>,
    pub(super) suffix: Vec<String>,
    pub(super) object_first: bool,
    pub(super) next: bool,
}

#[derive(Default)]
pub(super) struct Compiler {
    pub(super) problems: Vec<Problem>,
    words: BTreeSet<String>,
}

impl Compiler {
    fn problem(&mut self, place: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem { place: place.into(), message: message.into() });
    }

    fn check_head(&mut self, set: &PatternSet) {
        if set.language.trim().is_empty() {
            self.problem("language", "missing; write a language tag such as `en` or `pt-br`");
        }
        if set.patterns.is_empty() {
            self.problem("patterns", "there must be at least one");
        }
        let mut names = BTreeSet::new();
        for (at, pattern) in set.patterns.iter().enumerate() {
            let place = format!("patterns[{at}]");
            if pattern.name.trim().is_empty() {
                self.problem(format!("{place}.name"), "missing");
            } else if !names.insert(pattern.name.as_str()) {
                self.problem(format!("{place}.name"), format!("`{}` is used twice", pattern.name));
            }
            let snake = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if pattern.relation.is_empty() || !pattern.relation.chars().all(snake) {
                self.problem(format!("{place}.relation"), "must be in snake_case: `works_at`");
            }
            if pattern.templates.is_empty() {
                self.problem(format!("{place}.templates"), "there must be at least one");
            }
            if pattern.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
                self.problem(format!("{place}.confidence"), "must be from 0 to 1");
            }
            for rule in pattern.rules.iter().filter(|rule| !RULES.contains(&rule.as_str())) {
                self.problem(format!("{place}.rules"), format!("`{rule}` is none of {}", RULES.join(", ")));
            }
        }
    }

    /// Every phrase that has a class.
    fn phrases(&mut self, set: &PatternSet, words: &Words) -> Vec<(Vec<String>, Class)> {
        let lists: [(&[String], Class, &str); 32] = [
            (&set.clause_separators, class::SEPARATOR, "clause_separators"),
            (&words.articles, class::ARTICLE, "words.articles"),
            (&words.fillers, class::FILLER, "words.fillers"),
            (&words.denials, class::DENIAL, "words.denials"),
            (&words.modals, class::MODAL, "words.modals"),
            (&words.late_denials, class::LATE_DENIAL, "words.late_denials"),
            (&words.doubts, class::DOUBT, "words.doubts"),
            (&words.resumes, class::RESUME, "words.resumes"),
            (&words.labels, class::LABEL, "words.labels"),
            (&words.senders, class::SENDER, "words.senders"),
            (&words.conditions, class::CONDITION, "words.conditions"),
            (&words.barriers, class::BARRIER, "words.barriers"),
            (&words.verbs, class::VERB, "words.verbs"),
            (&words.relatives, class::RELATIVE, "words.relatives"),
            (&words.possessives, class::POSSESSIVE, "words.possessives"),
            (&words.kin, class::KIN, "words.kin"),
            (&words.roles, class::ROLE, "words.roles"),
            (&words.not_roles, class::FORMER, "words.not_roles"),
            (&words.genitives, class::GENITIVE, "words.genitives"),
            (&words.companies, class::COMPANY, "words.companies"),
            (&words.vague, class::VAGUE, "words.vague"),
            (&words.object_ends, class::OBJECT_END, "words.object_ends"),
            (&words.purposes, class::PURPOSE, "words.purposes"),
            (&words.list_separators, class::LIST, "words.list_separators"),
            (&words.speaker, class::SPEAKER, "words.speaker"),
            (&words.speaker_object, class::SPEAKER_OBJECT, "words.speaker_object"),
            (&words.she, class::SHE, "words.she"),
            (&words.he, class::HE, "words.he"),
            (&words.titles, class::TITLE, "words.titles"),
            (&words.abbreviations, class::ABBREVIATION, "words.abbreviations"),
            (&words.female, class::FEMALE, "words.female"),
            (&words.male, class::MALE, "words.male"),
        ];
        let mut all = self.things(words);
        for (list, class, place) in lists {
            for (at, entry) in list.iter().enumerate() {
                for text in self.expanded(&format!("{place}[{at}]"), entry) {
                    all.push((split(&text), class));
                }
            }
        }
        all
    }

    /// Words that name no place and no organization, alone or, with `{{words}}` after them, as the first of several.
    fn things(&mut self, words: &Words) -> Vec<(Vec<String>, Class)> {
        let mut all = Vec::new();
        for (at, entry) in words.things.iter().enumerate() {
            let (entry, class) = match entry.strip_suffix(ANY) {
                Some(first) => (first, class::THINGS),
                None => (entry.as_str(), class::THING),
            };
            let texts = self.expanded(&format!("words.things[{at}]"), entry);
            all.extend(texts.into_iter().map(|text| (split(&text), class)));
        }
        all
    }

    pub(super) fn expanded(&mut self, place: &str, template: &str) -> Vec<String> {
        let all = match expand(template) {
            Ok(all) => all,
            Err(message) => {
                self.problem(place, message);
                Vec::new()
            }
        };
        if all.iter().any(|text| text.trim().is_empty()) {
            self.problem(place, "may not stand for nothing");
        }
        all
    }

    pub(super) fn expand_all(&mut self, place: &str, list: &[String]) -> Vec<String> {
        list.iter().enumerate().flat_map(|(at, entry)| self.expanded(&format!("{place}[{at}]"), entry)).collect()
    }

    fn pattern(&mut self, set: &PatternSet, at: usize) -> Vec<Way> {
        let pattern = &set.patterns[at];
        for (key, other) in [("next", &pattern.next), ("of_organization", &pattern.of_organization)] {
            if let Some(other) = other
                && !set.patterns.iter().any(|known| known.name == *other)
            {
                self.problem(format!("patterns[{at}].{key}"), format!("there is no pattern `{other}`"));
            }
        }
        let mut ways = Vec::new();
        for (number, template) in pattern.templates.iter().enumerate() {
            let place = format!("patterns[{at}].templates[{number}]");
            for text in self.expanded(&place, template) {
                match way(at, &text) {
                    Ok(way) if way.next && pattern.next.is_none() => {
                        self.problem(&place, "has `{{next}}`, so the pattern needs a `next`: the name of another one");
                        break;
                    }
                    Ok(way) => ways.push(way),
                    Err(message) => {
                        self.problem(&place, message);
                        break;
                    }
                }
            }
        }
        ways
    }

    fn collect(&mut self, set: &PatternSet, phrases: &[(Vec<String>, Class)], ways: &[Way]) {
        self.words.extend(phrases.iter().flat_map(|(phrase, _)| phrase.iter().cloned()));
        for way in ways {
            let words = [&way.prefix, &way.middle, &way.suffix].into_iter().flatten();
            self.words.extend(words.filter(|word| slot(word).is_none()).cloned());
        }
        for pattern in &set.patterns {
            self.words.extend(pattern.object_ends.iter().flatten().flat_map(|text| split(text)));
            let objects = pattern.objects.iter().chain(&pattern.not_objects).flat_map(|text| object(text));
            self.words.extend(objects.filter(|word| slot(word).is_none()));
        }
    }
}

/// The folded words of a text without placeholders. A short form stands alone here, `'ve worked`, and with the word
/// before it in a text; both are one word.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut short = false;
    for token in tokenize(text) {
        let word = match token.kind {
            Kind::Word => fold(&text[token.start..token.end]),
            Kind::Mark(mark) => mark.to_string(),
        };
        match words.last_mut().filter(|_| short && !token.spaced && token.kind == Kind::Word) {
            Some(apostrophe) => apostrophe.push_str(&word),
            None => words.push(word),
        }
        short = token.is_mark('\'');
    }
    words
}

fn way(pattern: usize, text: &str) -> Result<Way, String> {
    const BOTH: &str = "must have `{{subject}}` and `{{object}}` once each, and no other placeholder";
    const LAST: &str = "`{{next}}` must be the last, after `{{object}}` and a word";
    let mut slots = Vec::new();
    let mut around = Vec::new();
    for (at, piece) in text.split("{{").enumerate() {
        if at == 0 {
            around.push(split(piece));
            continue;
        }
        let (name, rest) = piece.split_once("}}").ok_or(BOTH)?;
        let filled = format!("{{{{{}}}}}", name.trim());
        match around.last_mut().filter(|_| slot(&filled).is_some()) {
            Some(words) => {
                words.push(filled);
                words.extend(split(rest));
            }
            None => {
                slots.push(name.trim());
                around.push(split(rest));
            }
        }
    }
    let (object_first, next) = match slots[..] {
        ["subject", "object"] => (false, false),
        ["object", "subject"] => (true, false),
        ["subject", "object", "next"] => (false, true),
        _ if slots.contains(&"next") => return Err(LAST.to_owned()),
        _ => return Err(BOTH.to_owned()),
    };
    let mut around = around.into_iter();
    let mut words = || around.next().unwrap_or_default();
    let (prefix, middle, suffix, after) = (words(), words(), words(), words());
    if middle.is_empty() {
        return Err("needs a word between the two placeholders".to_owned());
    }
    let inside = |words: &[String]| words.iter().filter(|word| slot(word).is_some()).count();
    let edge = |word: Option<&String>| word.is_some_and(|word| slot(word).is_some());
    if inside(&middle) > 1 || inside(&prefix) + inside(&suffix) > 0 || edge(middle.first()) || edge(middle.last()) {
        return Err("may have `{{role}}` or `{{words}}` once, inside the words between subject and object".to_owned());
    }
    if next && (suffix.is_empty() || !after.is_empty()) {
        return Err(LAST.to_owned());
    }
    Ok(Way { pattern, prefix, middle, suffix, object_first, next })
}

pub(super) fn ids(vocabulary: &Vocabulary, words: &[String]) -> Vec<WordId> {
    words.iter().map(|word| slot(word).unwrap_or_else(|| vocabulary.id(word))).collect()
}

/// What stands for more than itself inside a verb.
fn slot(word: &str) -> Option<WordId> {
    match word {
        "{{role}}" => Some(table::ROLE),
        "{{words}}" => Some(table::WORDS),
        _ => None,
    }
}

/// The words of an object that a pattern takes or refuses; `{{words}}` at the end stands for any.
fn object(text: &str) -> Vec<String> {
    let (words, any) = text.strip_suffix(ANY).map_or((text, None), |words| (words, Some(ANY.to_owned())));
    split(words).into_iter().chain(any).collect()
}

fn links<'a>(ways: impl Iterator<Item = &'a Way>, vocabulary: &Vocabulary) -> Vec<WordId> {
    let last = ways.filter(|way| way.middle.len() > 1).filter_map(|way| way.middle.last());
    last.map(|word| vocabulary.id(word)).collect::<BTreeSet<_>>().into_iter().collect()
}

fn compiled(pattern: &Pattern, words: &Words, vocabulary: &Vocabulary, links: Vec<WordId>) -> table::Pattern {
    let ends = pattern.object_ends.as_ref().unwrap_or(&words.object_ends);
    let mut object_ends: Vec<WordId> = ends.iter().map(|word| vocabulary.id(&fold(word))).collect();
    object_ends.retain(|id| *id != UNKNOWN);
    object_ends.sort_unstable();
    let sequences = |list: &[String]| Sequences::of(list.iter().map(|text| ids(vocabulary, &object(text))));
    let known = |given: &Option<String>| given.clone().unwrap_or_else(|| "unknown".to_owned());
    table::Pattern {
        name: pattern.name.clone(),
        relation: pattern.relation.clone(),
        rules: pattern.rules.clone(),
        confidence: pattern.confidence.unwrap_or(0.5),
        meaning: pattern.meaning,
        number: pattern.number,
        list: pattern.list,
        links,
        subject_type: known(&pattern.subject_type),
        object_type: known(&pattern.object_type),
        object_ends,
        objects: sequences(&pattern.objects),
        not_objects: sequences(&pattern.not_objects),
        bare_subject: pattern.bare_subject,
        next: None,
        of_organization: None,
    }
}
