//! Dates that a sentence states, and what they say of a fact.

use chrono::Datelike;

use super::calendar::{Today, Told};
use super::scan::Scan;
use super::set::fold::Kind;
use super::set::table::{Counted, Said, Slot, Value, WordId, class};
use super::unread;
use crate::time::Date;

/// A date and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dated {
    pub(super) date: Date,
    /// First byte of the words that state it and first byte after them; `None` for the reference time.
    pub(super) words: Option<(usize, usize)>,
}

/// The dates beside a fact. A date that was said but can't be read is only `said`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Times {
    /// Then: what it means depends on the verb.
    pub(super) at: Option<Dated>,
    /// From then on.
    pub(super) since: Option<Dated>,
    /// Until then.
    pub(super) until: Option<Dated>,
    /// The start by the length of time until now.
    pub(super) lasting: Option<Dated>,
    /// The tokens of a time that no date stands for, or of a date that doesn't exist.
    pub(super) unread: Option<(usize, usize)>,
    /// Whether a bare weekday is the end: of a present state one to come, or a habit's.
    pub(super) weekday: bool,
    /// Whether anything was said of time.
    pub(super) said: bool,
}

impl Times {
    /// Adds what another phrase of the same clause says; what was said first stays.
    pub(super) fn join(&mut self, other: Self) {
        self.at = self.at.or(other.at);
        self.since = self.since.or(other.since);
        self.until = self.until.or(other.until);
        self.lasting = self.lasting.or(other.lasting);
        self.unread = self.unread.or(other.unread);
        self.weekday |= other.weekday;
        self.said |= other.said;
    }
}

/// What the slots of a phrase were filled with.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    told: [Told; 2],
    dates: usize,
}

/// Reads the longest phrase about time that starts at a token: where it ends, and what it says.
pub(super) fn phrase(scan: &Scan<'_>, at: usize, limit: usize, today: &Today) -> Option<(usize, Times)> {
    let read = longest(scan, at, limit).map(|(end, said, found)| {
        let words = (scan.tokens[at].start, scan.tokens[end - 1].end);
        let mut times = times(said, found, today, words);
        times.unread = times.unread.map(|_| (at, end));
        (end, times)
    });
    let unread = |end| (end, Times { unread: Some((at, end)), said: true, ..Times::default() });
    // `in 5/2019`, of which only a part is a date.
    let longer = read.as_ref().filter(|(end, _)| *end < limit && unread::goes_on(scan, *end));
    match longer {
        Some((end, _)) => Some(unread(unread::digits_end(scan, *end, limit))),
        None => read.or_else(|| unread::digits(scan, at, limit).map(unread)),
    }
}

/// Where the longest phrase about time that starts at a token ends.
pub(super) fn phrase_end(scan: &Scan<'_>, at: usize, limit: usize) -> Option<usize> {
    longest(scan, at, limit).map(|(end, ..)| end)
}

fn longest(scan: &Scan<'_>, at: usize, limit: usize) -> Option<(usize, Said, Found)> {
    if at >= limit.min(scan.tokens.len()) || scan.is_quoted(at) || !may_start(scan, at) {
        return None;
    }
    let mut dates = Dates { scan, limit, known: [None; 4], next: 0 };
    let mut best: Option<(usize, Said, Found)> = None;
    for (said, slots) in starting(&scan.table.time.phrases, scan.ids[at], |(_, slots)| slots) {
        let mut found = Found::default();
        if let Some(end) = dates.fill(slots, at, &mut found)
            && best.is_none_or(|(longest, ..)| end > longest)
        {
            best = Some((end, *said, found));
        }
    }
    best
}

/// Whether a phrase about time can start at a token.
pub(super) fn may_start(scan: &Scan<'_>, at: usize) -> bool {
    scan.has_class(at, class::TIME) || starts_with_digit(scan, at)
}

/// Those of a sorted list that start with a word or with a placeholder.
fn starting<T>(list: &[T], word: WordId, slots: impl Fn(&T) -> &Vec<Slot>) -> impl Iterator<Item = &T> {
    let first = |entry: &T| slots(entry).first().copied();
    let from = list.partition_point(|entry| first(entry) < Some(Slot::Word(word)));
    let to = list.partition_point(|entry| first(entry) <= Some(Slot::Word(word)));
    let placeholders = list.partition_point(|entry| first(entry) < Some(Slot::Date));
    list[from..to].iter().chain(&list[placeholders.max(to)..])
}

