//! Times as files write them.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use gligabao_core::series::points::{FIRST_TIME, LAST_TIME, read_time};
use gligabao_core::time::Micros;

/// How a file writes times that could be meant in several ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DateFormat {
    /// 31/12/2020 or 31.12.2020
    Dmy,
    /// 12/31/2020
    Mdy,
    /// Seconds since 1970
    Epoch,
    /// Milliseconds since 1970
    EpochMs,
}

impl DateFormat {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 4] = [Self::Dmy, Self::Mdy, Self::Epoch, Self::EpochMs];
}

/// What is wrong with a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateProblem {
    /// Nothing that is known.
    Unreadable,
    /// Day and month could be either way round.
    Ambiguous,
}

/// Reads a time. Without a zone it is UTC; of a day or a month it is the first instant.
pub(crate) fn read(text: &str, format: Option<DateFormat>) -> Result<Micros, DateProblem> {
    let text = text.trim();
    let read = match format {
        Some(DateFormat::Epoch) => epoch(text, 1_000_000),
        Some(DateFormat::EpochMs) => epoch(text, 1_000),
        Some(format) => numeric(text, format).or_else(|| plain(text)),
        None if is_ambiguous(text) => return Err(DateProblem::Ambiguous),
        None => plain(text),
    };
    read.filter(|at| (FIRST_TIME..=LAST_TIME).contains(at)).ok_or(DateProblem::Unreadable)
}

/// What can be meant in one way only.
fn plain(text: &str) -> Option<Micros> {
    if let Ok(at) = read_time(text) {
        return Some(at);
    }
    let (date, time) = split(text);
    let date = year_first(date).or_else(|| with_month_name(date))?;
    at(date, time)
}

/// A date, and what stands behind it from a time of day on.
fn split(text: &str) -> (&str, Option<&str>) {
    let Some(colon) = text.find(':') else { return (text, None) };
    match text[..colon].rfind([' ', 'T', 't']) {
        Some(end) => (text[..end].trim_end(), Some(&text[end + 1..])),
        None => (text, None),
    }
}

fn at(date: NaiveDate, time: Option<&str>) -> Option<Micros> {
    let Some(time) = time else { return Some(utc(date.and_time(NaiveTime::MIN))) };
    // One with a zone is read as RFC 3339 is.
    if time.ends_with(['Z', 'z']) || time.contains(['+', '-']) {
        return read_time(&format!("{date}T{time}")).ok();
    }
    let time = ["%H:%M:%S%.f", "%H:%M"].iter().find_map(|format| NaiveTime::parse_from_str(time, format).ok())?;
    let at = date.and_time(time);
    at.and_utc().timestamp_subsec_nanos().is_multiple_of(1_000).then(|| utc(at))
}

fn utc(at: NaiveDateTime) -> Micros {
    Micros(at.and_utc().timestamp_micros())
}

/// `2012-01-31`, `2012/1/31`, `2012.01.31`, and `2012-01` for its first day.
fn year_first(text: &str) -> Option<NaiveDate> {
    let parts = parts(text)?;
    match parts[..] {
        [year, month, day] if year.len() == 4 => ymd(year, month, day),
        [year, month] if year.len() == 4 && month.len() == 2 => ymd(year, month, "1"),
        _ => None,
    }
}

/// `31/12/2020` and `12/31/2020`.
fn numeric(text: &str, format: DateFormat) -> Option<Micros> {
    let (date, time) = split(text);
    let parts = parts(date)?;
    let [first, second, year] = parts[..] else { return None };
    let (day, month) = if format == DateFormat::Dmy { (first, second) } else { (second, first) };
    if year.len() != 4 {
        return None;
    }
    at(ymd(year, month, day)?, time)
}

/// Whether it has day and month in front of the year.
fn is_ambiguous(text: &str) -> bool {
    let parts = parts(split(text).0);
    parts.is_some_and(|parts| matches!(parts[..], [first, _, _] if first.len() <= 2))
}

/// Digits between one separator.
fn parts(text: &str) -> Option<Vec<&str>> {
    let separator = text.chars().find(|c| ['-', '/', '.'].contains(c))?;
    let parts: Vec<_> = text.split(separator).collect();
    let is_number = |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.iter().all(is_number).then_some(parts)
}

fn ymd(year: &str, month: &str, day: &str) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}

/// `Jan 1 2000`, `January 1, 2000`, `1 Jan 2000`, `1-Jan-2000`, and `Jan 2000` for its first day.
fn with_month_name(text: &str) -> Option<NaiveDate> {
    let words: Vec<_> = text.split([' ', ',', '-', '/']).filter(|word| !word.is_empty()).collect();
    let (day, month, year) = match words[..] {
        [first, second, year] if first.starts_with(|c: char| c.is_ascii_digit()) => (first, second, year),
        [month, day, year] => (day, month, year),
        [month, year] => ("1", month, year),
        _ => return None,
    };
    let is_day = day.len() <= 2 && day.bytes().all(|byte| byte.is_ascii_digit());
    let is_year = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
    if !is_day || !is_year || !month.is_ascii() {
        return None;
    }
    NaiveDate::from_ymd_opt(year.parse().ok()?, month_number(month)?, day.parse().ok()?)
}

