//! Facts from plain sentences, without a language model.
//!
//! A text is folded (lower case, no accents) and cut into words; a pattern set's words and verbs are looked up in a
//! tree; the places of the verbs part a sentence into clauses, and what stands before and after each verb gives
//! subject, object and dates. Everything is one pass over the words, so that no text takes more than linear time, and
//! the case and the accents of a text decide nothing but the spelling of names and whether a leading article is part
//! of one.
//!
//! What a language needs is in its YAML set (`pattern/sets`). The built-in sets are compiled by the build script;
//! other sets are read by [`PatternSet::parse`] and compiled by [`Patterns::with`].

mod advice;
mod aside;
mod bounds;
mod calendar;
mod clause;
mod collected;
mod dates;
mod doubt;
mod explain;
mod gap;
mod join;
mod name;
mod object;
mod person;
mod read;
mod scan;
mod sentence;
mod set;
mod subject;
mod unread;
mod verb;
mod when;

use std::sync::OnceLock;

use chrono_tz::Tz;

pub use explain::{Explained, ExplainedClause, ExplainedDate, ExplainedFact, ExplainedName, Held, Reason, Words};
pub use set::compile::Problem;
pub use set::model::{Meaning, Number, PatternSet};

use self::calendar::Today;
use self::collected::Collected;
use self::explain::{Account, explained};
use self::person::Persons;
use self::read::{Fact, Reader, Seen};
use self::scan::Scan;
use self::sentence::{Inside, Sentence};
use self::set::fold::{Kind, Token, fold, tokenize};
use self::set::table::{Class, Table, class};
use crate::extract::Extraction;
use crate::time::Instant;

/// What a text is read with.
#[derive(Debug, Clone, Copy)]
pub struct PatternContext<'a> {
    /// When it was told: what relative dates count from, and what ends a state told as over.
    pub reference_time: Instant,
    /// Where the days of relative dates begin.
    pub timezone: Tz,
    /// Who "I" is; without it the first person gives no fact.
    pub speaker: Option<&'a str>,
    /// The only language to read; all when `None`.
    pub language: Option<&'a str>,
}

/// Why a text can't be read, or patterns can't be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// No set is in the language that was asked for.
    #[error("language: there are no patterns for `{language}`; known are {}", .known.join(", "))]
    UnknownLanguage {
        /// As asked for.
        language: String,
        /// Languages of the sets at hand.
        known: Vec<String>,
    },
    /// A set's text is no YAML of a set.
    #[error("patterns: {0}")]
    Unreadable(String),
    /// A set is wrong in these places.
    #[error("patterns: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Wrong(Vec<Problem>),
    /// Bytes that [`Patterns::to_bytes`] of this version didn't make.
    #[error("patterns: the compiled form is damaged or of another version; compile the sets again")]
    Damaged,
}

/// Compiled pattern sets, one a language.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Patterns {
    tables: Vec<Table>,
}

/// The built-in sets as the build script compiled them.
const BUILT_IN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/patterns.bin"));

/// The sources of the built-in sets, for sets that leave out what these have.
const SOURCES: [&str; 2] = [include_str!("pattern/sets/en.yaml"), include_str!("pattern/sets/pt-br.yaml")];

/// The facts that a text states, read with the built-in sets.
///
/// # Errors
/// [`PatternError::UnknownLanguage`].
pub fn extract(text: &str, context: &PatternContext<'_>) -> Result<Extraction, PatternError> {
    Patterns::built_in().extract(text, context)
}

impl PatternSet {
    /// Reads a set from YAML; what is wrong with its patterns shows when it is compiled.
    ///
    /// # Errors
    /// [`PatternError::Unreadable`], with line and column.
    pub fn parse(yaml: &str) -> Result<Self, PatternError> {
        serde_saphyr::from_str(yaml).map_err(|error| PatternError::Unreadable(error.to_string()))
    }
}

