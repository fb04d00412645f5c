//! A compiled set: what reading a text looks up, ready without any work at start-up.

use serde::{Deserialize, Serialize};

use super::model::{Meaning, Number, Unit};

/// Number of a word in a set's vocabulary.
pub(crate) type WordId = u32;

/// No word of the vocabulary.
pub(crate) const UNKNOWN: WordId = u32::MAX;

/// In the tree, any words of a job: `{{role}}`.
pub(crate) const ROLE: WordId = UNKNOWN - 1;

/// In the tree, any words: `{{words}}`.
pub(crate) const WORDS: WordId = UNKNOWN - 2;

/// Classes of words as bits of one number.
pub(crate) type Class = u64;

/// Classes of words, as bits; a phrase has the bits of all the lists that it is in. Four come from elsewhere: `TIME`
/// starts a date, at `PREFIX` a template's first words end, at `PREFIXED` a verb whose templates all have such words,
/// `COPULA` is a separator that a template's verb may start with.
pub(crate) mod class {
    use super::Class;

    macro_rules! classes {
        ($($name:ident = $bit:literal),* $(,)?) => { $(pub(crate) const $name: Class = 1 << $bit;)* };
    }
    classes! {
        ARTICLE = 0, FILLER = 1, DENIAL = 2, MODAL = 3, DOUBT = 4, CONDITION = 5, BARRIER = 6, RELATIVE = 7,
        POSSESSIVE = 8, VAGUE = 9, OBJECT_END = 10, LIST = 11, SPEAKER = 12, SPEAKER_OBJECT = 13, SHE = 14, HE = 15,
        TITLE = 16, ABBREVIATION = 17, FEMALE = 18, MALE = 19, SEPARATOR = 20, TIME = 21, PREFIX = 22, VERB = 23, COPULA = 24,
        KIN = 25, PURPOSE = 26, PREFIXED = 27, ROLE = 28, FORMER = 29, GENITIVE = 30, COMPANY = 31,
        LATE_DENIAL = 32, LABEL = 33, SENDER = 34, RESUME = 35, THING = 36, THINGS = 37,
    }
}

/// A compiled pattern set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Table {
    /// Lower-case language tag.
    pub(crate) language: String,
    /// The file's own version.
    pub(crate) version: String,
    /// Every word that any phrase of the set has.
    pub(crate) vocabulary: Vocabulary,
    /// Every phrase of the set, word by word.
    pub(crate) tree: Tree,
    /// Every pair of word sequences that templates have around the names; the first is empty.
    pub(crate) around: Vec<Around>,
    /// The patterns, in the order of the file.
    pub(crate) patterns: Vec<Pattern>,
    /// Whether a clause without subject speaks of the last person.
    pub(crate) null_subject: bool,
    /// Endings of given names, folded.
    pub(crate) female_endings: Vec<String>,
    /// Endings of given names, folded.
    pub(crate) male_endings: Vec<String>,
    /// How dates are said.
    pub(crate) time: Time,
}

/// Sorted folded words in one string, and a hash table of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Vocabulary {
    /// The words, one after another.
    text: String,
    /// Where each word ends.
    #[serde(with = "numbers")]
    ends: Vec<u32>,
    /// The words' numbers by hash, the next free slot after it where that is taken; `UNKNOWN` is free. Its length is a
    /// power of two, and at least twice the number of words.
    #[serde(with = "numbers")]
    slots: Vec<u32>,
}

impl Vocabulary {
    /// The vocabulary of folded words, in their order.
    pub(crate) fn of<'w>(words: impl ExactSizeIterator<Item = &'w str>) -> Self {
        let slots = vec![UNKNOWN; (2 * words.len()).next_power_of_two()];
        let mut vocabulary = Self { slots, ..Self::default() };
        for (number, word) in (0..).zip(words) {
            vocabulary.text.push_str(word);
            vocabulary.ends.push(u32::try_from(vocabulary.text.len()).unwrap_or(u32::MAX));
            let mask = vocabulary.slots.len() - 1;
            let free = (hash(word) as usize..).map(|at| at & mask).find(|at| vocabulary.slots[*at] == UNKNOWN);
            vocabulary.slots[free.expect("half of the slots stay free")] = number;
        }
        vocabulary
    }

    /// The number of a folded word.
    pub(crate) fn id(&self, word: &str) -> WordId {
        self.find(word, hash(word))
    }

    /// As `id`, for a word whose hash is known.
    pub(crate) fn find(&self, word: &str, hash: u32) -> WordId {
        let mask = self.slots.len().wrapping_sub(1);
        let probes = (hash as usize..).take(self.slots.len()).map(|at| self.slots[at & mask]);
        let mut taken = probes.take_while(|number| *number != UNKNOWN);
        taken.find(|number| self.word(*number as usize) == Some(word)).unwrap_or(UNKNOWN)
    }

    fn word(&self, index: usize) -> Option<&str> {
        let start = index.checked_sub(1).map_or(Some(&0), |before| self.ends.get(before))?;
        self.text.get(*start as usize..*self.ends.get(index)? as usize)
    }
}

