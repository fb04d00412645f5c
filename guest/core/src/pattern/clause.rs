//! From verbs to clauses: where each starts and ends, and where its subject is to be found.

use super::aside;
use super::calendar::Today;
use super::explain::Reason;
use super::name::{self, GIVEN, Held, NEVER, Role};
use super::scan::Scan;
use super::set::fold::Kind;
use super::set::model::Number;
use super::set::table::{Pattern, class};
use super::verb::Anchor;
use super::when::{self, Times};

/// Where a clause's subject is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// These tokens.
    Span(usize, usize),
    /// That of the clause before.
    Inherited,
    /// The object of the clause before: `… Ingrid, who lives in Oslo`.
    Relative,
    /// There is none, and no clause before.
    Null,
    /// It is no fact.
    Dead(Held),
}

/// A verb with its surroundings.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub(super) anchor: Anchor,
    /// First token.
    pub(super) start: usize,
    pub(super) subject: Subject,
    /// Dates before the verb.
    pub(super) times: Times,
    /// First token that belongs to the next clause.
    pub(super) end: usize,
    /// Whether a separator joins it to the clause before.
    pub(super) joined: bool,
    /// Whether its object holds another verb, so that neither is a fact.
    pub(super) swallowed: bool,
}

/// A place where a sentence may be parted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Separator {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Parting,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parting {
    /// A comma or a conjunction.
    Joint,
    /// A conjunction that also joins subjects: `and`.
    And,
    /// A mark that no name goes across.
    Hard,
    /// A new line, or the dot of an abbreviation: it parts only before a clause with a subject of its own.
    Soft,
}

/// Most separators before a verb that are tried.
const MOST_LOOKED_AT: usize = 8;

/// The clauses of a sentence, one a verb.
pub(super) fn clauses(scan: &Scan<'_>, today: &Today) -> Vec<Clause> {
    let mut all: Vec<Clause> = Vec::with_capacity(scan.anchors.len());
    for anchor in &scan.anchors {
        let floor = all.last().map_or(0, |clause| clause.anchor.end);
        let first = all.is_empty();
        let (clause, cut) = open(scan, *anchor, floor, first, today);
        if let Some(before) = all.last_mut() {
            match cut {
                Some(cut) => before.end = cut,
                None => {
                    before.end = anchor.start;
                    before.swallowed = true;
                }
            }
        }
        all.push(clause);
    }
    all
}

/// The clause of a verb, and where the one before ends; `None` when nothing parts the two.
fn open(scan: &Scan<'_>, anchor: Anchor, floor: usize, first: bool, today: &Today) -> (Clause, Option<usize>) {
    let verb = anchor.prefix.map_or(anchor.start, |(start, _)| start);
    let separators = separators(scan, floor, verb);
    let clause = |start, subject, times, joined| Clause {
        anchor,
        start,
        subject,
        times,
        end: scan.tokens.len(),
        joined,
        swallowed: false,
    };
    if anchor.is_aside(scan) {
        let subject = aside::subject(scan, &separators, floor, verb, first, today);
        return (clause(verb, subject, Times::default(), false), Some(verb));
    }
    if let Some(relative) = relative_before(scan, floor, verb) {
        let (cut, subject) = relative_subject(scan, &separators, floor, relative, first, scan.pattern(&anchor).number);
        return (clause(relative, subject, Times::default(), false), Some(cut));
    }
    let Some(parting) = choose(scan, &anchor, &separators, floor, verb, first, today) else {
        return unparted(scan, clause, &anchor, floor, verb, first, today);
    };
    let mut tail = tail(scan, parting.end, verb, today);
    let parting = date_before(scan, &separators, parting, floor, first, &mut tail, today);
    let joined = !first && matches!(parting.kind, Parting::Joint | Parting::And);
    let subject = if let Some((_, start)) = anchor.prefix {
        prefixed(scan, &tail, start, anchor.start)
    } else if tail.start < tail.end {
        Subject::Span(tail.start, tail.end)
    } else {
        left_out(scan, &separators, floor, first, today)
    };
    // `Kofi: I live in Tema` is said by Kofi, who need not be the speaker.
    let first_person =
        scan.pattern(&anchor).number == Number::Speaker || (tail.start..tail.end).any(|at| scan.is(at, class::SPEAKER));
    let subject = if first_person && scan.is_mark(parting.start, ':') {
        Subject::Dead(Held::at(scan, Reason::Reported, parting.start))
    } else {
        subject
    };
    (clause(tail.clause, subject, tail.times, joined), Some(parting.start))
}

