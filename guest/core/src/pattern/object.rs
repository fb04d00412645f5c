//! The words after a verb: where its object ends, which dates follow, and whether they leave it in doubt.

use super::calendar::Today;
use super::name::NEVER;
use super::scan::Scan;
use super::sentence::Inside;
use super::set::fold::Kind;
use super::set::table::{Pattern, class};
use super::when::{self, Times};

/// What follows a verb.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    /// First token after the object.
    pub(super) end: usize,
    /// Dates after the verb.
    pub(super) times: Times,
    /// The first doubt or condition that follows.
    pub(super) doubted: Option<usize>,
}

/// What a clause stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Its sentence.
    Sentence,
    /// Another clause, whose dates and doubts go on after a comma: `Ana, who lives in Porto, joined Acme in 2019`.
    Clause,
    /// Two commas, which end its object too.
    Commas,
}

/// Reads the tokens from `start` to `end` as the object of a pattern and what comes after it.
pub(super) fn rest(
    scan: &Scan<'_>,
    pattern: &Pattern,
    within: Within,
    (start, end): (usize, usize),
    today: &Today,
) -> Rest {
    let mut reader = Reader {
        scan,
        pattern,
        within,
        start,
        rest: Rest { end, times: Times::default(), doubted: None },
        ended: false,
        another: false,
        separator: None,
    };
    let mut at = start;
    while at < end {
        if !reader.another
            && let Some((after, times)) = when::phrase(scan, at, end, today)
        {
            reader.end_at(at);
            reader.rest.times.join(times);
            at = after;
            continue;
        }
        reader.doubt(at);
        at += reader.step(at).min(end - at);
    }
    while reader.rest.end > start && scan.is(reader.rest.end - 1, class::SEPARATOR | class::LIST) {
        reader.rest.end -= 1;
    }
    reader.rest
}

struct Reader<'a, 'b> {
    scan: &'b Scan<'a>,
    pattern: &'b Pattern,
    within: Within,
    start: usize,
    rest: Rest,
    ended: bool,
    /// Whether another clause, of a verb that no pattern knows, has begun: dates and doubts are its own.
    another: bool,
    /// The last separator in the object.
    separator: Option<usize>,
}

impl Reader<'_, '_> {
    fn end_at(&mut self, at: usize) {
        if !self.ended {
            self.ended = true;
            self.rest.end = at;
        }
    }

    fn doubt(&mut self, at: usize) {
        let after_and = self.separator.is_some_and(|separator| {
            separator + self.scan.length(separator) == at && !self.scan.is_mark(separator, ',')
        });
        if self.scan.is(at, class::DOUBT | class::CONDITION) && !after_and && !self.another {
            self.rest.doubted = self.rest.doubted.or(Some(at));
        }
    }

    /// Looks at a token; how many tokens further the next look is.
    fn step(&mut self, at: usize) -> usize {
        let scan = self.scan;
        if scan.is_mark(at, ',') {
            self.another = self.within != Within::Sentence;
        }
        // `Stoke-on-Trent` is one name.
        if at > self.start && scan.is_hyphenated(at) {
            return 1;
        }
        if scan.is_hard(at) {
            self.end_at(at);
            self.another = true;
        } else if scan.inside[at] == Inside::Parentheses {
            self.end_at(at);
        } else if scan.is(at, class::SEPARATOR | class::LIST) {
            return self.separator(at);
        } else if scan.is(at, NEVER) && !scan.is(at, class::SPEAKER_OBJECT) && !self.adds(at) {
            self.never(at);
        } else if self.is_end(at) {
            // `Ama works at Acme, Bob at Globex`: the verb's own preposition again.
            let again = self.pattern.links.binary_search(&scan.ids[at]).is_ok();
            self.end_at(self.separator.filter(|_| again).unwrap_or(at));
        } else if self.begins_clause(at)
            && let Some(separator) = self.separator
        {
            self.end_at(separator);
            self.another = true;
        }
        1
    }

    /// `too` after a list belongs to all of it; elsewhere what it stands after is another subject: `Acme and Bia too`.
    fn adds(&self, at: usize) -> bool {
        self.pattern.list && self.scan.is(at, class::FILLER)
    }

    /// Whether a preposition ends the object here. After another one it is a name, `Belém do Pará`, and so it is as the
    /// first word unless the rest of a name follows: `left for Berlin`, but `works at AT&T`.
    fn is_end(&self, at: usize) -> bool {
        let listed = |words: &[u32], at: usize| words.binary_search(&self.scan.ids[at]).is_ok();
        let ends = |at: usize| self.scan.is_open(at) && listed(&self.pattern.object_ends, at);
        if at > self.start {
            return ends(at) && !(at - 1 > self.start && listed(&self.pattern.links, at - 1));
        }
        let next = self.scan.tokens.get(at + 1);
        let named = next.is_some_and(|next| next.spaced && next.kind == Kind::Word);
        ends(at) && named && !ends(at + 1) && !self.scan.is(at + 1, class::SEPARATOR | class::LIST)
    }

    fn separator(&mut self, at: usize) -> usize {
        let scan = self.scan;
        let length = scan.length(at);
        let next = at + length;
        let listed = scan.is(at, class::LIST);
        let apposition = !self.pattern.list && scan.is(next, class::ARTICLE | class::POSSESSIVE);
        // `costs $339, up from $299`
        let number = self.pattern.object_type == "number" || (self.within == Within::Commas && !self.pattern.list);
        let comma = number && scan.is_mark(at, ',');
        let aside = !self.pattern.list && (scan.is_mark(next, ',') || scan.is(next, class::FILLER));
        // `head of sales at Volt and mother of two`
        let role = self.within == Within::Commas && scan.is(next, class::ROLE | class::KIN);
        if !listed || comma || role || apposition || aside || self.begins_clause(next) {
            self.end_at(at);
            self.another |= !listed || self.begins_clause(next);
        }
        self.separator = Some(at);
        length
    }

    /// Whether a verb begins a clause here; in a list only one with something after it, for `dances` may be an item.
    fn begins_clause(&self, at: usize) -> bool {
        let alone = !self.scan.tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Word)
            || self.scan.is(at + 1, class::SEPARATOR | class::LIST);
        self.scan.is(at, class::VERB) && !(self.pattern.list && alone)
    }

    /// A word that no name contains ends the object. After `Acme and Noor` a verb shows that a clause began at `and`.
    fn never(&mut self, at: usize) {
        let scan = self.scan;
        let verb = scan.is(at, class::BARRIER) && !scan.is(at, class::RELATIVE | class::OBJECT_END | class::CONDITION);
        let begins = self.separator.filter(|separator| verb && *separator >= self.start);
        self.end_at(begins.unwrap_or(at));
        // `left it in 2016` goes on with the date of the verb.
        let pronoun = at == self.start && scan.is(at, class::VAGUE);
        if pronoun || scan.is(at, class::PURPOSE) {
            return;
        }
        self.another |= scan.is(at, class::BARRIER | class::RELATIVE) && scan.tokens[at].kind == Kind::Word;
    }
}