fn month_number(name: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let known = |month: &str| month == name || month[..3] == name || (name == "sept" && month.starts_with("sept"));
    let index = MONTHS.iter().position(|month| known(month))?;
    u32::try_from(index + 1).ok()
}

fn epoch(text: &str, micros: i64) -> Option<Micros> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    if digits.is_empty() || !digits.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let mut rest = 0;
    let mut unit = micros;
    for digit in fraction.trim_end_matches('0').bytes() {
        unit /= 10;
        if unit == 0 {
            return None;
        }
        rest += i64::from(digit - b'0') * unit;
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    whole.checked_mul(micros)?.checked_add(sign * rest).map(Micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Option<DateFormat>, cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            let read = match read(text, format) {
                Ok(at) => at.to_string(),
                Err(problem) => format!("{problem:?}"),
            };
            assert_eq!(read, *expected, "{text} as {format:?}");
        }
    }

    #[test]
    fn dates_that_real_files_have_are_read() {
        check(
            None,
            &[
                ("2012-01-31", "2012-01-31T00:00:00Z"),
                ("2012/01/31", "2012-01-31T00:00:00Z"),
                ("2012/1/5", "2012-01-05T00:00:00Z"),
                ("2012.01.31", "2012-01-31T00:00:00Z"),
                ("2000-01", "2000-01-01T00:00:00Z"),
                ("Jan 1 2000", "2000-01-01T00:00:00Z"),
                ("January 31, 2000", "2000-01-31T00:00:00Z"),
                ("1 Jan 2000", "2000-01-01T00:00:00Z"),
                ("1-Sept-2000", "2000-09-01T00:00:00Z"),
                ("May 2000", "2000-05-01T00:00:00Z"),
                (" 2012-01-31 ", "2012-01-31T00:00:00Z"),
                ("2012-01-31 10:20", "2012-01-31T10:20:00Z"),
                ("2012/01/31 10:20:30.25", "2012-01-31T10:20:30.25Z"),
                ("2012-01-31T10:20:30", "2012-01-31T10:20:30Z"),
                ("2012-01-31T10:20:30.000001+02:00", "2012-01-31T08:20:30.000001Z"),
                ("2012-01-31 10:20:30+02:00", "2012-01-31T08:20:30Z"),
                ("Jan 1 2000 10:20", "2000-01-01T10:20:00Z"),
            ],
        );
    }

    #[test]
    fn what_is_no_date_or_could_be_two_is_refused() {
        check(
            None,
            &[
                ("01/02/2020", "Ambiguous"),
                ("31.12.2020", "Ambiguous"),
                ("1-2-2020 10:00", "Ambiguous"),
                ("01/02/20", "Ambiguous"),
                ("2020", "Unreadable"),
                ("1577836800", "Unreadable"),
                ("2012-02-30", "Unreadable"),
                ("2012-1", "Unreadable"),
                ("2012-01-31T25:00:00", "Unreadable"),
                ("2012-01-31 10:20:30.1234567", "Unreadable"),
                ("Janua 1 2000", "Unreadable"),
                ("", "Unreadable"),
                ("é", "Unreadable"),
            ],
        );
    }

    #[test]
    fn a_format_says_which_way_round_it_is() {
        check(
            Some(DateFormat::Dmy),
            &[
                ("01/02/2020", "2020-02-01T00:00:00Z"),
                ("31.12.2020 23:59", "2020-12-31T23:59:00Z"),
                ("2020-12-31", "2020-12-31T00:00:00Z"),
                ("12/31/2020", "Unreadable"),
                ("01/02/20", "Unreadable"),
            ],
        );
        check(Some(DateFormat::Mdy), &[("01/02/2020", "2020-01-02T00:00:00Z"), ("31/12/2020", "Unreadable")]);
        check(
            Some(DateFormat::Epoch),
            &[
                ("0", "1970-01-01T00:00:00Z"),
                ("-1", "1969-12-31T23:59:59Z"),
                ("-0.5", "1969-12-31T23:59:59.5Z"),
                ("1577836800.000001", "2020-01-01T00:00:00.000001Z"),
                ("1577836800.0000001", "Unreadable"),
                ("9999999999999", "Unreadable"),
                ("2020-01-01", "Unreadable"),
            ],
        );
        check(Some(DateFormat::EpochMs), &[("1577836800001", "2020-01-01T00:00:00.001Z")]);
    }
}
