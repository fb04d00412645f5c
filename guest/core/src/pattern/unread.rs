//! Times that are said and can't be read: `in '09`, `on 03/04/2021`, `in Q3 2022`. What begins, ends or is over then must
//! not count as of now.

use super::scan::Scan;
use super::sentence::Inside;
use super::set::fold::Kind;
use super::set::table::class;
use super::when;

/// Most tokens between a preposition and the digits of a date.
const NEAR: usize = 2;

/// Most tokens of a date that can't be read.
const MOST: usize = 12;

/// Where a time in digits ends that a preposition of time before it starts.
pub(super) fn digits(scan: &Scan<'_>, at: usize, limit: usize) -> Option<usize> {
    let limit = limit.min(scan.tokens.len());
    if at < limit && scan.inside[at] == Inside::Parentheses {
        return parenthesized(scan, at, limit);
    }
    let preposition = at < limit && scan.has_class(at, class::TIME) && !when::is_value(scan, at);
    if !preposition || scan.tokens[at].kind != Kind::Word || !scan.is_open(at) || when::starts_with_digit(scan, at) {
        return None;
    }
    let loose = |at: &usize| scan.is(*at, class::ARTICLE | class::TIME) || scan.is_mark(*at, '\'');
    let first = (at + 1..limit.min(at + 1 + NEAR + 1)).find(|at| !loose(at) || is_digits(scan, *at))?;
    if !is_digits(scan, first) {
        return None;
    }
    // `de 42 anos` is an age or a length of time.
    if first + 1 < limit && when::is_unit(scan, first + 1) {
        return None;
    }
    let end = digits_end(scan, first, limit);
    // `for 3 reasons`, `on 5th Street`: things counted.
    let counted = end == first + 1
        && scan.tokens.get(end).is_some_and(|next| next.kind == Kind::Word && next.spaced)
        && end < limit
        && !scan
            .is(end, class::SEPARATOR | class::LIST | class::OBJECT_END | class::BARRIER | class::FILLER | class::VERB)
        && !when::may_start(scan, end);
    (!counted).then_some(end)
}

/// Where a parenthesis ends that has nothing but digits in it: `(03/04/2021)`, `(Q3 2022)`.
fn parenthesized(scan: &Scan<'_>, at: usize, limit: usize) -> Option<usize> {
    let first = at + 1;
    if first >= limit
        || !scan.tokens[at].is_mark('(')
        || !is_digits(scan, first)
        || when::phrase_end(scan, first, limit).is_some()
    {
        return None;
    }
    let end = digits_end(scan, first, limit);
    (end < limit && scan.tokens[end].is_mark(')')).then_some(end + 1)
}

/// Whether a token is written in digits: `03`, `90s`, `Q3`.
fn is_digits(scan: &Scan<'_>, at: usize) -> bool {
    let spelling = scan.spelling(at);
    let letters = spelling.bytes().take_while(u8::is_ascii_alphabetic).count();
    let rest = &spelling.as_bytes()[letters..];
    let quarter = (1..=2).contains(&letters) && (1..=2).contains(&rest.len()) && rest.iter().all(u8::is_ascii_digit);
    !scan.is_quoted(at) && (when::starts_with_digit(scan, at) || (quarter && scan.tokens[at].kind == Kind::Word))
}

/// Whether more digits belong to a date that ends at a token of the sentence.
pub(super) fn goes_on(scan: &Scan<'_>, end: usize) -> bool {
    let bare = |at: usize| scan.spelling(at).bytes().all(|byte| byte.is_ascii_digit());
    // `May 35`
    if scan.tokens[end].kind == Kind::Word && scan.is_open(end) && bare(end) && when::month(scan, end - 1).is_some() {
        return true;
    }
    if scan.is_mark(end, '\'') && end + 1 < scan.tokens.len() && !scan.tokens[end + 1].spaced && bare(end + 1) {
        return true;
    }
    let mark = scan.tokens.get(end).is_some_and(|token| matches!(token.kind, Kind::Mark('/' | '-')) && !token.spaced);
    mark && scan.tokens.get(end + 1).is_some_and(|token| !token.spaced) && is_digits(scan, end + 1)
}

/// Where the run of digits ends: marks and digits without white space, and the words of a date after them.
pub(super) fn digits_end(scan: &Scan<'_>, first: usize, limit: usize) -> usize {
    let goes_on = |at: &usize| {
        let token = scan.tokens[*at];
        let glued = !token.spaced && (token.kind == Kind::Word || matches!(token.kind, Kind::Mark('/' | '-')));
        !(glued || (token.kind == Kind::Word && when::is_time_word(scan, *at)))
    };
    (first + 1..limit.min(first + MOST)).find(goes_on).unwrap_or(limit.min(first + MOST))
}