/// Takes a date that a comma parts from its clause, `In 2019, Femi …` or `and, in 2019, moved …`, into the clause; the
/// separator that is left then.
fn date_before(
    scan: &Scan<'_>,
    separators: &[Separator],
    parting: Separator,
    floor: usize,
    first: bool,
    own: &mut Tail,
    today: &Today,
) -> Separator {
    let before = separators.iter().rposition(|separator| separator.end < parting.start);
    // `and,` is one separator here.
    let joint = before.map(|at| match at.checked_sub(1).map(|at| separators[at]) {
        Some(and) if and.kind == Parting::And && and.end == separators[at].start => (separators[at].end, and),
        _ => (separators[at].end, separators[at]),
    });
    let (start, parting_before) = match joint {
        Some((end, before)) if first || before.kind == Parting::And => (end, before),
        None if first => (floor, Separator { start: floor, end: floor, kind: parting.kind }),
        _ => return parting,
    };
    let date = tail(scan, start, parting.start, today);
    if date.start < date.end || !date.times.said {
        return parting;
    }
    own.times.join(date.times);
    own.clause = date.clause;
    parting_before
}

/// A verb that no separator parts from what is before it.
fn unparted(
    scan: &Scan<'_>,
    clause: impl Fn(usize, Subject, Times, bool) -> Clause,
    anchor: &Anchor,
    floor: usize,
    verb: usize,
    first: bool,
    today: &Today,
) -> (Clause, Option<usize>) {
    if !first {
        let cut = (floor..verb).find(|at| scan.is(*at, NEVER | class::OBJECT_END));
        let held = Held { reason: Reason::Unparted, tokens: Some((floor, verb)) };
        return (clause(verb, Subject::Dead(held), Times::default(), false), cut);
    }
    let tail = tail(scan, 0, verb, today);
    let subject = match anchor.prefix {
        Some((_, start)) => prefixed(scan, &tail, start, anchor.start),
        None if tail.start < tail.end => Subject::Span(tail.start, tail.end),
        None => Subject::Null,
    };
    (clause(tail.clause, subject, tail.times, false), Some(0))
}

/// The subject after a template's first words, unless something before them speaks against it.
fn prefixed(scan: &Scan<'_>, tail: &Tail, start: usize, end: usize) -> Subject {
    match (tail.start..tail.end).find(|at| scan.is(*at, NEVER)) {
        Some(at) => Subject::Dead(name::against(scan, at, tail.end, Role::Object)),
        None => Subject::Span(start, end),
    }
}

/// The words between a separator and a verb, without adverbs and dates at their ends.
pub(super) struct Tail {
    /// First token, adverbs and dates included.
    clause: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    times: Times,
}

pub(super) fn tail(scan: &Scan<'_>, start: usize, end: usize, today: &Today) -> Tail {
    let mut tail = Tail { clause: start, start, end, times: Times::default() };
    // `today` is a date and an adverb: the date comes first.
    while tail.start < tail.end {
        if let Some((after, times)) = when::phrase(scan, tail.start, tail.end, today) {
            tail.times.join(times);
            tail.start = after;
        } else if is_loose(scan, tail.start) || scan.is(tail.start, class::FILLER) {
            tail.start += scan.length(tail.start);
        } else {
            break;
        }
    }
    tail.start = tail.start.min(tail.end);
    while tail.start < tail.end {
        if let Some((at, times)) = date_at_end(scan, tail.start, tail.end, today) {
            tail.times.join(times);
            tail.end = at;
            continue;
        }
        match name::trim(scan, tail.start, tail.end) {
            Some(trimmed) if trimmed != (tail.start, tail.end) => (tail.start, tail.end) = trimmed,
            Some(_) => return tail,
            None => break,
        }
    }
    tail.start = tail.end;
    tail
}