/// FNV-1a: short words, no attacker who chooses the vocabulary.
pub(crate) fn hash(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// A prefix tree of phrases, in flat arrays. Node 0 is the root.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tree {
    /// For each word the node that it leads to from the root; `UNKNOWN` for none.
    #[serde(with = "numbers")]
    pub(crate) starts: Vec<u32>,
    /// For each node the first of its edges, and one more entry at the end.
    #[serde(with = "numbers")]
    pub(crate) first: Vec<u32>,
    /// For each edge its word, sorted within a node.
    #[serde(with = "numbers")]
    pub(crate) words: Vec<WordId>,
    /// For each edge the node that it leads to.
    #[serde(with = "numbers")]
    pub(crate) to: Vec<u32>,
    /// Every combination of classes that a phrase has.
    pub(crate) kinds: Vec<Class>,
    /// For each node the index of its phrase's combination.
    #[serde(with = "short")]
    pub(crate) classes: Vec<u16>,
    /// For each node a bit, 32 in a number: whether a template's verb goes on after it.
    #[serde(with = "numbers")]
    pub(crate) inside: Vec<u32>,
    /// For each node the first of its templates, and one more entry at the end.
    #[serde(with = "numbers")]
    pub(crate) own: Vec<u32>,
    /// For each template the index of its pattern, twice, and 1 more when the object stands first.
    #[serde(with = "numbers")]
    pub(crate) patterns: Vec<u32>,
    /// For each template the index of the words around its names.
    #[serde(with = "numbers")]
    pub(crate) around: Vec<u32>,
}

impl Tree {
    /// The node that a word leads to.
    pub(crate) fn next(&self, node: u32, word: WordId) -> Option<u32> {
        if node == 0 {
            return self.starts.get(word as usize).copied().filter(|to| *to != UNKNOWN);
        }
        let node = node as usize;
        let (start, end) = (*self.first.get(node)? as usize, *self.first.get(node + 1)? as usize);
        let at = self.words.get(start..end)?.binary_search(&word).ok()?;
        self.to.get(start + at).copied()
    }

    /// The classes of the phrase that ends at a node; 0 for none.
    pub(crate) fn class(&self, node: u32) -> Class {
        let kind = self.classes.get(node as usize).and_then(|kind| self.kinds.get(usize::from(*kind)));
        kind.copied().unwrap_or(0)
    }

    /// Whether a template's verb goes on after a node.
    pub(crate) fn goes_on(&self, node: u32) -> bool {
        self.inside.get(node as usize / 32).is_some_and(|bits| bits >> (node % 32) & 1 == 1)
    }

    /// Whether a template's verb ends at a node.
    pub(crate) fn is_verb(&self, node: u32) -> bool {
        !self.range(node).is_empty()
    }

    /// The templates whose verb ends at a node.
    pub(crate) fn templates(&self, node: u32) -> impl Iterator<Item = Template> {
        self.range(node).filter_map(|at| {
            let (pattern, around) = (*self.patterns.get(at)?, *self.around.get(at)?);
            Some(Template { pattern: pattern / 2, around, object_first: pattern % 2 == 1 })
        })
    }

    fn range(&self, node: u32) -> std::ops::Range<usize> {
        let bound = |at: usize| self.own.get(at).copied().unwrap_or(0) as usize;
        bound(node as usize)..bound(node as usize + 1)
    }

    /// Adds the classes of one more node.
    pub(crate) fn classify(&mut self, classes: Class) {
        let kind = self.kinds.iter().position(|known| *known == classes).unwrap_or_else(|| {
            self.kinds.push(classes);
            self.kinds.len() - 1
        });
        self.classes.push(u16::try_from(kind).unwrap_or(u16::MAX));
    }

    /// Adds a template to the node that is built last.
    pub(crate) fn push(&mut self, template: Template) {
        self.patterns.push(2 * template.pattern + u32::from(template.object_first));
        self.around.push(template.around);
    }
}

