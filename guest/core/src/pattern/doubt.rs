//! What leaves clauses in doubt or takes them back: before the verb, after it, and in the next sentence.

use super::clause::Clause;
use super::explain::Reason;
use super::name::{Held, NEVER};
use super::scan::Scan;
use super::sentence::Inside;
use super::set::fold::Kind;
use super::set::table::{Class, class};

/// Most tokens of a label before its colon.
const MOST_LABEL: usize = 6;

/// The doubts of a sentence outside of its verbs, asked from left to right.
pub(super) struct Doubts {
    /// A doubt over the whole sentence.
    whole: Option<usize>,
    /// Where doubts start, and where one before no longer holds.
    turns: Vec<(usize, bool)>,
    next: usize,
    now: Option<usize>,
}

impl Doubts {
    /// The doubts of a sentence; `retracted` is whether the next sentence takes it back.
    pub(super) fn of(scan: &Scan<'_>, retracted: bool) -> Self {
        let mut turns = Vec::new();
        let mut anchors = scan.anchors.iter().peekable();
        let mut at = 0;
        while at < scan.tokens.len() {
            if let Some(anchor) = anchors.next_if(|anchor| anchor.start <= at) {
                at = at.max(anchor.end);
                continue;
            }
            if scan.is(at, class::RESUME) {
                turns.push((at, false));
            } else if scan.is(at, class::DOUBT) || (scan.is(at, class::CONDITION) && can_start_clause(scan, at)) {
                turns.push((at, true));
            }
            at += 1;
        }
        let whole = retracted.then_some(0).or_else(|| label(scan)).or_else(|| open_task(scan)).or_else(|| struck(scan));
        Self { whole, turns, next: 0, now: None }
    }

    /// The doubt that a verb stands under.
    pub(super) fn before(&mut self, scan: &Scan<'_>, verb: usize) -> Option<usize> {
        while let Some((at, doubt)) = self.turns.get(self.next).filter(|(at, _)| *at < verb) {
            self.now = if *doubt { self.now.or(Some(*at)) } else { None };
            self.next += 1;
        }
        debug_assert!(self.next <= scan.tokens.len(), "one turn a token at most");
        self.whole.or(self.now)
    }
}

/// Why a clause is no fact whatever its names are.
pub(super) fn refusal(scan: &Scan<'_>, clause: &Clause, doubt: Option<usize>) -> Option<Held> {
    let doubted = |at: usize| {
        let denied = scan.has_class(at, class::LATE_DENIAL) || !scan.has_class(at, NEVER | class::LABEL);
        let reason = if denied {
            Reason::Denied
        } else if scan.is(at, class::CONDITION) && !scan.is(at, class::DOUBT) {
            Reason::Condition
        } else {
            Reason::Doubted
        };
        Held::at(scan, reason, at)
    };
    let swallowed = clause.swallowed.then(|| Held::missing(Reason::Unparted));
    doubt.map(doubted).or(swallowed)
}

/// What after a verb takes it back: a denial at the end of its clause or in parentheses, or a doubt right where another
/// verb's clause begins, `works at Acme, unless she quit`. A relative clause isn't the one that such a doubt is about.
pub(super) fn after(scan: &Scan<'_>, start: usize, end: usize, main: bool) -> Option<usize> {
    let aside = |at: usize| {
        let doubt = scan.has_class(at, class::DOUBT) || scan.tokens[at].is_mark('?');
        scan.inside[at] == Inside::Parentheses && doubt
    };
    let late = (start..end.min(scan.tokens.len())).find(|at| is_late_denial(scan, *at, end) || aside(*at));
    late.or_else(|| {
        let next = if scan.is_mark(end, ',') { end + 1 } else { end };
        (main && end < scan.tokens.len() && scan.is(next, class::DOUBT | class::CONDITION)).then_some(next)
    })
}