/// The phrase about time that the tokens end with.
fn date_at_end(scan: &Scan<'_>, start: usize, end: usize, today: &Today) -> Option<(usize, Times)> {
    let mut places = end.saturating_sub(8).max(start)..end;
    places.find_map(|at| when::phrase(scan, at, end, today).filter(|(after, _)| *after == end).map(|(_, t)| (at, t)))
}

/// Marks that belong to no name at its start.
fn is_loose(scan: &Scan<'_>, at: usize) -> bool {
    matches!(scan.tokens[at].kind, Kind::Mark(',' | '.' | '-' | '*' | '\u{2022}' | '>')) && scan.is_open(at)
}

fn separators(scan: &Scan<'_>, start: usize, end: usize) -> Vec<Separator> {
    let mut all = Vec::new();
    let mut at = start;
    while at < end {
        if scan.is_soft(at) && at > start {
            all.push(Separator { start: at, end: at, kind: Parting::Soft });
        }
        let length = if scan.is_hard(at) {
            all.push(Separator { start: at, end: at + 1, kind: Parting::Hard });
            1
        } else if scan.is(at, class::SEPARATOR) {
            let length = scan.length(at).min(end - at);
            let word = scan.tokens[at].kind == Kind::Word || length > 1;
            let kind = if word && scan.is(at, class::LIST) { Parting::And } else { Parting::Joint };
            all.push(Separator { start: at, end: at + length, kind });
            length
        } else {
            1
        };
        at += length;
    }
    all
}

/// The separator after which a verb's clause starts.
fn choose(
    scan: &Scan<'_>,
    anchor: &Anchor,
    separators: &[Separator],
    floor: usize,
    verb: usize,
    first: bool,
    today: &Today,
) -> Option<Separator> {
    let has_own = |separator: &Separator| {
        let tail = tail(scan, separator.end, verb, today);
        tail.start < tail.end || anchor.prefix.is_some()
    };
    let mut near = (0..separators.len()).rev().take(MOST_LOOKED_AT);
    let last = near.find(|at| separators[*at].kind != Parting::Soft || has_own(&separators[*at]))?;
    let chosen = separators[last];
    let pattern = scan.pattern(anchor);
    let number = pattern.number;
    if chosen.kind != Parting::And || !has_own(&chosen) || anchor.prefix.is_some() {
        let kept = first && chosen.kind == Parting::Soft && is_after_dot(scan, &chosen);
        return (!kept).then_some(chosen);
    }
    // `and` before a subject may join two subjects, and then the clause starts further left.
    if first {
        // `I and Joana live …`: the speaker may be one of the subjects.
        let no_subject = if number == Number::Singular { NEVER } else { NEVER & !class::SPEAKER };
        let barrier = (floor..chosen.start).rev().find(|at| scan.is(*at, no_subject) || scan.is_hard(*at));
        return match barrier {
            Some(barrier) => separators.iter().find(|separator| separator.start >= barrier).copied(),
            None if parts_clauses(scan, pattern, separators, &chosen, floor) => Some(chosen),
            None => separators[..last].iter().rfind(|separator| separator.kind == Parting::Hard).copied(),
        };
    }
    let joins = matches!(number, Number::Plural | Number::Group) && last > 0;
    Some(if joins { separators[last - 1] } else { chosen })
}

