//! What stands where in a sentence: the classes of its words, and the verbs of the patterns.

use super::name::NEVER;
use super::sentence::Inside;
use super::set::fold::{Kind, Token, fold_into};
use super::set::model::Number;
use super::set::table::{Pattern, Table, Template, WordId, class, hash};

/// Most adverbs that are seen through inside a verb.
const MOST_FILLERS: usize = 2;

/// How far from the verb words around the two names are looked for.
const AROUND: usize = 16;

/// Classes that a token has whatever longer phrase it starts.
const SINGLE: u32 = class::TIME | class::PREFIX | class::PREFIXED;

/// A place where a pattern's verb stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Anchor {
    /// First token of the verb.
    pub(super) start: usize,
    /// First token after it.
    pub(super) end: usize,
    /// Index of the pattern.
    pub(super) pattern: usize,
    /// The words before the first name, where the template has some.
    pub(super) prefix: Option<(usize, usize)>,
    /// First token of the words after the second name, where the template has some.
    pub(super) suffix: Option<usize>,
    /// First token of the next pattern's object, where the template has one.
    pub(super) next: Option<usize>,
    /// Whether the object stands before the verb.
    pub(super) object_first: bool,
}

/// A sentence as one pattern set sees it. Indices are those of its own tokens.
pub(super) struct Scan<'a> {
    pub(super) table: &'a Table,
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) inside: &'a [Inside],
    pub(super) ids: Vec<WordId>,
    /// Classes of the longest phrase that starts at each token.
    classes: Vec<u32>,
    /// Tokens of that phrase.
    lengths: Vec<u8>,
    pub(super) anchors: Vec<Anchor>,
    /// The last token so far that a template's first words start at.
    last_prefix: Option<usize>,
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
    pub(super) fn is(&self, at: usize, classes: u32) -> bool {
        self.classes.get(at).is_some_and(|own| own & classes != 0) && self.is_open(at)
    }

    /// As `is`, in quotes and parentheses too.
    pub(super) fn has_class(&self, at: usize, classes: u32) -> bool {
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
        const NAMES: u32 = class::FEMALE | class::MALE | class::TITLE | class::ABBREVIATION | SINGLE;
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

    fn longest_phrase(&self, at: usize) -> (u32, u8) {
        let (mut node, mut found, mut single) = (0, (0, 1), 0);
        for (depth, id) in (1u8..=12).zip(&self.ids[at..]) {
            let Some(next) = self.table.tree.next(node, *id) else { break };
            let class = self.table.tree.class(next);
            single |= class & SINGLE;
            if class & !SINGLE != 0 {
                found = (class, depth);
            }
            node = next;
        }
        (found.0 | single, found.1)
    }

    fn find_anchors(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let end = match self.anchor_at(at) {
                Some(anchor) => {
                    self.anchors.push(anchor);
                    anchor.end
                }
                None => at + 1,
            };
            let prefix = (at..end).rev().find(|at| self.has_class(*at, class::PREFIX));
            self.last_prefix = prefix.or(self.last_prefix);
            at = end;
        }
    }

    /// The longest verb that starts at a token and fits its surroundings.
    fn anchor_at(&self, at: usize) -> Option<Anchor> {
        let mut node = self.table.tree.next(0, self.ids[at]).filter(|_| self.is_open(at) && !self.is_hyphenated(at))?;
        let mut end = at + 1;
        let mut ends = vec![];
        let prefix = self.last_prefix.is_some_and(|prefix| prefix + AROUND >= at);
        loop {
            let tree = &self.table.tree;
            let may_fit = prefix || tree.class(node) & class::PREFIXED == 0;
            if may_fit && tree.is_verb(node) && !self.is_hyphenated(end + 1) {
                ends.push((node, end));
            }
            let Some((next, after)) = self.step(node, end) else { break };
            (node, end) = (next, after);
        }
        ends.iter()
            .rev()
            .find_map(|(node, end)| self.table.tree.templates(*node).find_map(|template| self.fits(template, at, *end)))
    }

    /// Whether a hyphen makes two tokens one word: `left-handed`.
    fn is_hyphenated(&self, at: usize) -> bool {
        let Some([hyphen, word]) = at.checked_sub(1).and_then(|hyphen| self.tokens.get(hyphen..=at)) else {
            return false;
        };
        hyphen.is_mark('-') && !hyphen.spaced && !word.spaced
    }

    /// One word further in the tree, across adverbs if need be.
    fn step(&self, node: u32, at: usize) -> Option<(u32, usize)> {
        let mut at = at;
        for _ in 0..=MOST_FILLERS {
            let id = *self.ids.get(at).filter(|_| self.is_open(at))?;
            if let Some(next) = self.table.tree.next(node, id) {
                return Some((next, at + 1));
            }
            if !self.is(at, class::FILLER) {
                return None;
            }
            at += self.length(at);
        }
        None
    }

    fn fits(&self, template: Template, start: usize, end: usize) -> Option<Anchor> {
        let pattern = self.table.patterns.get(template.pattern as usize)?;
        let floor = self.anchors.last().map_or(0, |anchor| anchor.end);
        let around = self.table.around.get(template.around as usize)?;
        let prefix = if around.prefix.is_empty() { None } else { Some(self.before(&around.prefix, start, floor)?) };
        let suffix = match around.suffix.as_slice() {
            [] => None,
            words if around.next => Some(self.after_name(words, end)?),
            words => Some(self.after(words, end)?),
        };
        let fits = match pattern.number {
            Number::Speaker => self.fits_speaker(start, floor),
            Number::Group => self.fits_group(start, floor),
            _ => true,
        };
        (fits && self.is_verb(pattern, start, end, floor)).then_some(Anchor {
            start,
            end,
            pattern: template.pattern as usize,
            prefix,
            suffix,
            next: suffix.filter(|_| around.next).map(|suffix| suffix + around.suffix.len()),
            object_first: template.object_first,
        })
    }

    /// A verb whose first word also separates clauses (`é` without accent is `e`) must not be that separator.
    fn is_verb(&self, pattern: &Pattern, start: usize, end: usize, floor: usize) -> bool {
        if self.classes[start] & class::SEPARATOR == 0 || self.length(start) > 1 {
            return true;
        }
        if start > 0 && start > floor && self.is(start - 1, class::SEPARATOR) && !self.is_mark(start - 1, ',') {
            return true;
        }
        let Some(previous) = self.anchors.last() else { return start > 0 };
        let before = &self.table.patterns[previous.pattern];
        let goes_on = before.list && before.links.binary_search(&self.ids[end - 1]).is_ok();
        let separated = (floor..start).any(|at| self.is(at, class::SEPARATOR) || self.is_hard(at) || self.is_soft(at));
        separated && !(goes_on && pattern.relation != before.relation)
    }

    /// Whether a sentence may end before a token although it needn't: at a new line, or after an abbreviation's dot.
    pub(super) fn is_soft(&self, at: usize) -> bool {
        let after_dot = at >= 2 && self.is_mark(at - 1, '.') && !self.is(at - 2, class::TITLE);
        at > 0 && self.is_open(at) && (self.tokens[at].lines > 0 || (after_dot && self.tokens[at].spaced))
    }

    fn fits_speaker(&self, start: usize, floor: usize) -> bool {
        match self.previous(start, floor) {
            None => start == 0 || floor == 0,
            Some(at) => self.is(at, class::SPEAKER | class::SEPARATOR | class::TIME) || self.is_end_of_part(at),
        }
    }

    fn fits_group(&self, start: usize, floor: usize) -> bool {
        let Some(at) = self.previous(start, floor) else { return false };
        if self.is(at, class::SPEAKER) {
            return true;
        }
        let after_group = self.anchors.last().is_some_and(|anchor| {
            let number = self.table.patterns[anchor.pattern].number;
            matches!(number, Number::Group | Number::Plural)
        });
        let separator = self.is(at, class::SEPARATOR | class::LIST);
        (separator && after_group) || (!separator && (at.saturating_sub(4).max(floor)..at).any(|at| self.is_and(at)))
    }

    fn is_and(&self, at: usize) -> bool {
        self.is(at, class::LIST) && self.tokens[at].kind == Kind::Word
    }

    fn is_end_of_part(&self, at: usize) -> bool {
        matches!(self.tokens[at].kind, Kind::Mark(_)) || self.spelling(at).starts_with(|c: char| c.is_ascii_digit())
    }

    /// The last token before one that is no adverb.
    fn previous(&self, start: usize, floor: usize) -> Option<usize> {
        (floor..start).rev().take(AROUND).find(|at| !self.is(*at, class::FILLER))
    }

    /// Words that stand before the first name.
    fn before(&self, words: &[WordId], start: usize, floor: usize) -> Option<(usize, usize)> {
        let last = start.checked_sub(words.len() + 1)?;
        (floor.max(start.saturating_sub(AROUND))..=last)
            .rev()
            .find(|at| self.has_class(*at, class::PREFIX) && self.ids[*at..].starts_with(words))
            .map(|at| (at, at + words.len()))
    }

    /// Words that stand after the second name.
    fn after(&self, words: &[WordId], end: usize) -> Option<usize> {
        (end + 1..(end + AROUND).min(self.ids.len()))
            .take_while(|at| !self.is_hard(*at))
            .find(|at| self.ids[*at..].starts_with(words))
    }

    /// Words that stand after the second name, with nothing but it and a date before them.
    fn after_name(&self, words: &[WordId], end: usize) -> Option<usize> {
        let parts =
            |at: usize| self.is_hard(at) || self.is(at, NEVER | class::SEPARATOR | class::VERB | class::SPEAKER_OBJECT);
        let mut from = end + 1..(end + AROUND).min(self.ids.len());
        let at = from.find(|at| self.ids[*at..].starts_with(words) || parts(*at))?;
        self.ids[at..].starts_with(words).then_some(at)
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