fn times(said: Said, found: Found, today: &Today, words: (usize, usize)) -> Times {
    let [first, second] = found.told;
    let resolve = |told| today.resolve(told).map(|date| Dated { date, words: Some(words) });
    let mut times = Times { said: true, ..Times::default() };
    // A length of time without a number, `for years`, says nothing of a start; a date that doesn't exist should.
    let dates = |number: usize| found.told.iter().take(number).any(|told| today.resolve(*told).is_none());
    let unread = match said {
        Said::At | Said::Since | Said::Until => dates(1),
        Said::Span => is_week(found.told) || (dates(2) && resolve(first).is_none()),
        Said::Lasting => false,
        Said::Unread => true,
    };
    times.unread = unread.then_some((0, 0));
    match said {
        Said::Unread => {}
        Said::At => times.at = resolve(first),
        Said::Since => times.since = resolve(first),
        Said::Until => {
            times.until = resolve(first);
            times.weekday = first.is_weekday();
        }
        // `from Monday to Friday` is so every week.
        Said::Span if is_week(found.told) => {}
        Said::Lasting => times.lasting = resolve(Told { back: first.number.map(i64::from), ..first }),
        Said::Span => {
            let first = if first.year.is_none() { Told { year: second.year, ..first } } else { first };
            times.since = resolve(first);
            times.until = resolve(second);
        }
    }
    times
}

/// Whether two dates are days of any week.
fn is_week(told: [Told; 2]) -> bool {
    told.iter().all(Told::is_weekday)
}

/// Reads the day that starts at a token, stated with its month and its year: where it ends, and the day.
pub(super) fn full_date(scan: &Scan<'_>, at: usize, limit: usize, today: &Today) -> Option<(usize, Times)> {
    let (end, told) = full(scan, at, limit)?;
    let words = Some((scan.tokens[at].start, scan.tokens[end - 1].end));
    let date = today.resolve(told)?;
    Some((end, Times { at: Some(Dated { date, words }), said: true, ..Times::default() }))
}

/// Whether such a day starts at a token, existing or not.
pub(super) fn starts_full_date(scan: &Scan<'_>, at: usize) -> bool {
    full(scan, at, scan.tokens.len()).is_some()
}

fn full(scan: &Scan<'_>, at: usize, limit: usize) -> Option<DateAt> {
    let start = at < limit && scan.is_open(at) && may_start(scan, at);
    let (end, told) = start.then(|| date(scan, at, limit)).flatten()?;
    let full = told.known.is_some() || (told.year.is_some() && told.month.is_some() && told.day.is_some());
    full.then_some((end, told))
}

/// Whether a token's word is only about time: a month, a weekday, a year.
pub(super) fn is_date_word(scan: &Scan<'_>, at: usize) -> bool {
    month(scan, at).is_some() || weekday(scan, at).is_some() || year(scan, at).is_some()
}

/// Whether tokens are a calendar date: 12 May 1980.
pub(super) fn is_date(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    may_start(scan, start) && date(scan, start, end).is_some_and(|(after, _)| after == end)
}

/// Whether a word is a year.
pub(super) fn is_year(scan: &Scan<'_>, at: usize) -> bool {
    year(scan, at).is_some()
}

/// Whether a word is a unit of time.
pub(super) fn is_unit(scan: &Scan<'_>, at: usize) -> bool {
    value(scan, at, |value| matches!(value, Value::Unit(_)).then_some(())).is_some()
}

/// Whether a word is a number, a month, a weekday or a unit.
pub(super) fn is_value(scan: &Scan<'_>, at: usize) -> bool {
    value(scan, at, Some).is_some()
}

/// Whether a word is a date's or a unit of time.
pub(super) fn is_time_word(scan: &Scan<'_>, at: usize) -> bool {
    value(scan, at, |value| (!matches!(value, Value::Number(_))).then_some(())).is_some() || year(scan, at).is_some()
}

/// Whether a calendar date starts at a token, and nothing goes on after it.
pub(super) fn is_date_alone(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    let date = (start < end && may_start(scan, start)).then(|| date(scan, start, end)).flatten();
    date.is_some_and(|(after, _)| after >= end || scan.is(after, class::SEPARATOR | class::LIST | class::OBJECT_END))
}

/// Whether tokens are a length of time: three years.
pub(super) fn is_length(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    let unit = |at: usize| value(scan, at, |value| matches!(value, Value::Unit(_)).then_some(())).is_some();
    end == start + 2 && number(scan, start).is_some() && unit(start + 1)
}

