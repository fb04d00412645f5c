//! Instants and dates, read from and written as text.

use std::fmt;

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, Timelike, Utc};
use serde::{Deserialize, Serialize};

/// Valid time: seconds since 1970-01-01T00:00:00Z, negative before. Always within the years 1 to 9999 when it was
/// read by this module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(pub i64);

/// Transaction time, and the time of a point of a series: microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Micros(pub i64);

/// The start of a fact of which only the end is known: 0001-01-01T00:00:00Z.
pub const UNKNOWN_START: Instant = Instant(-62_135_596_800);

/// How finely a date was stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// A calendar year.
    Year,
    /// A calendar month.
    Month,
    /// A calendar day.
    Day,
    /// An instant.
    Second,
}

impl Precision {
    /// The word on the wire and in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Day => "day",
            Self::Second => "second",
        }
    }
}

/// A stated date: the earliest instant of the period it names, and how wide that period is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Earliest instant of the period.
    pub at: Instant,
    /// Width of the period.
    pub precision: Precision,
}

impl Instant {
    /// The calendar reading in UTC; `None` outside chrono's range.
    fn utc(self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.0, 0)
    }

    /// Reads RFC 3339 or `YYYY-MM-DD`, as times in requests are written.
    #[must_use]
    pub fn parse_request(text: &str) -> Option<Self> {
        let date = Date::parse(text)?;
        matches!(date.precision, Precision::Day | Precision::Second).then_some(date.at)
    }

    /// The transaction time at this second.
    #[must_use]
    pub fn to_micros(self) -> Micros {
        Micros(self.0.saturating_mul(1_000_000))
    }
}

impl fmt::Display for Instant {
    /// RFC 3339 in UTC with `Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Micros(self.0.saturating_mul(1_000_000)).fmt(f)
    }
}

impl Micros {
    /// Reads RFC 3339 (digits finer than a microsecond are cut) or `YYYY-MM-DD`; years 1 to 9999.
    #[must_use]
    pub fn parse_request(text: &str) -> Option<Self> {
        if let Some(date) = Date::parse(text).filter(|date| date.precision == Precision::Day) {
            return Some(date.at.to_micros());
        }
        let time = parse_rfc3339(text)?;
        Some(Self(time.timestamp_micros()))
    }

    /// The second that it lies in.
    #[must_use]
    pub fn to_instant(self) -> Instant {
        Instant(self.0.div_euclid(1_000_000))
    }
}

impl fmt::Display for Micros {
    /// RFC 3339 in UTC with `Z`, fraction digits only as needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(time) = DateTime::from_timestamp_micros(self.0) else {
            return write!(f, "{}us", self.0);
        };
        write!(f, "{}", time.format("%Y-%m-%dT%H:%M:%S"))?;
        let micros = time.timestamp_subsec_micros();
        if micros != 0 {
            let digits = format!("{micros:06}");
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        f.write_str("Z")
    }
}

impl Date {
    /// An instant stated to the second.
    #[must_use]
    pub fn second(at: Instant) -> Self {
        Self { at, precision: Precision::Second }
    }

    /// The calendar year; `None` outside 1 to 9999.
    #[must_use]
    pub fn year(year: i32) -> Option<Self> {
        Self::civil(year, 1, 1, Precision::Year)
    }

    /// The calendar month; `None` when there is no such month.
    #[must_use]
    pub fn month(year: i32, month: u32) -> Option<Self> {
        Self::civil(year, month, 1, Precision::Month)
    }

    /// The calendar day; `None` when there is no such day.
    #[must_use]
    pub fn day(year: i32, month: u32, day: u32) -> Option<Self> {
        Self::civil(year, month, day, Precision::Day)
    }

    fn civil(year: i32, month: u32, day: u32, precision: Precision) -> Option<Self> {
        let date = NaiveDate::from_ymd_opt(year, month, day)?;
        let at = in_range(date.and_hms_opt(0, 0, 0)?.and_utc())?;
        Some(Self { at: Instant(at.timestamp()), precision })
    }

    /// Reads RFC 3339 with any offset, `YYYY-MM-DD`, `YYYY-MM`, `YYYY` or `YYYY-MM-DD HH:MM[:SS]`, all in UTC.
    /// Anything else is `None`: a date that can't be read counts as missing.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        let number = |range: std::ops::Range<usize>| text.get(range).and_then(|digits| digits.parse::<u32>().ok());
        let year = || number(0..4).and_then(|year| i32::try_from(year).ok());
        match shape.as_str() {
            "0000" => Self::year(year()?),
            "0000-00" => Self::month(year()?, number(5..7)?),
            "0000-00-00" => Self::day(year()?, number(5..7)?, number(8..10)?),
            "0000-00-00 00:00" | "0000-00-00 00:00:00" => {
                let format = if shape.len() == 16 { "%Y-%m-%d %H:%M" } else { "%Y-%m-%d %H:%M:%S" };
                let time = NaiveDateTime::parse_from_str(text, format).ok()?;
                let time = in_range(not_leap(time)?.and_utc())?;
                Some(Self::second(Instant(time.timestamp())))
            }
            _ => parse_rfc3339(text).map(|time| Self::second(Instant(time.timestamp()))),
        }
    }

    /// First instant after the period that the date names; the instant itself for a second.
    #[must_use]
    pub fn period_end(self) -> Instant {
        let end = self.at.utc().and_then(|start| match self.precision {
            Precision::Year => start.checked_add_months(Months::new(12)),
            Precision::Month => start.checked_add_months(Months::new(1)),
            Precision::Day => start.checked_add_days(Days::new(1)),
            Precision::Second => Some(start),
        });
        end.map_or(self.at, |end| Instant(end.timestamp()))
    }

    /// Whether the instant lies inside the period that the date names; never for a second.
    #[must_use]
    pub fn contains(self, at: Instant) -> bool {
        self.at <= at && at < self.period_end()
    }
}

