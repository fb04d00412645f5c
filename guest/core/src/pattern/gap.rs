//! Halves of a sentence that leave the verb out: `Ana lives in Porto and Rui in Lisbon`.

use super::calendar::Today;
use super::name::{GIVEN, NEVER};
use super::object::{self, Rest, Within};
use super::scan::Scan;
use super::set::table::{Class, Pattern, class};

/// Most halves that share a verb.
const MOST: usize = 8;

/// Most tokens of the subject of such a half.
const MOST_TOKENS: usize = 5;

/// A half without a verb.
pub(super) struct Gap {
    /// The separator before it.
    pub(super) start: usize,
    /// Tokens of its subject.
    pub(super) subject: (usize, usize),
    /// First token of its object.
    pub(super) object: usize,
    /// What follows that.
    pub(super) rest: Rest,
}

/// The halves that follow a clause's object, from the token after it to the clause's end. Each has a separator, a given
/// name, which no verb is, and the verb's preposition again.
pub(super) fn gaps(scan: &Scan<'_>, pattern: &Pattern, (start, end): (usize, usize), today: &Today) -> Vec<Gap> {
    let mut all = Vec::new();
    let mut at = start;
    while !pattern.list && all.len() < MOST && at < end {
        let Some(gap) = gap(scan, pattern, at, end, today) else { break };
        at = gap.rest.end;
        // What was read of the half before went on into this one.
        if let Some(Gap { object, rest, .. }) = all.last_mut() {
            *rest = object::rest(scan, pattern, Within::Sentence, (*object, gap.start), today);
        }
        all.push(gap);
    }
    all
}

fn gap(scan: &Scan<'_>, pattern: &Pattern, start: usize, end: usize, today: &Today) -> Option<Gap> {
    const ENDS: Class = class::SEPARATOR | class::LIST;
    const NO_NAME: Class = NEVER | ENDS | class::VERB | class::POSSESSIVE | class::ROLE | class::KIN;
    let separator = (start..end).find(|at| scan.is(*at, ENDS) || scan.is_hard(*at))?;
    let mut first = separator + scan.length(separator);
    first += usize::from(scan.is(first, class::ARTICLE));
    if scan.is_hard(separator) || !scan.is(first, GIVEN) {
        return None;
    }
    let stops = |at: &usize| is_link(scan, pattern, *at) || scan.is(*at, NO_NAME);
    let link = (first + 1..end.min(first + MOST_TOKENS)).find(stops).filter(|at| is_link(scan, pattern, *at))?;
    let rest = object::rest(scan, pattern, Within::Sentence, (link + 1, end), today);
    (rest.doubted.is_none() && rest.end > link + 1).then_some(Gap {
        start: separator,
        subject: (first, link),
        object: link + 1,
        rest,
    })
}

fn is_link(scan: &Scan<'_>, pattern: &Pattern, at: usize) -> bool {
    pattern.links.binary_search(&scan.ids[at]).is_ok()
}