impl Patterns {
    /// The built-in sets, `en` and `pt-br`.
    pub fn built_in() -> &'static Self {
        static PATTERNS: OnceLock<Patterns> = OnceLock::new();
        PATTERNS.get_or_init(|| Self::from_bytes(BUILT_IN).expect("the build script wrote them with the same types"))
    }

    /// These sets and one more, which replaces that of its language. What it leaves out of `words` and `time` it takes
    /// from the built-in set of its language.
    ///
    /// # Errors
    /// [`PatternError::Wrong`] with every problem of the set.
    pub fn with(mut self, set: &PatternSet) -> Result<Self, PatternError> {
        let language = set.language.to_lowercase();
        let needs_base = set.words.is_none() || set.time.is_none();
        let mut bases = SOURCES.iter().filter(|_| needs_base).filter_map(|source| PatternSet::parse(source).ok());
        let base = bases.find(|base| base.language == language);
        let table = set::compile::compile(set, base.as_ref()).map_err(PatternError::Wrong)?;
        match self.tables.iter_mut().find(|known| known.language == table.language) {
            Some(known) => *known = table,
            None => self.tables.push(table),
        }
        Ok(self)
    }

    /// Languages of the sets, in the order in which they are tried.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.language.as_str())
    }

    /// Relations of the sets and the rules that they have: `functional`, `one_source`, `symmetric`, `immutable`.
    pub fn relations(&self) -> impl Iterator<Item = (&str, &[String])> {
        let patterns = self.tables.iter().flat_map(|table| &table.patterns);
        patterns.map(|pattern| (pattern.relation.as_str(), pattern.rules.as_slice()))
    }

    /// The compiled form, for handing over to another instance of the same version.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.tables).expect("tables are plain data")
    }

    /// Reads the compiled form.
    ///
    /// # Errors
    /// [`PatternError::Damaged`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PatternError> {
        let tables = postcard::from_bytes(bytes).map_err(|_| PatternError::Damaged)?;
        Ok(Self { tables })
    }

    /// The facts that a text states, in its order, and the entities that they name.
    ///
    /// # Errors
    /// [`PatternError::UnknownLanguage`].
    pub fn extract(&self, text: &str, context: &PatternContext<'_>) -> Result<Extraction, PatternError> {
        let tokens = tokenize(text);
        let inside = sentence::enclosures(&tokens);
        let mut collected = Collected::default();
        self.read(Cut { text, tokens: &tokens, inside: &inside }, context, false, |_, _, readings| {
            collected.add(readings.into_iter().next().unwrap_or_default().facts);
        })?;
        Ok(collected.extraction)
    }

    /// What [`Self::extract`] reads where, and what it holds back and why: one a sentence.
    ///
    /// # Errors
    /// [`PatternError::UnknownLanguage`].
    pub fn explain(&self, text: &str, context: &PatternContext<'_>) -> Result<Vec<Explained>, PatternError> {
        let tokens = tokenize(text);
        let inside = sentence::enclosures(&tokens);
        let nothing = vec![Inside::Nothing; tokens.len()];
        let mut all = Vec::new();
        self.read(Cut { text, tokens: &tokens, inside: &inside }, context, true, |sentence, scans, readings| {
            let accounts = readings.iter().map(|reading| Account {
                scan: &scans[reading.language],
                facts: &reading.facts,
                seen: &reading.seen,
            });
            let accounts: Vec<_> = accounts.collect();
            let Some(chosen) = accounts.first() else { return };
            let range = sentence.tokens.clone();
            let open = Scan::all(&[chosen.scan.table], text, &tokens[range.clone()], &nothing[range]);
            all.extend(open.first().and_then(|open| explained(&accounts, open)));
        })?;
        Ok(all)
    }

    /// Reads a text sentence by sentence; `each` gets what the languages make of one, the chosen one first, and the
    /// others only if `explains`.
    fn read<'a>(
        &'a self,
        Cut { text, tokens, inside }: Cut<'a>,
        context: &PatternContext<'a>,
        explains: bool,
        mut each: impl FnMut(&Sentence, &[Scan<'a>], Vec<Reading<'a>>),
    ) -> Result<(), PatternError> {
        let tables = self.active(context.language)?;
        let sentences = sentence::sentences(tokens, inside, |at| keeps_dot(&tables, text, tokens, at));
        let today = Today::new(context.reference_time, context.timezone);
        let speaker = context.speaker.filter(|name| !name.trim().is_empty());
        let mut reader = Reader { speaker, today, explains };
        let mut persons = Persons::default();
        let mut language = None;
        let mut listed = false;
        let mut sentences = sentences.into_iter().peekable();
        let mut ahead = None;
        let scan = |sentence: &Sentence| {
            let range = sentence.tokens.clone();
            Scan::all(&tables, text, &tokens[range.clone()], &inside[range])
        };
        while let Some(sentence) = sentences.next() {
            persons.next_sentence();
            let scans = ahead.take().unwrap_or_else(|| scan(&sentence));
            ahead = sentences.peek().map(scan);
            let taken_back = ahead.iter().flatten().any(doubt::takes_back);
            // The items under `Rumors:` are as doubtful as what stands beside it.
            listed = doubt::is_item(&scans, listed) || scans.iter().any(doubt::labels_list);
            if scans.iter().any(names_sender) {
                reader.speaker = None;
            }
            if !explains && scans.iter().all(|scan| scan.anchors.is_empty()) {
                note_given(&scans, &mut persons);
                continue;
            }
            let readings = readings(&reader, &scans, (sentence.question, taken_back || listed), &persons, language);
            if let Some(best) = readings.first() {
                persons.clone_from(&best.persons);
                note_given(&scans, &mut persons);
                language = if best.facts.is_empty() { language } else { Some(best.language) };
            }
            each(&sentence, &scans, readings);
        }
        Ok(())
    }

    fn active(&self, language: Option<&str>) -> Result<Vec<&Table>, PatternError> {
        let Some(asked) = language else { return Ok(self.tables.iter().collect()) };
        let tag = asked.trim().to_lowercase().replace('_', "-");
        let primary = |tag: &str| tag.split('-').next().unwrap_or_default().to_owned();
        let exact = self.tables.iter().find(|table| table.language == tag);
        let found = exact.or_else(|| self.tables.iter().find(|table| primary(&table.language) == primary(&tag)));
        found.map(|table| vec![table]).ok_or_else(|| PatternError::UnknownLanguage {
            language: asked.to_owned(),
            known: self.languages().map(str::to_owned).collect(),
        })
    }
}

