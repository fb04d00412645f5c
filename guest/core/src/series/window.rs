//! Spans as requests write them, and the period around a reference time that they make.

use chrono::{DateTime, Months};

use super::points::{FIRST_TIME, LAST_TIME};
use crate::time::{Instant, Micros};

/// Longest span, in years.
const MAX_YEARS: u64 = 20;

/// The same in days: twenty years have at most five leap days.
const MAX_DAYS: u64 = 7_305;

const SECOND: u64 = 1_000_000;
const DAY: u64 = 86_400 * SECOND;

/// How far a period reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// Calendar months: a step that has no such day ends at the last day of its month.
    Months(u32),
    /// Microseconds; a day has 24 hours, because all times are UTC.
    Exact(u64),
}

/// Why a span can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SpanProblem {
    /// It is written in no known way.
    #[error("is no span of time; 30d, 2w, 6mo, 1y, 36h, 1h30m and 90s would be some")]
    Unreadable,
    /// Over twenty years.
    #[error("is over {MAX_YEARS} years")]
    TooLong,
}

impl Span {
    /// Of a fetch that says nothing else: 30 days.
    pub const DEFAULT: Self = Self::Exact(30 * DAY);

    /// Reads `30d`, `2w`, `6mo`, `1y`, or hours, minutes and seconds in this order, each with a fraction if need be:
    /// `36h`, `1h30m`, `1.5h`.
    ///
    /// # Errors
    /// When it is something else, or over 20 years.
    pub fn parse(text: &str) -> Result<Self, SpanProblem> {
        let text = text.trim();
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = &text[..text.len() - unit.len()];
        let whole = || match number.parse::<u64>() {
            Ok(number) => Ok(number),
            Err(_) if number.is_empty() => Err(SpanProblem::Unreadable),
            Err(_) => Err(SpanProblem::TooLong),
        };
        let months = |count: u64, each: u64| match count {
            0..=240 if count * each <= MAX_YEARS * 12 => {
                u32::try_from(count * each).map(Self::Months).map_err(|_| SpanProblem::TooLong)
            }
            _ => Err(SpanProblem::TooLong),
        };
        let days = |count: u64, each: u64| match count {
            0..=MAX_DAYS if count * each <= MAX_DAYS => Ok(Self::Exact(count * each * DAY)),
            _ => Err(SpanProblem::TooLong),
        };
        match unit {
            "d" => days(whole()?, 1),
            "w" => days(whole()?, 7),
            "mo" => months(whole()?, 1),
            "y" => months(whole()?, 12),
            _ => clock(text),
        }
    }

    /// The time this long before another one; the first possible one if it would be earlier.
    #[must_use]
    pub fn before(self, at: Micros) -> Micros {
        let moved = match self {
            Self::Months(months) => {
                let time = DateTime::from_timestamp_micros(at.0);
                time.and_then(|time| time.checked_sub_months(Months::new(months))).map(|time| time.timestamp_micros())
            }
            Self::Exact(micros) => at.0.checked_sub_unsigned(micros),
        };
        moved.map_or(FIRST_TIME, |moved| Micros(moved).clamp(FIRST_TIME, LAST_TIME))
    }

    /// The time this long after another one; the last possible one if it would be later.
    #[must_use]
    pub fn after(self, at: Micros) -> Micros {
        let moved = match self {
            Self::Months(months) => {
                let time = DateTime::from_timestamp_micros(at.0);
                time.and_then(|time| time.checked_add_months(Months::new(months))).map(|time| time.timestamp_micros())
            }
            Self::Exact(micros) => at.0.checked_add_unsigned(micros),
        };
        moved.map_or(LAST_TIME, |moved| Micros(moved).clamp(FIRST_TIME, LAST_TIME))
    }
}

/// Hours, minutes and seconds.
fn clock(text: &str) -> Result<Span, SpanProblem> {
    let mut rest = text;
    let mut micros = 0u64;
    for (unit, seconds) in [("h", 3_600), ("m", 60), ("s", 1)] {
        let number = &rest[..rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len()];
        let Some(after) = rest[number.len()..].strip_prefix(unit).filter(|_| !number.is_empty()) else { continue };
        let part = scaled(number, seconds * SECOND)?;
        micros = micros.checked_add(part).filter(|micros| *micros <= MAX_DAYS * DAY).ok_or(SpanProblem::TooLong)?;
        rest = after;
    }
    if rest.is_empty() && !text.is_empty() { Ok(Span::Exact(micros)) } else { Err(SpanProblem::Unreadable) }
}

/// A decimal number times a unit in microseconds; what is finer than a microsecond is cut.
fn scaled(number: &str, unit: u64) -> Result<u64, SpanProblem> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return Err(SpanProblem::Unreadable);
    }
    let whole: u64 = whole.parse().map_err(|_| SpanProblem::TooLong)?;
    // Ten digits are finer than a microsecond of an hour.
    let fraction = &fraction[..fraction.len().min(10)];
    let digits: u64 = fraction.parse().map_err(|_| SpanProblem::Unreadable)?;
    let part = u128::from(digits) * u128::from(unit) / 10u128.pow(u32::try_from(fraction.len()).unwrap_or(10));
    let part = u64::try_from(part).map_err(|_| SpanProblem::TooLong)?;
    whole.checked_mul(unit).and_then(|micros| micros.checked_add(part)).ok_or(SpanProblem::TooLong)
}

/// What to tell somebody who may have meant months; `None` if the span can't be mistaken.
#[must_use]
pub fn minutes_warning(field: &str, text: &str) -> Option<String> {
    let minutes = text.trim().strip_suffix('m')?;
    let number = minutes.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !minutes.is_empty();
    let plural = if minutes == "1" { "" } else { "s" };
    number.then(|| {
        format!("{field}: {minutes}m was read as {minutes} minute{plural}; write {minutes}mo for month{plural}")
    })
}

