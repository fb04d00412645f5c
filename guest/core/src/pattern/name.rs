//! Names: which tokens are one, and how it is spelled.

use super::explain::Reason;
use super::scan::Scan;
use super::sentence::Inside;
use super::set::fold::Kind;
use super::set::table::{Class, class};
use super::when;

/// Most words that a name has.
const MOST_WORDS: usize = 12;

/// Most bytes that a name has; longer runs are no names, and repeating them would cost more than the text.
const MOST_BYTES: usize = 240;

/// Classes that no name contains.
pub(super) const NEVER: Class =
    class::BARRIER | class::DENIAL | class::DOUBT | class::CONDITION | class::RELATIVE | class::SPEAKER;

/// What a name is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Subject,
    Object,
    /// An object that is a place or an organization, and so no date.
    Place,
    /// An object that names no entity: a price.
    Literal,
}

/// Why something is no fact, and the tokens that say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) reason: Reason,
    pub(super) tokens: Option<(usize, usize)>,
}

impl Held {
    /// Held back because of the phrase at a token.
    pub(super) fn at(scan: &Scan<'_>, reason: Reason, at: usize) -> Self {
        Self { reason, tokens: Some((at, (at + scan.length(at)).min(scan.tokens.len()))) }
    }

    /// Held back because of what isn't there.
    pub(super) fn missing(reason: Reason) -> Self {
        Self { reason, tokens: None }
    }
}

/// The name that the tokens from `start` to `end` spell, or why they aren't one.
pub(super) fn name<'a>(scan: &Scan<'a>, start: usize, end: usize, role: Role) -> Result<&'a str, Held> {
    let missing = if role == Role::Subject { Reason::NoSubject } else { Reason::NoObject };
    let (start, end) = trim(scan, start, end).ok_or(Held::missing(missing))?;
    let no_name = Held { reason: Reason::NotAName, tokens: Some((start, end)) };
    // What makes it no name must not hang on whether the article stays, which the case of its letters decides.
    let bare = if scan.is(start, class::ARTICLE) && start + 1 < end { start + 1 } else { start };
    let kin = kin(scan, bare, end);
    let start = match kin {
        Some(first) => first,
        None if role == Role::Literal => start,
        None => skip_article(scan, start, end).ok_or(no_name)?,
    };
    let bare = kin.unwrap_or(bare);
    let (start, end) = unquote(scan, start, end);
    if bare >= end || end - bare > 3 * MOST_WORDS {
        return Err(no_name);
    }
    let spelled = &scan.text[scan.tokens[start].start..scan.tokens[end - 1].end];
    let words = (bare..end).filter(|at| scan.tokens[*at].kind == Kind::Word).count();
    let articles = (bare..end).filter(|at| scan.is(*at, class::ARTICLE)).count();
    let bytes = scan.tokens[end - 1].end - scan.tokens[bare].start;
    if words <= articles || words > MOST_WORDS || bytes > MOST_BYTES {
        return Err(no_name);
    }
    if role == Role::Literal {
        return Ok(spelled);
    }
    if role != Role::Object
        && (bare..end).filter(|at| scan.tokens[*at].kind == Kind::Word).all(|at| is_number(scan, at))
    {
        return Err(no_name);
    }
    if let Some(at) = (bare..end).find(|at| is_address(scan, *at)) {
        return Err(Held::at(scan, Reason::NotAName, at));
    }
    // A verb without a name: `and sold`.
    if role == Role::Subject && scan.is(bare, class::VERB) && !scan.is(bare, GIVEN) && bare + 1 == end {
        return Err(no_name);
    }
    if scan.is(bare, class::VAGUE) && bare + scan.length(bare) >= end {
        return Err(Held::at(scan, Reason::Vague, bare));
    }
    // `his bike`, `a friend of his`.
    if let Some(at) = [bare, end - 1].into_iter().find(|at| scan.is(*at, class::POSSESSIVE)) {
        return Err(Held::at(scan, Reason::Possessive, at));
    }
    let compound = |at: usize| role == Role::Place && at > start && scan.is_hyphenated(at);
    if let Some(at) = (start..end).find(|at| (scan.is(*at, NEVER) && !compound(*at)) || scan.is_hard(*at)) {
        return Err(against(scan, at, end, role));
    }
    let date = end == bare + 1 && when::is_date_word(scan, bare)
        || when::is_length(scan, bare, end)
        || when::is_date(scan, bare, end);
    if role == Role::Place && date {
        return Err(Held { reason: Reason::NotAPlace, tokens: Some((start, end)) });
    }
    if role == Role::Place && joins_title(scan, bare, end) {
        return Err(no_name);
    }
    if role == Role::Place && starts_with_length(scan, bare, end) {
        return Err(Held { reason: Reason::NotAPlace, tokens: Some((start, end)) });
    }
    if role == Role::Place
        && let Some(at) = date_in(scan, bare, end)
    {
        return Err(Held { reason: Reason::UnreadDate, tokens: Some((at, end)) });
    }
    Ok(spelled)
}