/// Remembers the given names of a sentence that names no other person, as the languages that know most of its words have
/// them, else as the others do.
fn note_given<'a>(scans: &[Scan<'a>], persons: &mut Persons<'a>) {
    if persons.are_named() {
        return;
    }
    let most = scans.iter().map(Scan::known_words).max();
    let (best, others): (Vec<_>, Vec<_>) = scans.iter().partition(|scan| Some(scan.known_words()) == most);
    best.into_iter().for_each(|scan| persons.note_given(scan));
    if !persons.are_named() {
        others.into_iter().for_each(|scan| persons.note_given(scan));
    }
}

/// Whether a line of a sentence says who speaks from there on: `From: Ana`.
fn names_sender(scan: &Scan<'_>) -> bool {
    let starts = |at: usize| at == 0 || scan.tokens[at].lines > 0;
    (1..scan.tokens.len()).any(|colon| {
        scan.tokens[colon].is_mark(':')
            && (colon.saturating_sub(2)..colon)
                .any(|at| starts(at) && scan.has_class(at, class::SENDER) && at + scan.length(at) == colon)
    })
}

/// Whether the dot after a word ends no sentence, or the mark at its place is part of a name: an abbreviation in any language at hand, an initial.
fn keeps_dot(tables: &[&Table], text: &str, tokens: &[Token], at: usize) -> bool {
    if tokens[at].is_mark('!') {
        return is_in_name(tables, text, tokens, at);
    }
    let spelled = &text[tokens[at].start..tokens[at].end];
    if spelled.len() > 64 || spelled.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let initials = spelled.split('.').all(|part| part.chars().count() == 1) && spelled.starts_with(char::is_alphabetic);
    let word = fold(spelled);
    initials || tables.iter().any(|table| class_of(table, &word) & (class::TITLE | class::ABBREVIATION) != 0)
}

/// Whether a mark belongs to the name before it, because a date and nothing more of a sentence comes after it: `Yahoo!
/// since 1991`.
fn is_in_name(tables: &[&Table], text: &str, tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| &text[token.start..token.end]);
    let is_year = |at: usize| word(at).len() == 4 && word(at).bytes().all(|byte| byte.is_ascii_digit());
    let is = |at: usize, class: Class| {
        let word = fold(word(at));
        tables.iter().any(|table| class_of(table, &word) & class != 0)
    };
    // `since 1991`, `since May 1991`
    let after = if is_year(at + 2) || !is(at + 2, class::TIME) { at + 3 } else { at + 4 };
    let ends = tokens.get(after).is_none_or(|next| next.kind != Kind::Word || next.lines > 0);
    is_year(after - 1) && is(at + 1, class::TIME) && (ends || is(after, class::SEPARATOR | class::LIST))
}

/// The classes of a word that starts a phrase.
fn class_of(table: &Table, word: &str) -> Class {
    table.tree.next(0, table.vocabulary.id(word)).map_or(0, |node| table.tree.class(node))
}

/// A text, cut into words and marks.
#[derive(Clone, Copy)]
struct Cut<'a> {
    text: &'a str,
    tokens: &'a [Token],
    inside: &'a [Inside],
}

/// A sentence as one language reads it.
#[derive(Default)]
struct Reading<'a> {
    facts: Vec<Fact<'a>>,
    seen: Vec<Seen<'a>>,
    persons: Persons<'a>,
    /// Index of the language.
    language: usize,
}

/// Reads a sentence in the language that knows most of its words. Of those that know as many the language of the
/// sentences before is right, else the one whose verb stands further left: in `Kofi knows Ama, Yaw` the name `Ama` is no
/// form of `amar`. The right one is the first.
fn readings<'a>(
    reader: &Reader<'a>,
    scans: &[Scan<'a>],
    (question, retracted): (bool, bool),
    persons: &Persons<'a>,
    before: Option<usize>,
) -> Vec<Reading<'a>> {
    let known: Vec<usize> = scans.iter().map(Scan::known_words).collect();
    let most = known.iter().max();
    let read = |language: usize| {
        let mut persons = persons.clone();
        let (facts, seen) = reader.sentence(&scans[language], question, retracted, &mut persons);
        Reading { facts, seen, persons, language }
    };
    let asked = (0..scans.len()).filter(|at| reader.explains || Some(&known[*at]) == most);
    let mut readings: Vec<_> = asked.map(read).collect();
    readings.sort_by_key(|reading| {
        let position = reading.facts.first().map(|fact| fact.position);
        let other = before.is_some_and(|before| before != reading.language);
        (Some(&known[reading.language]) != most, position.is_none(), other, position)
    });
    readings
}
