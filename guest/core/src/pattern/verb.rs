//! Where the verbs of the patterns stand in a sentence.

use super::name::NEVER;
use super::scan::Scan;
use super::set::fold::Kind;
use super::set::model::Number;
use super::set::table::{Class, Pattern, ROLE, Template, WORDS, WordId, class};
use super::when;

/// Most adverbs that are seen through inside a verb.
const MOST_FILLERS: usize = 2;

/// Most tokens that a slot inside a verb stands for, and the word after them.
const MOST_FILLED: usize = 9;

/// How far from the verb words around the two names are looked for.
const AROUND: usize = 16;

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
    /// First token of a date inside the verb: `works since 2019 at`.
    pub(super) dated: Option<usize>,
    /// Whether the object stands before the verb.
    pub(super) object_first: bool,
}

/// How far into a sentence a verb was followed.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// The tree's node.
    node: u32,
    /// First token after it.
    end: usize,
    /// Whether words were found for a slot; a verb has one at most.
    filled: bool,
    /// First token of a date that was seen through.
    dated: Option<usize>,
    /// Whether an adverb was seen through.
    across: bool,
}

impl Anchor {
    /// Whether the verb is an aside: a comma and what a name is, `Ana Souza, CTO of Volt`.
    pub(super) fn is_aside(&self, scan: &Scan<'_>) -> bool {
        matches!(scan.tokens[self.start].kind, Kind::Mark(_))
    }
}

impl Scan<'_> {
    pub(super) fn find_anchors(&mut self) {
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
        let tree = &self.table.tree;
        let node = tree.next(0, self.ids[at]).filter(|_| self.is_open(at) && !self.is_hyphenated(at))?;
        let prefix = self.last_prefix.is_some_and(|prefix| prefix + AROUND >= at);
        let (mut ends, mut open) = (vec![], vec![]);
        let mut next = Some(Way { node, end: at + 1, filled: false, dated: None, across: false });
        while let Some(way) = next {
            let may_fit = prefix || tree.class(way.node) & class::PREFIXED == 0;
            if may_fit && tree.is_verb(way.node) && !self.is_hyphenated(way.end + 1) {
                ends.push(way);
            }
            next = None;
            if tree.goes_on(way.node) {
                open.extend(self.filled(way));
                open.extend(self.dated(way));
                open.extend(self.across(way));
                next = self.step(way);
            }
            next = next.or_else(|| open.pop());
        }
        // The longest counts; of two as long the one that says more itself.
        ends.sort_by_key(|way| (way.end, !way.filled, !way.across));
        ends.iter().rev().find_map(|way| tree.templates(way.node).find_map(|template| self.fits(template, at, *way)))
    }

    /// Whether a hyphen makes two tokens one word: `left-handed`.
    pub(super) fn is_hyphenated(&self, at: usize) -> bool {
        let Some([hyphen, word]) = at.checked_sub(1).and_then(|hyphen| self.tokens.get(hyphen..=at)) else {
            return false;
        };
        hyphen.is_mark('-') && !hyphen.spaced && !word.spaced
    }

    /// One word further in the tree.
    fn step(&self, way: Way) -> Option<Way> {
        let id = *self.ids.get(way.end).filter(|_| self.is_open(way.end))?;
        let node = self.table.tree.next(way.node, id)?;
        Some(Way { node, end: way.end + 1, ..way })
    }

    /// Across adverbs, one after the other, to a word further in the tree.
    fn across(&self, way: Way) -> Option<Way> {
        let mut at = way.end;
        for _ in 0..MOST_FILLERS {
            if !self.is(at, class::FILLER) {
                return None;
            }
            at += self.length(at);
            if let Some(found) = self.step(Way { end: at, across: true, ..way }) {
                return Some(found);
            }
        }
        None
    }

    /// One word further in the tree, across a date.
    fn dated(&self, way: Way) -> Option<Way> {
        let at = way.end;
        if way.dated.is_some() || at >= self.tokens.len() || !self.is_open(at) {
            return None;
        }
        let after = when::phrase_end(self, at, self.tokens.len())?;
        // `was born on 12 May 1980, in Porto`
        let after = after + usize::from(self.is_mark(after, ','));
        let id = *self.ids.get(after).filter(|_| self.is_open(after))?;
        let node = self.table.tree.next(way.node, id)?;
        Some(Way { node, end: after + 1, dated: Some(at), ..way })
    }

    /// Past the words that a slot of the template stands for, and the word after them.
    fn filled(&self, way: Way) -> Option<Way> {
        if way.filled {
            return None;
        }
        [ROLE, WORDS].into_iter().find_map(|slot| {
            let slotted = self.table.tree.next(way.node, slot)?;
            let mut head = slot != ROLE;
            for at in way.end..(way.end + MOST_FILLED).min(self.tokens.len()) {
                let next = self.table.tree.next(slotted, self.ids[at]).filter(|_| head && at > way.end);
                if let Some(node) = next {
                    return Some(Way { node, end: at + 1, filled: true, ..way });
                }
                if !self.fills(at, at == way.end, slot == ROLE) {
                    return None;
                }
                head |= self.is(at, class::ROLE);
            }
            None
        })
    }

    /// Whether a token may be one of those that a slot stands for. An article may start those of a role only: `studied
    /// the map at` is no study.
    fn fills(&self, at: usize, first: bool, role: bool) -> bool {
        const NO: Class = NEVER
            | class::SEPARATOR
            | class::LIST
            | class::POSSESSIVE
            | class::OBJECT_END
            | class::FORMER
            | class::VERB
            | class::ARTICLE;
        let no = if first && role { NO & !class::ARTICLE } else { NO };
        let word = match self.tokens[at].kind {
            Kind::Word => true,
            Kind::Mark(mark) => !first && matches!(mark, '-' | '/' | '&' | '.') && !self.is_hard(at),
        };
        word && self.is_open(at) && !self.is(at, no)
    }

    fn fits(&self, template: Template, start: usize, way: Way) -> Option<Anchor> {
        let end = way.end;
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
        let fits = fits && (pattern.object_type != "date" || when::starts_full_date(self, end));
        (fits && self.is_verb(pattern, start, end, floor)).then_some(Anchor {
            start,
            end,
            pattern: template.pattern as usize,
            prefix,
            suffix,
            next: suffix.filter(|_| around.next).map(|suffix| suffix + around.suffix.len()),
            dated: way.dated,
            object_first: template.object_first,
        })
    }

    /// A verb whose first word also separates clauses (`é` without accent is `e`) must not be that separator.
    fn is_verb(&self, pattern: &Pattern, start: usize, end: usize, floor: usize) -> bool {
        if matches!(self.tokens[start].kind, Kind::Mark(_)) {
            return start > floor;
        }
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