/// Whether `and` before the first verb parts a clause of a verb that no pattern knows, `Prices rose and Ben lives …`,
/// rather than two subjects or two words of a name. A person's verb in the singular has one subject; where the verb's
/// form doesn't tell, three words before `and` are more than a name.
fn parts_clauses(scan: &Scan<'_>, pattern: &Pattern, separators: &[Separator], and: &Separator, floor: usize) -> bool {
    let before =
        separators.iter().rfind(|separator| separator.end <= and.start).map_or(floor, |separator| separator.end);
    let words = (before..and.start).filter(|at| scan.tokens[*at].kind == Kind::Word).count();
    let verb = (before + 1..and.start).any(|at| scan.is(at, class::VERB));
    let person = pattern.subject_type == "person";
    match pattern.number {
        Number::Singular => person || verb,
        Number::Any => person && (words > 2 || verb),
        Number::Plural | Number::Group | Number::Speaker => verb,
    }
}

/// An abbreviation's dot before the first verb parts nothing: what is left of it would be no clause.
fn is_after_dot(scan: &Scan<'_>, separator: &Separator) -> bool {
    scan.tokens.get(separator.start).is_some_and(|token| token.lines == 0)
}

/// The subject of a verb that follows a separator at once.
fn left_out(scan: &Scan<'_>, separators: &[Separator], floor: usize, first: bool, today: &Today) -> Subject {
    let Some((last, before)) = separators.split_last() else { return Subject::Inherited };
    // A clause whose verb no pattern knows may stand in between: `… and Noor is tall and lives in Doha`.
    let starts = before.iter().rev().take(MOST_LOOKED_AT).map(|separator| separator.end).chain(first.then_some(floor));
    for start in starts {
        let ends = |at: &usize| scan.is(*at, NEVER | class::SEPARATOR) || (scan.is(*at, class::VERB) && *at > start);
        let Some(barrier) = (start..last.start).find(ends) else { continue };
        if !scan.is(barrier, NEVER | class::VERB) {
            continue;
        }
        if scan.is(barrier, class::SHE | class::HE | class::SPEAKER) {
            return Subject::Span(barrier, barrier + 1);
        }
        let head = tail(scan, start, barrier, today);
        if head.start < head.end {
            return Subject::Span(head.start, head.end);
        }
    }
    if !first {
        return Subject::Inherited;
    }
    aside::head(scan, separators, floor, today)
}

/// The relative pronoun right before a verb.
fn relative_before(scan: &Scan<'_>, floor: usize, verb: usize) -> Option<usize> {
    let last = (floor..verb).rev().take(4).find(|at| !scan.is(*at, class::FILLER))?;
    scan.is(last, class::RELATIVE).then_some(last)
}

/// Where the clause before a relative pronoun ends, and what the pronoun stands for.
fn relative_subject(
    scan: &Scan<'_>,
    separators: &[Separator],
    floor: usize,
    relative: usize,
    first: bool,
    number: Number,
) -> (usize, Subject) {
    let dead = Subject::Dead(Held::at(scan, Reason::NoAntecedent, relative));
    let before = separators.iter().rfind(|separator| separator.end == relative);
    let cut = before.map_or(relative, |separator| separator.start);
    if !first {
        return (cut, if cut > floor { Subject::Relative } else { dead });
    }
    // `Ana and Bia, who live …` are both meant, `Ana and Bia, who lives …` only the last.
    let several = matches!(number, Number::Plural | Number::Group);
    let mut before =
        separators.iter().filter(|separator| separator.end < cut && !(several && separator.kind != Parting::Hard));
    let start = before.next_back().map_or(floor, |separator| separator.end);
    // `I spoke with Clara, who lives …` speaks of the name after the preposition.
    let start = match (start..cut).rev().find(|at| scan.is(*at, class::OBJECT_END)) {
        Some(at) => {
            let name = at + 1 + usize::from(scan.is(at + 1, class::ARTICLE));
            if !scan.is(name, GIVEN) {
                return (cut, dead);
            }
            name
        }
        None => start,
    };
    (cut, if start < cut { Subject::Span(start, cut) } else { dead })
}