/// Numbers as bytes: an array of thousands is read in one go, where variable lengths would take a step a number.
macro_rules! as_bytes {
    ($name:ident, $number:ty) => {
        mod $name {
            use serde::{Deserialize, Deserializer, Serializer, de::Error};

            pub(super) fn serialize<S: Serializer>(numbers: &[$number], serializer: S) -> Result<S::Ok, S::Error> {
                let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
                serializer.serialize_bytes(&bytes)
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<$number>, D::Error> {
                let bytes = <&[u8]>::deserialize(deserializer)?;
                let (numbers, rest) = bytes.as_chunks();
                if !rest.is_empty() {
                    return Err(D::Error::custom("not a whole number of numbers"));
                }
                Ok(numbers.iter().map(|number| <$number>::from_le_bytes(*number)).collect())
            }
        }
    };
}

as_bytes!(numbers, u32);
as_bytes!(short, u16);

/// One word sequence around subject and object; the words between them are its path in the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Template {
    /// Index of its pattern.
    pub(crate) pattern: u32,
    /// Index of the words around the two names.
    pub(crate) around: u32,
    /// Whether the object stands before the subject.
    pub(crate) object_first: bool,
}

/// Words before the first and after the second name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Around {
    /// Words before the first name.
    pub(crate) prefix: Vec<WordId>,
    /// Words after the second name.
    pub(crate) suffix: Vec<WordId>,
    /// Whether the object of the pattern's next one follows.
    pub(crate) next: bool,
}

/// Word sequences, one after another with `UNKNOWN` after each: hundreds are read in one go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sequences(#[serde(with = "numbers")] Vec<WordId>);

impl Sequences {
    /// Sequences of words of the vocabulary.
    pub(crate) fn of(sequences: impl Iterator<Item = Vec<WordId>>) -> Self {
        Self(sequences.flat_map(|words| words.into_iter().chain([UNKNOWN])).collect())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether words are one of the sequences, or start as one does that ends in `WORDS`.
    pub(crate) fn has(&self, words: &[WordId]) -> bool {
        self.0.split_inclusive(|id| *id == UNKNOWN).map(|listed| &listed[..listed.len() - 1]).any(|listed| {
            listed == words || listed.strip_suffix(&[WORDS]).is_some_and(|first| words.starts_with(first))
        })
    }
}

/// A pattern, without its templates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pattern {
    /// Its name in the set.
    pub(crate) name: String,
    /// The fact's relation.
    pub(crate) relation: String,
    /// Rules of the relation.
    pub(crate) rules: Vec<String>,
    /// 0 to 1.
    pub(crate) confidence: f64,
    /// What a date beside it means.
    pub(crate) meaning: Meaning,
    /// Which subjects it goes with.
    pub(crate) number: Number,
    /// Whether it takes lists.
    pub(crate) list: bool,
    /// Type of the subject.
    pub(crate) subject_type: String,
    /// Type of the object, or `text` or `number`.
    pub(crate) object_type: String,
    /// Sorted last words of its verbs of several words: they may be said again before a list's next item.
    pub(crate) links: Vec<WordId>,
    /// Sorted words that end the object.
    pub(crate) object_ends: Vec<WordId>,
    /// The only objects; none for any.
    pub(crate) objects: Sequences,
    /// Objects that make it no fact.
    pub(crate) not_objects: Sequences,
    /// Whether an article before the subject makes it no fact.
    pub(crate) bare_subject: bool,
    /// Index of the pattern whose object may follow.
    pub(crate) next: Option<u32>,
    /// Index of the pattern that it is for organizations.
    pub(crate) of_organization: Option<u32>,
}

/// How dates are said. Each list is sorted by the first slot, words before placeholders.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Time {
    /// What single words stand for, sorted.
    pub(crate) values: Vec<(WordId, Value)>,
    /// Calendar dates, and whether their last part is meant.
    pub(crate) dates: Vec<(Vec<Slot>, bool)>,
    /// Dates counted from the reference time.
    pub(crate) relative: Vec<Counted>,
    /// Dates with what they say of the fact.
    pub(crate) phrases: Vec<(Said, Vec<Slot>)>,
}

/// What a word stands for in a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Value {
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
pub(crate) enum Slot {
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
pub(crate) struct Counted {
    /// The phrase.
    pub(crate) slots: Vec<Slot>,
    /// Its unit, where the phrase names none.
    pub(crate) unit: Option<Unit>,
    /// Units back, where the phrase has no number.
    pub(crate) back: Option<i32>,
}

/// What a phrase says of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Said {
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
    /// At a time that can't be read.
    Unread,
}
