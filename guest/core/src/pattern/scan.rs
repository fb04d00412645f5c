//! What stands where in a sentence: the classes of its words, and the verbs of the patterns.

use super::sentence::Inside;
use super::set::fold::{Kind, Token, fold_into};
use super::set::table::{Class, Pattern, Table, WordId, class, hash};
use super::verb::Anchor;

/// Classes that a token has whatever longer phrase it starts.
const SINGLE: Class = class::TIME | class::PREFIX | class::PREFIXED | class::FORMER | class::ROLE;

/// Classes that take no other from the words that a longer phrase starts with: `not` of `not really` denies all the same.
const BESIDE: Class = class::LATE_DENIAL | class::LABEL | class::SENDER | class::RESUME | class::THING | class::THINGS;

/// A sentence as one pattern set sees it. Indices are those of its own tokens.
pub(super) struct Scan<'a> {
    pub(super) table: &'a Table,
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) inside: &'a [Inside],
    pub(super) ids: Vec<WordId>,
    /// Classes of the longest phrase that starts at each token.
    pub(super) classes: Vec<Class>,
    /// Tokens of that phrase.
    lengths: Vec<u8>,
    pub(super) anchors: Vec<Anchor>,
    /// The last token so far that a template's first words start at.
    pub(super) last_prefix: Option<usize>,
}

impl<'a> Scan<'a> {
    /// The sentence as each of the sets sees it.
    pub(super) fn all(tables: &[&'a Table], text: &'a str, tokens: &'a [Token], inside: &'a [Inside]) -> Vec<Self> {
        let scan = |table: &&'a Table| Self {
            table,
            text,
            tokens,
            inside,
            ids: Vec::with_capacity(tokens.len()),
            classes: Vec::with_capacity(tokens.len()),
            lengths: Vec::with_capacity(tokens.len()),
            anchors: Vec::new(),
            last_prefix: None,
        };
        let mut scans: Vec<Self> = tables.iter().map(scan).collect();
        number_words(&mut scans, text, tokens);
        for scan in &mut scans {
            for at in 0..tokens.len() {
                let (class, length) = scan.longest_phrase(at);
                scan.classes.push(class);
                scan.lengths.push(length);
            }
            scan.find_anchors();
        }
        scans
    }

    pub(super) fn pattern(&self, anchor: &Anchor) -> &'a Pattern {
        &self.table.patterns[anchor.pattern]
    }

    /// Whether the phrase at a token is in one of the classes. Nothing in quotes or parentheses is.
    pub(super) fn is(&self, at: usize, classes: Class) -> bool {
        self.classes.get(at).is_some_and(|own| own & classes != 0) && self.is_open(at)
    }

    /// As `is`, in quotes and parentheses too.
    pub(super) fn has_class(&self, at: usize, classes: Class) -> bool {
        self.classes.get(at).is_some_and(|own| own & classes != 0)
    }

    /// Tokens of the phrase at a token, at least 1.
    pub(super) fn length(&self, at: usize) -> usize {
        usize::from(self.lengths.get(at).copied().unwrap_or(1).max(1))
    }

    /// Whether a token stands outside of quotes and parentheses.
    pub(super) fn is_open(&self, at: usize) -> bool {
        self.inside.get(at) == Some(&Inside::Nothing)
    }

    /// Whether a token stands in quotes.
    pub(super) fn is_quoted(&self, at: usize) -> bool {
        matches!(self.inside.get(at), Some(Inside::Quotes | Inside::Reply))
    }

    /// Whether a token is this mark, outside of quotes and parentheses.
    pub(super) fn is_mark(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_mark(mark)) && self.is_open(at)
    }

    /// The spelling of a token.
    pub(super) fn spelling(&self, at: usize) -> &'a str {
        &self.text[self.tokens[at].start..self.tokens[at].end]
    }

    /// How many words of the sentence the set knows as more than names: what tells its language.
    pub(super) fn known_words(&self) -> usize {
        const NAMES: Class =
            class::FEMALE | class::MALE | class::TITLE | class::ABBREVIATION | class::THING | class::THINGS | SINGLE;
        let classed = |at: &usize| self.classes[*at] & !NAMES != 0 && self.tokens[*at].kind == Kind::Word;
        let open = (0..self.tokens.len()).filter(classed).count();
        let in_verbs = self.anchors.iter().flat_map(|anchor| anchor.start..anchor.end);
        open + in_verbs.filter(|at| !classed(at)).count()
    }

    /// Marks that part clauses for good: what stands on their two sides is never one name.
    pub(super) fn is_hard(&self, at: usize) -> bool {
        match self.tokens.get(at).map(|token| token.kind) {
            Some(Kind::Mark(';' | ':' | '\u{2014}' | '|' | '\u{2022}' | '=' | '>' | '<')) => self.is_open(at),
            Some(Kind::Mark('-')) => {
                self.is_open(at) && self.tokens[at].spaced && self.tokens.get(at + 1).is_none_or(|next| next.spaced)
            }
            _ => false,
        }
    }

    /// Whether a sentence may end before a token although it needn't: at a new line, or after an abbreviation's dot.
    pub(super) fn is_soft(&self, at: usize) -> bool {
        let after_dot = at >= 2 && self.is_mark(at - 1, '.') && !self.is(at - 2, class::TITLE);
        at > 0 && self.is_open(at) && (self.tokens[at].lines > 0 || (after_dot && self.tokens[at].spaced))
    }

    fn longest_phrase(&self, at: usize) -> (Class, u8) {
        let (mut node, mut found, mut single) = (0, (0, 1), 0);
        for (depth, id) in (1u8..=12).zip(&self.ids[at..]) {
            let Some(next) = self.table.tree.next(node, *id) else { break };
            let class = self.table.tree.class(next);
            single |= class & SINGLE;
            if class & !SINGLE != 0 {
                let before = if class & !(SINGLE | BESIDE) == 0 { found.0 } else { 0 };
                found = (class | before, depth);
            }
            node = next;
        }
        (found.0 | single, found.1)
    }
}

/// Looks up every token in every set's vocabulary.
fn number_words(scans: &mut [Scan<'_>], text: &str, tokens: &[Token]) {
    let mut folded = String::new();
    for token in tokens {
        folded.clear();
        match token.kind {
            // No word of a set is this long.
            _ if token.end - token.start > 64 => {}
            Kind::Word => fold_into(&text[token.start..token.end], &mut folded),
            Kind::Mark(mark) => folded.push(mark),
        }
        let hash = hash(&folded);
        for scan in &mut *scans {
            scan.ids.push(scan.table.vocabulary.find(&folded, hash));
        }
    }
}