/// A date that starts at a token: where it ends, and what it tells.
type DateAt = (usize, Told);

/// The dates of a phrase. Many phrases ask for one at the same place, so the last answers are kept.
struct Dates<'s, 'a> {
    scan: &'s Scan<'a>,
    limit: usize,
    known: [Option<(Slot, usize, Option<DateAt>)>; 4],
    next: usize,
}

impl Dates<'_, '_> {
    /// Matches slots from a token on; fills in what they stand for.
    fn fill(&mut self, slots: &[Slot], at: usize, found: &mut Found) -> Option<usize> {
        let mut at = at;
        for slot in slots {
            if at >= self.limit {
                return None;
            }
            at = match slot {
                Slot::Word(id) => (self.scan.ids[at] == *id).then_some(at + 1)?,
                Slot::Date | Slot::Relative => {
                    let (end, told) = self.date_at(*slot, at)?;
                    *found.told.get_mut(found.dates)? = told;
                    found.dates += 1;
                    end
                }
                simple => simple_slot(self.scan, *simple, at, &mut found.told[found.dates.min(1)])?,
            };
            // Each of the two dates of a span written with bare slots, `2015 - 2019`, fills its own place.
            if *slot == Slot::Year && slots.iter().filter(|slot| **slot == Slot::Year).count() == 2 {
                found.dates += 1;
            }
        }
        Some(at)
    }

    fn date_at(&mut self, slot: Slot, at: usize) -> Option<DateAt> {
        let known = self.known.iter().flatten().find(|(asked, place, _)| (*asked, *place) == (slot, at));
        if let Some((.., answer)) = known {
            return *answer;
        }
        let answer = match slot {
            _ if !may_start(self.scan, at) => None,
            Slot::Date => date(self.scan, at, self.limit),
            _ => counted(self.scan, at, self.limit),
        };
        self.known[self.next] = Some((slot, at, answer));
        self.next = (self.next + 1) % self.known.len();
        answer
    }
}

fn simple_slot(scan: &Scan<'_>, slot: Slot, at: usize, told: &mut Told) -> Option<usize> {
    match slot {
        Slot::Year => told.year = Some(year(scan, at)?),
        Slot::Month => told.month = Some(month(scan, at)?),
        Slot::Day => told.day = Some(day(scan, at)?),
        Slot::MonthNumber => told.month = Some(digits(scan, at).filter(|month| (1..=12).contains(month))?),
        Slot::Weekday => told.weekday = Some(weekday(scan, at)?),
        Slot::Number => told.number = Some(number(scan, at)?),
        Slot::Unit => {
            told.unit = Some(value(scan, at, |value| if let Value::Unit(unit) = value { Some(unit) } else { None })?);
        }
        Slot::Word(_) | Slot::Date | Slot::Relative => return None,
    }
    Some(at + 1)
}

/// The longest date at a token.
fn date(scan: &Scan<'_>, at: usize, limit: usize) -> Option<DateAt> {
    let mut best: Option<DateAt> = iso(scan, at, limit).map(|(end, date)| (end, Told::of(date)));
    best = best.or_else(|| numeric(scan, at, limit));
    for (slots, ends) in starting(&scan.table.time.dates, scan.ids[at], |(slots, _)| slots) {
        let mut told = Told { ends: *ends, ..Told::default() };
        if let Some(end) = fill_flat(scan, slots, at, limit, &mut told)
            && best.is_none_or(|(longest, _)| end > longest)
        {
            best = Some((end, told));
        }
    }
    let counted = counted(scan, at, limit).filter(|(end, _)| best.is_none_or(|(longest, _)| *end > longest));
    counted.or(best)
}

/// The longest date counted from the reference time.
fn counted(scan: &Scan<'_>, at: usize, limit: usize) -> Option<DateAt> {
    let mut best: Option<DateAt> = None;
    for Counted { slots, unit, back } in starting(&scan.table.time.relative, scan.ids[at], |counted| &counted.slots) {
        let mut told = Told::default();
        if let Some(end) = fill_flat(scan, slots, at, limit, &mut told)
            && best.is_none_or(|(longest, _)| end > longest)
        {
            let back = back.or(told.number.map(|number| i32::try_from(number).unwrap_or(i32::MAX)));
            best = Some((end, Told { unit: told.unit.or(*unit), back: back.map(i64::from), ..told }));
        }
    }
    best
}

