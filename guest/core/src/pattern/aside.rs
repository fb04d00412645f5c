//! Subjects that a comma parts from their verb.

use super::calendar::Today;
use super::clause::{Parting, Separator, Subject, tail};
use super::explain::Reason;
use super::name::{self, GIVEN, Held, NEVER};
use super::scan::Scan;
use super::set::fold::Kind;
use super::set::table::{Class, class};

/// Most words of a name that an aside is about.
const MOST_WORDS: usize = 4;

/// Whom an aside is about, which starts with its comma: the name right before it.
pub(super) fn subject(
    scan: &Scan<'_>,
    separators: &[Separator],
    floor: usize,
    comma: usize,
    first: bool,
    today: &Today,
) -> Subject {
    let dead = Subject::Dead(Held::at(scan, Reason::NoAntecedent, comma));
    let start = match separators.last() {
        Some(separator) => separator.end,
        None if first => floor,
        None => return if comma > floor { Subject::Relative } else { dead },
    };
    let name = tail(scan, start, comma, today);
    let words = (name.start..name.end).filter(|at| scan.tokens[*at].kind == Kind::Word).count();
    // Where sentences leave out their subject, a verb may stand where the name would.
    let article = scan.is(name.start, class::ARTICLE);
    let named = scan.is(name.start, GIVEN) || article || words == 1 || !scan.table.null_subject;
    let preposition = (name.start..name.end).any(|at| scan.is(at, class::OBJECT_END));
    if words == 0 || words > MOST_WORDS || !named || preposition || scan.is(name.start, class::VERB) {
        return dead;
    }
    Subject::Span(name.start, name.end)
}

/// The first words of a sentence as the subject of a verb further on: before an apposition, `Kofi, my brother, lives
/// …`, whose name may also stand second, `my brother, Kofi, lives …`, or before a verb that is written as a separator is, `Ana é pianista e mora …`.
pub(super) fn head(scan: &Scan<'_>, separators: &[Separator], floor: usize, today: &Today) -> Subject {
    let copula = separators.first().is_some_and(|separator| scan.is(separator.start, class::COPULA));
    let commas = separators.iter().all(|separator| separator.kind == Parting::Joint);
    if separators.len() < 2 || !(copula || commas) {
        return Subject::Null;
    }
    let ends = separators.iter().map(|separator| separator.start);
    let starts = std::iter::once(floor).chain(separators.iter().map(|separator| separator.end));
    let heads = starts.zip(ends).map(|(start, end)| tail(scan, start, end, today));
    let mut heads = heads.filter(|head| head.start < head.end).map(|head| (head.start, head.end));
    let Some((start, end)) = heads.next() else { return Subject::Null };
    let named = heads.next().filter(|(first, after)| is_kin(scan, start, end) && is_bare_name(scan, *first, *after));
    let (start, end) = named.unwrap_or((start, end));
    Subject::Span(start, end)
}

/// Whether tokens only say how somebody is related: `my brother`, `Ana's husband`, `o marido da Ana`.
fn is_kin(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    let Some(at) = (start..end).find(|at| scan.is(*at, class::KIN | class::ROLE)) else { return false };
    let next = at + scan.length(at);
    let owned =
        scan.is(start, class::POSSESSIVE | class::ARTICLE) || (start..at).any(|at| scan.is(at, class::GENITIVE));
    owned && (next >= end || !scan.is(next, GIVEN)) && !name::has_kin_name(scan, start, end)
}

/// Whether tokens are nothing but a person's name: a given name, or words that the set doesn't know.
fn is_bare_name(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    const NO: Class =
        NEVER | class::OBJECT_END | class::ARTICLE | class::POSSESSIVE | class::VERB | class::ROLE | class::KIN;
    let word = |at: usize| scan.tokens[at].kind == Kind::Word || scan.is_mark(at, '.');
    let all = end - start <= MOST_WORDS && (start..end).all(|at| word(at) && (scan.is(at, GIVEN) || !scan.is(at, NO)));
    all && (end > start + 1 || scan.is(start, GIVEN))
}