/// A period, both bounds inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// First time inside.
    pub from: Micros,
    /// Last time inside; not before `from`.
    pub to: Micros,
}

impl Period {
    /// The bounds, if they are in order.
    #[must_use]
    pub fn new(from: Micros, to: Micros) -> Option<Self> {
        (from <= to).then_some(Self { from, to })
    }

    /// What a fetch asks for: from `before` ahead of the reference time to the reference time, or to `after` past it.
    #[must_use]
    pub fn around(reference_time: Instant, before: Option<Span>, after: Option<Span>) -> Self {
        let at = reference_time.to_micros();
        let from = before.unwrap_or(Span::DEFAULT).before(at);
        Self { from, to: after.map_or(at, |after| after.after(at)).max(from) }
    }

    /// Whether a time lies inside.
    #[must_use]
    pub fn contains(self, at: Micros) -> bool {
        self.from <= at && at <= self.to
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::series::points::read_time;

    #[test]
    fn spans_are_read_in_every_form() {
        const HOUR: u64 = 3_600 * SECOND;
        for (text, expected) in [
            ("30d", Span::DEFAULT),
            ("2w", Span::Exact(14 * DAY)),
            ("6mo", Span::Months(6)),
            ("1y", Span::Months(12)),
            ("20y", Span::Months(240)),
            ("7305d", Span::Exact(7_305 * DAY)),
            ("36h", Span::Exact(36 * HOUR)),
            ("1h30m", Span::Exact(HOUR + HOUR / 2)),
            ("1.5h", Span::Exact(HOUR + HOUR / 2)),
            ("6m", Span::Exact(HOUR / 10)),
            ("90s", Span::Exact(90 * SECOND)),
            ("1h0.5s", Span::Exact(HOUR + SECOND / 2)),
            ("0d", Span::Exact(0)),
            (" 1d ", Span::Exact(DAY)),
            ("0.00000000000001h", Span::Exact(0)),
        ] {
            assert_eq!(Span::parse(text), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn anything_else_is_no_span() {
        use SpanProblem::{TooLong, Unreadable};
        for (text, expected) in [
            ("", Unreadable),
            ("30", Unreadable),
            ("d", Unreadable),
            ("-1d", Unreadable),
            ("+1d", Unreadable),
            ("1.5d", Unreadable),
            ("1D", Unreadable),
            ("1 d", Unreadable),
            ("1d12h", Unreadable),
            ("1y6mo", Unreadable),
            ("30m1h", Unreadable),
            ("1h1h", Unreadable),
            (".5h", Unreadable),
            ("1.h", Unreadable),
            ("1..5h", Unreadable),
            ("1.2.3h", Unreadable),
            ("5ms", Unreadable),
            ("１d", Unreadable),
            ("month", Unreadable),
            ("21y", TooLong),
            ("241mo", TooLong),
            ("7306d", TooLong),
            ("1044w", TooLong),
            ("175321h", TooLong),
            ("99999999999999999999999d", TooLong),
            ("99999999999999999999999h", TooLong),
            ("18446744073709551615y", TooLong),
        ] {
            assert_eq!(Span::parse(text), Err(expected), "{text:?}");
        }
    }

    #[test]
    fn months_are_steps_in_the_calendar() {
        for (at, span, before) in [
            ("2024-03-31T12:00:00Z", "1mo", "2024-02-29T12:00:00Z"),
            ("2023-03-31T12:00:00Z", "1mo", "2023-02-28T12:00:00Z"),
            ("2024-02-29T00:00:00Z", "1y", "2023-02-28T00:00:00Z"),
            ("2024-01-15T00:00:00Z", "6mo", "2023-07-15T00:00:00Z"),
            ("2024-03-01T00:00:00.5Z", "1d", "2024-02-29T00:00:00.5Z"),
            ("0005-01-01T00:00:00Z", "20y", "0001-01-01T00:00:00Z"),
        ] {
            let at = read_time(at).expect("a time");
            assert_eq!(Span::parse(span).expect("a span").before(at).to_string(), before, "{at} - {span}");
        }
        let last = Span::Months(240).after(read_time("9990-01-01T00:00:00Z").expect("a time"));
        assert_eq!(last, LAST_TIME);
    }

    #[test]
    fn a_fetch_asks_for_thirty_days_and_nothing_after() {
        let at = Instant(1_700_000_000);
        let period = Period::around(at, None, None);
        assert_eq!(period, Period { from: Instant(1_700_000_000 - 30 * 86_400).to_micros(), to: at.to_micros() });
        assert!(period.contains(at.to_micros()) && !period.contains(Micros(at.to_micros().0 + 1)));
    }

    #[test]
    fn minutes_that_may_be_meant_as_months_are_told() {
        assert_eq!(
            minutes_warning("before", "6m").as_deref(),
            Some("before: 6m was read as 6 minutes; write 6mo for months")
        );
        for text in ["6mo", "1h30m", "36h", "m", "", "6s"] {
            assert_eq!(minutes_warning("before", text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_string_makes_reading_a_span_panic(text in "\\PC*") {
            let _ = Span::parse(&text);
            let _ = minutes_warning("before", &text);
        }

        #[test]
        fn no_string_that_looks_like_a_span_makes_it_panic(text in "([0-9.]{0,24}(d|w|mo|y|h|m|s)){1,3}") {
            if let Ok(span) = Span::parse(&text) {
                let at = Micros(0);
                prop_assert!(span.before(at) <= at && at <= span.after(at));
            }
        }
    }
}