fn is_late_denial(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    let after = at + scan.length(at);
    let closes = || {
        after >= end && after >= scan.tokens.len()
            || scan.is_hard(after)
            || scan.inside.get(after) == Some(&Inside::Parentheses) && matches!(scan.tokens[after].kind, Kind::Mark(_))
            || scan.is(after, class::SEPARATOR)
            || scan.tokens.get(after).is_some_and(|token| matches!(token.kind, Kind::Mark('(')))
    };
    // `she never lies` takes nothing back, `works at Acme, lies` does.
    let apart = || {
        let before = at.checked_sub(1).map(|before| scan.tokens[before].kind);
        let mark = matches!(scan.tokens[at].kind, Kind::Mark(_)) || matches!(before, Some(Kind::Mark(_)));
        mark || scan.has_class(at, class::DENIAL) || at > 0 && scan.is(at - 1, class::FILLER)
    };
    scan.has_class(at, class::LATE_DENIAL) && !scan.is_quoted(at) && apart() && closes()
}

/// Whether a sentence is nothing but a denial of the one before: `Just kidding.`
pub(super) fn takes_back(scan: &Scan<'_>) -> bool {
    const SEEN_THROUGH: Class = class::FILLER | class::SEPARATOR;
    let mut found = false;
    let mut at = 0;
    // `Wait, no: Globex`
    let first = scan.length(at);
    let several = first > 1 && !scan.tokens.is_empty() && !scan.is_quoted(at) && scan.has_class(at, class::LATE_DENIAL);
    if several && (scan.is_mark(first, ':') || scan.is_mark(first, ',')) {
        return true;
    }
    while at < scan.tokens.len() {
        let mark = matches!(scan.tokens[at].kind, Kind::Mark(_));
        let late = scan.has_class(at, class::LATE_DENIAL) && !scan.is_quoted(at);
        if !late && !mark && (found || !scan.is(at, SEEN_THROUGH)) {
            return false;
        }
        found |= late;
        at += scan.length(at);
    }
    found
}

/// A label that says that what follows isn't so: `Rumor: Ana works at Acme`.
fn label(scan: &Scan<'_>) -> Option<usize> {
    let colon = (0..scan.tokens.len().min(MOST_LABEL)).find(|at| scan.is_mark(*at, ':'))?;
    let first = (0..colon).find(|at| scan.tokens[*at].kind == Kind::Word)?;
    let is_label = |at: &usize| scan.is(*at, class::LABEL) && (*at == first || *at + scan.length(*at) == colon);
    (0..colon).find(is_label)
}

/// Whether a sentence is a label and nothing after it: its list follows.
pub(super) fn labels_list(scan: &Scan<'_>) -> bool {
    label(scan).is_some() && scan.tokens.last().is_some_and(|token| token.is_mark(':'))
}

/// The box of a task that isn't done: `- [ ] Ana joins Acme`.
fn open_task(scan: &Scan<'_>) -> Option<usize> {
    let undone =
        |mark: char| matches!(mark, '\u{274C}' | '\u{2717}' | '\u{2718}' | '\u{2610}' | '\u{1F6AB}' | '\u{26D4}');
    let is_undone = |at: &usize| matches!(scan.tokens[*at].kind, Kind::Mark(mark) if undone(mark));
    if let Some(at) = (0..scan.tokens.len().min(2)).find(is_undone) {
        return Some(at);
    }
    let first = scan.tokens.iter().take(2).position(|token| token.is_mark('['))?;
    scan.tokens.get(first + 1).is_some_and(|token| token.is_mark(']')).then_some(first)
}

/// Where a text starts that is struck through: `~~Ana works at Acme~~`.
fn struck(scan: &Scan<'_>) -> Option<usize> {
    let mark = |at: usize| scan.is_mark(at, '~');
    (1..scan.tokens.len()).find(|at| mark(*at) && mark(at - 1) && !scan.tokens[*at].spaced)
}

/// Whether a clause can start at a token: `se` is `if` there, and a pronoun elsewhere.
fn can_start_clause(scan: &Scan<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    scan.is(before, class::SEPARATOR | NEVER) || !matches!(scan.tokens[before].kind, Kind::Word)
}

/// Whether a sentence is an item of the list that the ones before it are of.
pub(super) fn is_item(scans: &[Scan<'_>], listed: bool) -> bool {
    let first = scans.first().and_then(|scan| scan.tokens.first());
    listed && first.is_some_and(|token| token.lines < 2 && matches!(token.kind, Kind::Mark('-' | '*' | '\u{2022}')))
}