/// Whether tokens start with a length of time and are no name of anything: `three years`, `40 hours a week`.
fn starts_with_length(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    let after = start + 2;
    after <= end
        && when::is_length(scan, start, after)
        && (after == end || scan.is(after, class::ARTICLE | class::OBJECT_END))
}

/// Where a date starts that belongs to no name: `Acme, 2019`, `Acme two years`, `Acme Monday`.
fn date_in(scan: &Scan<'_>, bare: usize, end: usize) -> Option<usize> {
    let comma = (bare..end).find(|at| scan.is_mark(*at, ',')).map(|comma| comma + 1);
    let after_comma = comma.filter(|at| when::is_date_alone(scan, *at, end));
    let length = end.checked_sub(2).filter(|at| *at > bare && when::is_length(scan, *at, end));
    let weekday = (end > bare + 1 && when::weekday(scan, end - 1).is_some()).then_some(end - 1);
    // `Acme 03/04/2021`
    let slash = |at: usize| scan.is_mark(at, '/') && !scan.tokens[at].spaced;
    let numeric = (bare + 1..end.saturating_sub(4))
        .find(|at| is_number(scan, *at) && slash(at + 1) && is_number(scan, at + 2) && slash(at + 3));
    after_comma.or(length).or(weekday).or(numeric)
}

/// Whether tokens name no place and no organization: they start with a word that says so, or are nothing but such words.
pub(super) fn is_thing(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    let mut at = start;
    while at < end && scan.is(at, class::THING) {
        at += scan.length(at);
    }
    start < end && (at >= end || scan.is(start, class::THINGS))
}

/// Whether `and` joins two organizations of which the second starts with an abbreviation: `Acme and St. Mary's Hospital`.
fn joins_title(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    (start + 1..end).any(|at| {
        let next = at + scan.length(at);
        scan.is(at, class::LIST) && scan.is(next, class::TITLE) && scan.is_mark(next + 1, '.')
    })
}

/// Whether a word is nothing but digits: part of a phone number or a score.
fn is_number(scan: &Scan<'_>, at: usize) -> bool {
    let word = scan.spelling(at);
    // `9am`
    let hour = ["am", "pm", "h"].iter().find_map(|unit| {
        let (digits, tail) = word.split_at_checked(word.len().checked_sub(unit.len())?)?;
        (tail.eq_ignore_ascii_case(unit) && !digits.is_empty()).then_some(digits)
    });
    hour.unwrap_or(word).chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ':'))
}

/// Whether a token belongs to an e-mail address or a link.
fn is_address(scan: &Scan<'_>, at: usize) -> bool {
    let glued = |at: usize| scan.tokens.get(at).is_some_and(|token| token.kind == Kind::Word && !token.spaced);
    match scan.tokens[at].kind {
        Kind::Mark('@') => at > 0 && !scan.tokens[at].spaced && glued(at + 1),
        Kind::Mark(_) => false,
        Kind::Word => {
            let word = scan.spelling(at);
            let starts = |prefix: &str| word.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
            starts("www.") || (matches!(word.len(), 4 | 5) && starts("http"))
        }
    }
}