impl fmt::Display for Date {
    /// As finely as it was stated: `2024`, `2024-06`, `2024-06-10`, `2024-06-10T08:00:00Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = match self.precision {
            Precision::Year => 4,
            Precision::Month => 7,
            Precision::Day => 10,
            Precision::Second => return self.at.fmt(f),
        };
        let text = self.at.to_string();
        f.write_str(text.get(..width).unwrap_or(&text))
    }
}

fn parse_rfc3339(text: &str) -> Option<DateTime<Utc>> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    not_leap(time.naive_local())?;
    in_range(time.with_timezone(&Utc))
}

/// A leap second has no place in POSIX time.
fn not_leap(time: NaiveDateTime) -> Option<NaiveDateTime> {
    (time.nanosecond() < 1_000_000_000).then_some(time)
}

fn in_range(time: DateTime<Utc>) -> Option<DateTime<Utc>> {
    (1..=9999).contains(&time.year()).then_some(time)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<(String, Precision)> {
        Date::parse(text).map(|date| (date.at.to_string(), date.precision))
    }

    #[test]
    fn every_accepted_form_is_read_with_its_precision() {
        for (text, at, precision) in [
            ("2024", "2024-01-01T00:00:00Z", Precision::Year),
            ("2024-06", "2024-06-01T00:00:00Z", Precision::Month),
            ("2024-06-10", "2024-06-10T00:00:00Z", Precision::Day),
            ("2024-02-29", "2024-02-29T00:00:00Z", Precision::Day),
            ("2024-06-10 08:30", "2024-06-10T08:30:00Z", Precision::Second),
            ("2024-06-10 08:30:15", "2024-06-10T08:30:15Z", Precision::Second),
            ("2024-06-10T08:30:15Z", "2024-06-10T08:30:15Z", Precision::Second),
            ("2024-06-10T01:30:15+03:00", "2024-06-09T22:30:15Z", Precision::Second),
            ("2024-06-10T01:30:15.987654321Z", "2024-06-10T01:30:15Z", Precision::Second),
            (" 2024 ", "2024-01-01T00:00:00Z", Precision::Year),
            ("0001", "0001-01-01T00:00:00Z", Precision::Year),
            ("9999-12-31", "9999-12-31T00:00:00Z", Precision::Day),
        ] {
            assert_eq!(read(text), Some((at.to_owned(), precision)), "{text}");
        }
    }

    #[test]
    fn anything_else_counts_as_missing() {
        for text in [
            "",
            "0000",
            "0000-01-01",
            "2024-13",
            "2023-02-29",
            "2024-02-30",
            "24",
            "20245",
            "2024-6-1",
            "+2024",
            "-2024",
            "10000-01-01",
            "2024-06-10 24:00:00",
            "2024-06-10T23:59:60Z",
            "2024-06-10 23:59:60",
            "soon",
            "2024-06-10T08:30:15",
            "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "２０２４",
            "1234567890-01-01",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_period_ends_where_the_next_one_starts() {
        for (text, end) in [
            ("2024", "2025-01-01T00:00:00Z"),
            ("2024-12", "2025-01-01T00:00:00Z"),
            ("2024-02-29", "2024-03-01T00:00:00Z"),
            ("2024-06-10T08:30:15Z", "2024-06-10T08:30:15Z"),
            ("9999", "+10000-01-01T00:00:00Z"),
        ] {
            let date = Date::parse(text).expect("a date");
            assert_eq!(date.period_end().to_string(), end, "{text}");
        }
    }

    #[test]
    fn a_date_is_shown_as_finely_as_it_was_stated() {
        for text in ["2024", "2024-06", "2024-06-10", "2024-06-10T08:30:15Z"] {
            assert_eq!(Date::parse(text).expect("a date").to_string(), text);
        }
    }

    #[test]
    fn micros_have_as_many_fraction_digits_as_they_need() {
        for text in ["2024-06-10T08:30:15Z", "2024-06-10T08:30:15.5Z", "1969-12-31T23:59:59.000001Z"] {
            assert_eq!(Micros::parse_request(text).expect("a time").to_string(), text);
        }
    }

    #[test]
    fn the_unknown_start_is_the_first_instant_of_year_one() {
        assert_eq!(UNKNOWN_START.to_string(), "0001-01-01T00:00:00Z");
    }

    proptest! {
        #[test]
        fn no_string_makes_reading_a_date_panic(text in "\\PC*") {
            let _ = Date::parse(&text);
            let _ = Micros::parse_request(&text);
        }

        #[test]
        fn no_string_that_looks_like_a_date_makes_it_panic(text in "[0-9]{1,10}-[0-9]{1,2}-[0-9]{1,2}[T ]?[0-9:.]{0,12}(Z|[+-][0-9]{2}:[0-9]{2})?") {
            let _ = Date::parse(&text);
            let _ = Micros::parse_request(&text);
        }

        #[test]
        fn what_is_written_reads_back(seconds in -62_135_596_800i64..253_402_300_799) {
            prop_assert_eq!(Date::parse(&Instant(seconds).to_string()), Some(Date::second(Instant(seconds))));
        }
    }
}
