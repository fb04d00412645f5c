//! A compiled set: what reading a text looks up, ready without any work at start-up.

use serde::{Deserialize, Serialize};

use super::model::{Meaning, Number, Unit};

/// Number of a word in a set's vocabulary.
pub type WordId = u32;

/// No word of the vocabulary.
pub const UNKNOWN: WordId = u32::MAX;

/// Classes of words, as bits; a phrase has the bits of all the lists that it is in.
pub mod class {
    macro_rules! classes {
        ($($name:ident = $bit:literal),* $(,)?) => { $(#[allow(missing_docs)] pub const $name: u32 = 1 << $bit;)* };
    }
    classes! {
        ARTICLE = 0, FILLER = 1, DENIAL = 2, MODAL = 3, DOUBT = 4, CONDITION = 5, BARRIER = 6, RELATIVE = 7,
        POSSESSIVE = 8, VAGUE = 9, OBJECT_END = 10, LIST = 11, SPEAKER = 12, SPEAKER_OBJECT = 13, SHE = 14, HE = 15,
        TITLE = 16, ABBREVIATION = 17, FEMALE = 18, MALE = 19, SEPARATOR = 20, TIME = 21,
    }
}

/// A compiled pattern set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Lower-case language tag.
    pub language: String,
    /// The file's own version.
    pub version: String,
    /// Every word that any phrase of the set has.
    pub vocabulary: Vocabulary,
    /// Every phrase of the set, word by word.
    pub tree: Tree,
    /// Ways to say the patterns.
    pub templates: Vec<Template>,
    /// The patterns, in the order of the file.
    pub patterns: Vec<Pattern>,
    /// Whether a clause without subject speaks of the last person.
    pub null_subject: bool,
    /// Endings of given names, folded.
    pub female_endings: Vec<String>,
    /// Endings of given names, folded.
    pub male_endings: Vec<String>,
    /// How dates are said.
    pub time: Time,
}

/// Sorted folded words in one string.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Vocabulary {
    /// The words, one after another.
    pub text: String,
    /// Where each word ends.
    pub ends: Vec<u32>,
}

impl Vocabulary {
    /// The number of a folded word.
    pub fn id(&self, word: &str) -> WordId {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.word(middle).cmp(word) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return u32::try_from(middle).unwrap_or(UNKNOWN),
            }
        }
        UNKNOWN
    }

    fn word(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.text.get(start as usize..self.ends[index] as usize).unwrap_or_default()
    }
}

/// A prefix tree of phrases. Node 0 is the root.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// For each node the first of its edges, and one more entry at the end.
    pub first: Vec<u32>,
    /// Word and node it leads to, sorted by word within a node.
    pub edges: Vec<(WordId, u32)>,
    /// Classes of the phrase that ends at each node.
    pub classes: Vec<u32>,
    /// For each node the first of its templates, and one more entry at the end.
    pub templates: Vec<u32>,
}

impl Tree {
    /// The node that a word leads to.
    pub fn next(&self, node: u32, word: WordId) -> Option<u32> {
        let node = node as usize;
        let (start, end) = (*self.first.get(node)?, *self.first.get(node + 1)?);
        let edges = self.edges.get(start as usize..end as usize)?;
        edges.binary_search_by_key(&word, |edge| edge.0).ok().map(|at| edges[at].1)
    }

    /// The classes of the phrase that ends at a node; 0 for none.
    pub fn class(&self, node: u32) -> u32 {
        self.classes.get(node as usize).copied().unwrap_or(0)
    }

    /// The templates, by index, whose middle ends at a node.
    pub fn templates(&self, node: u32) -> std::ops::Range<usize> {
        let bound = |at: usize| self.templates.get(at).copied().unwrap_or(0) as usize;
        bound(node as usize)..bound(node as usize + 1)
    }
}

/// One word sequence around subject and object; the words between them are its path in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Template {
    /// Index of its pattern.
    pub pattern: u32,
    /// Words before the first name.
    pub prefix: Vec<WordId>,
    /// Words after the second name.
    pub suffix: Vec<WordId>,
    /// Whether the object stands before the subject.
    pub object_first: bool,
}

/// A pattern, without its templates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// Its name in the set.
    pub name: String,
    /// The fact's relation.
    pub relation: String,
    /// Rules of the relation.
    pub rules: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// What a date beside it means.
    pub meaning: Meaning,
    /// Which subjects it goes with.
    pub number: Number,
    /// Whether it takes lists.
    pub list: bool,
    /// Type of the subject.
    pub subject_type: String,
    /// Type of the object, or `text` or `number`.
    pub object_type: String,
    /// Sorted last words of its verbs of several words: they may be said again before a list's next item.
    pub links: Vec<WordId>,
    /// Sorted words that end the object.
    pub object_ends: Vec<WordId>,
    /// Objects that make it no fact, as word sequences.
    pub not_objects: Vec<Vec<WordId>>,
    /// Whether an article before the subject makes it no fact.
    pub bare_subject: bool,
}

/// How dates are said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// What single words stand for, sorted.
    pub values: Vec<(WordId, Value)>,
    /// Calendar dates.
    pub dates: Vec<Vec<Slot>>,
    /// Dates counted from the reference time.
    pub relative: Vec<Counted>,
    /// Dates with what they say of the fact.
    pub phrases: Vec<(Said, Vec<Slot>)>,
}

/// What a word stands for in a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Value {
    /// 1 to 12.
    Month(u32),
    /// 1 (Monday) to 7.
    Weekday(u32),
    /// A count.
    Number(u32),
    /// A unit.
    Unit(Unit),
}

/// An element of a phrase about time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Slot {
    /// This word.
    Word(WordId),
    /// Any date.
    Date,
    /// A date counted from the reference time.
    Relative,
    /// Four digits.
    Year,
    /// A month's name.
    Month,
    /// A day of the month.
    Day,
    /// A month in digits.
    MonthNumber,
    /// A weekday's name.
    Weekday,
    /// A count in words or digits.
    Number,
    /// A unit.
    Unit,
}

/// A date counted from the reference time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// The phrase.
    pub slots: Vec<Slot>,
    /// Its unit, where the phrase names none.
    pub unit: Option<Unit>,
    /// Units back, where the phrase has no number.
    pub back: Option<i32>,
}

/// What a phrase says of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Said {
    /// Then.
    At,
    /// From then on.
    Since,
    /// Until then.
    Until,
    /// From the first to the second date.
    Span,
    /// For so long, up to now.
    Lasting,
}