/// What a word that no name contains says of the clause.
pub(super) fn against(scan: &Scan<'_>, at: usize, end: usize, role: Role) -> Held {
    let before_verb = (at + scan.length(at)..end).all(|at| scan.is(at, class::FILLER));
    let reason = if scan.is(at, class::DENIAL) {
        Reason::Denied
    } else if scan.is(at, class::DOUBT) {
        Reason::Doubted
    } else if scan.is(at, class::CONDITION) {
        Reason::Condition
    } else if role == Role::Subject && before_verb && scan.is(at, class::BARRIER) {
        Reason::Passive
    } else {
        Reason::NotAName
    };
    Held::at(scan, reason, at)
}

/// Most words between a possessive and the word for a person that it goes with: `our new sales manager Ana`.
const MOST_BETWEEN: usize = 3;

/// Classes of words that a person's name can start with and few other words.
pub(super) const GIVEN: Class = class::FEMALE | class::MALE | class::TITLE;

/// Where the name starts in `my sister Carol`, `Ana's brother Rui` and `our new manager Ana`.
fn kin(scan: &Scan<'_>, at: usize, end: usize) -> Option<usize> {
    const NO_NAME: Class =
        NEVER | class::OBJECT_END | class::POSSESSIVE | class::ARTICLE | class::VERB | class::SEPARATOR;
    let owner = (at..end.min(at + MOST_WORDS)).find(|at| scan.is(*at, class::GENITIVE));
    let first = match owner {
        Some(owner) => owner + scan.length(owner),
        None if scan.is(at, class::POSSESSIVE) => at + scan.length(at),
        // `engineer Ana Souza`
        None if scan.is(at, class::ROLE) && !scan.is(at, GIVEN) => at,
        None => return None,
    };
    let near = first..end.min(first + MOST_BETWEEN + 1);
    let kin = near.into_iter().find(|at| scan.is(*at, class::KIN | class::ROLE))?;
    let name = kin + scan.length(kin);
    let word = scan.tokens.get(name).is_some_and(|token| token.kind == Kind::Word && token.spaced);
    // Of a job only a given name is one: not `my manager role`.
    let given = scan.is(name, GIVEN);
    let owned = owner.is_some() || scan.is(at, class::POSSESSIVE);
    let named = given || (owned && kin == first && scan.is(kin, class::KIN) && !scan.is(name, NO_NAME));
    (name < end && word && named).then_some(name)
}

/// Whether a name follows a word for a person, as [`kin`] finds it.
pub(super) fn has_kin_name(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    kin(scan, start, end).is_some()
}

/// Takes marks and adverbs off both ends, and parentheses off the right one.
pub(super) fn trim(scan: &Scan<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    let (mut start, mut end) = (start, end);
    while start < end {
        if is_edge_mark(scan, start, true) || (scan.inside[start] == Inside::Parentheses && scan.is_open(end - 1)) {
            start += 1;
        } else if scan.is(start, class::FILLER) && start + scan.length(start) < end {
            start += scan.length(start);
        } else {
            break;
        }
    }
    while start < end {
        let last = end - 1;
        if scan.inside[last] == Inside::Parentheses
            || (is_edge_mark(scan, last, false) && !is_abbreviation_dot(scan, last))
        {
            end = last;
        } else if let Some(first) = trailing_filler(scan, start, end) {
            end = first;
        } else {
            break;
        }
    }
    (start < end).then_some((start, end))
}

/// Where an adverb starts that the tokens end with; a name isn't only an adverb.
fn trailing_filler(scan: &Scan<'_>, start: usize, end: usize) -> Option<usize> {
    (end.saturating_sub(4).max(start + 1)..end).find(|at| scan.is(*at, class::FILLER) && at + scan.length(*at) == end)
}