/// Matches slots that hold no date of their own.
fn fill_flat(scan: &Scan<'_>, slots: &[Slot], at: usize, limit: usize, told: &mut Told) -> Option<usize> {
    let mut at = at;
    for slot in slots {
        if at >= limit {
            return None;
        }
        at = match slot {
            Slot::Word(id) => (scan.ids[at] == *id).then_some(at + 1)?,
            simple => simple_slot(scan, *simple, at, told)?,
        };
    }
    Some(at)
}

/// A date as `Date::parse` reads it: the run of tokens without white space between them.
fn iso(scan: &Scan<'_>, at: usize, limit: usize) -> Option<(usize, Date)> {
    if !starts_with_digit(scan, at) || scan.spelling(at).len() < 4 {
        return None;
    }
    let mut end = at + 1;
    while end < limit && end < at + 12 && !scan.tokens[end].spaced {
        end += 1;
    }
    (at + 2..=end).rev().find_map(|end| {
        let text = &scan.text[scan.tokens[at].start..scan.tokens[end - 1].end];
        let date = Date::parse(text)?;
        Some((end, date))
    })
}

/// A numeric date of which only one order makes sense: 31/12/2021 and 12/31/2021.
fn numeric(scan: &Scan<'_>, at: usize, limit: usize) -> Option<DateAt> {
    let end = (at + 5).min(limit);
    let glued = (at + 1..end).all(|at| !scan.tokens[at].spaced);
    if end < at + 5 || !glued || ![1, 3].iter().all(|mark| matches!(scan.tokens[at + mark].kind, Kind::Mark('/' | '-')))
    {
        return None;
    }
    let (first, second, year) = (digits(scan, at)?, digits(scan, at + 2)?, year(scan, at + 4)?);
    let (day, month) = match (first, second) {
        (13..=31, 1..=12) => (first, second),
        (1..=12, 13..=31) => (second, first),
        _ => return None,
    };
    Some((end, Told { year: Some(year), month: Some(month), day: Some(day), ..Told::default() }))
}

pub(super) fn starts_with_digit(scan: &Scan<'_>, at: usize) -> bool {
    scan.tokens[at].kind == Kind::Word && scan.spelling(at).starts_with(|c: char| c.is_ascii_digit())
}

fn value<T>(scan: &Scan<'_>, at: usize, pick: impl Fn(Value) -> Option<T>) -> Option<T> {
    let id = scan.ids[at];
    let values = &scan.table.time.values;
    let first = values.partition_point(|(word, _)| *word < id);
    values[first..].iter().take_while(|(word, _)| *word == id).find_map(|(_, value)| pick(*value))
}

pub(super) fn month(scan: &Scan<'_>, at: usize) -> Option<u32> {
    value(scan, at, |value| if let Value::Month(month) = value { Some(month) } else { None })
}

pub(super) fn weekday(scan: &Scan<'_>, at: usize) -> Option<u32> {
    value(scan, at, |value| if let Value::Weekday(day) = value { Some(day) } else { None })
}

fn number(scan: &Scan<'_>, at: usize) -> Option<u32> {
    let word = value(scan, at, |value| if let Value::Number(number) = value { Some(number) } else { None });
    let text = scan.spelling(at);
    // Too many to count with, and still a number.
    let many = || (text.len() > 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(u32::MAX);
    word.or_else(|| digits(scan, at)).or_else(many)
}

/// A number written in up to four digits.
fn digits(scan: &Scan<'_>, at: usize) -> Option<u32> {
    let text = scan.spelling(at);
    (text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn year(scan: &Scan<'_>, at: usize) -> Option<i32> {
    let year = digits(scan, at).filter(|year| (1000..3000).contains(year))?;
    i32::try_from(year).ok()
}

/// 1 to 31, alone or with an ordinal ending: 5th, 1º.
fn day(scan: &Scan<'_>, at: usize) -> Option<u32> {
    let text = scan.spelling(at);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let ending = text[digits..].chars().count();
    let day = text[..digits].parse().ok().filter(|day| (1..=31).contains(day))?;
    (ending <= 2).then_some(day)
}

impl Told {
    /// A date that is known as it stands.
    fn of(date: Date) -> Self {
        let year = chrono::DateTime::from_timestamp(date.at.0, 0).map(|time| time.year());
        Self { known: Some(date), year, ..Self::default() }
    }
}