fn is_edge_mark(scan: &Scan<'_>, at: usize, left: bool) -> bool {
    let Kind::Mark(mark) = scan.tokens[at].kind else { return false };
    match mark {
        '.' | ',' | ';' | ':' | '!' | '?' | '-' | '\u{2014}' | '\u{2026}' | '*' | '\u{2022}' | '>' | '|' => true,
        '"' | '\'' | '(' | ')' | '[' | ']' | '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{AB}' | '\u{BB}'
        | '\u{2018}' => scan.is_open(at),
        '#' | '+' => left && mark == '#' && scan.tokens.get(at + 1).is_some_and(|next| next.spaced),
        _ => scan.is_open(at) && is_symbol(mark),
    }
}

/// Arrows, dingbats, emojis.
fn is_symbol(mark: char) -> bool {
    matches!(mark, '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

/// The dot of `U.S.` belongs to the name; that of `Acme Inc.` does where the sentence goes on, and is as good as a
/// full stop elsewhere.
fn is_abbreviation_dot(scan: &Scan<'_>, at: usize) -> bool {
    const GOES_ON: Class = NEVER | class::SEPARATOR | class::OBJECT_END | class::VERB | class::TIME | class::FILLER;
    if at == 0 || !scan.tokens[at].is_mark('.') || scan.tokens[at].spaced {
        return false;
    }
    let before = scan.spelling(at - 1);
    let letters = before.contains('.') && before.split('.').all(|part| part.chars().count() == 1);
    let next = at + 1;
    let goes_on = scan.tokens.get(next).is_some_and(|token| matches!(token.kind, Kind::Mark(_)))
        || scan.is(next, GOES_ON)
        || scan.anchors.binary_search_by_key(&next, |anchor| anchor.start).is_ok();
    letters || (goes_on && scan.has_class(at - 1, class::TITLE | class::ABBREVIATION))
}

/// A lower-case article is no part of the name. A capital one isn't either at the start of a sentence, when the word
/// after it is in lower case: `The studio`, but not `The Hague`.
fn skip_article(scan: &Scan<'_>, start: usize, end: usize) -> Option<usize> {
    if !scan.is(start, class::ARTICLE) || scan.length(start) > 1 || scan.tokens[start].kind != Kind::Word {
        return Some(start);
    }
    if start + 1 == end {
        return None;
    }
    let capital = |at: usize| scan.spelling(at).chars().next().is_some_and(char::is_uppercase);
    let joined = !scan.tokens[start + 1].spaced;
    let dropped = !joined && (!capital(start) || (is_first_word(scan, start) && !capital(start + 1)));
    Some(if dropped { start + 1 } else { start })
}

fn is_first_word(scan: &Scan<'_>, at: usize) -> bool {
    (0..at).rev().take(8).all(|before| matches!(scan.tokens[before].kind, Kind::Mark(_))) || scan.is_soft(at)
}

/// A name that is quoted as a whole is spelled without the quotes.
fn unquote(scan: &Scan<'_>, start: usize, end: usize) -> (usize, usize) {
    let quoted = end > start + 2 && (start..end).all(|at| scan.inside[at] == Inside::Quotes);
    let marks = |at: usize| matches!(scan.tokens[at].kind, Kind::Mark(_));
    if quoted && marks(start) && marks(end - 1) { (start + 1, end - 1) } else { (start, end) }
}

/// Splits tokens at the separators of a list; `(start, end)` of each item.
pub(super) fn items(scan: &Scan<'_>, start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let (mut first, mut at) = (start, start);
    while at < end {
        if scan.is(at, class::LIST) {
            all.push((first, at));
            at += scan.length(at);
            first = at;
        } else {
            at += 1;
        }
    }
    all.push((first, end));
    all.retain(|(start, end)| start < end);
    all
}
