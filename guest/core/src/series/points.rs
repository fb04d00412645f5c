//! Points as they are sent: their times as text, their order, and which of them count.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::storage::rules::LAST_INSTANT;
use crate::time::{Instant, Micros, UNKNOWN_START};

/// Most points of a series in one request.
pub const MAX_POINTS: usize = 100_000;

/// First time of a point: 0001-01-01T00:00:00Z.
pub const FIRST_TIME: Micros = Micros(UNKNOWN_START.0 * 1_000_000);

/// Last time of a point: 9999-12-31T23:59:59.999999Z.
pub const LAST_TIME: Micros = Micros(LAST_INSTANT.0 * 1_000_000 + 999_999);

/// Largest integer up to which doubles hold every one: 2^53.
pub const MAX_EXACT_INTEGER: u64 = 1 << 53;

/// A value at a time. The value is finite.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Point {
    /// When, in microseconds; within the years 1 to 9999.
    pub at: Micros,
    /// What; minus zero is kept.
    pub value: f64,
}

impl Point {
    /// A value at a time.
    #[must_use]
    pub fn new(at: Micros, value: f64) -> Self {
        Self { at, value }
    }

    /// Whether both have the same time and the same value, bit for bit.
    #[must_use]
    pub fn is_same(self, other: Self) -> bool {
        self.at == other.at && self.value.to_bits() == other.value.to_bits()
    }
}

/// Why a point can't be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PointProblem {
    /// Its time is no RFC 3339.
    #[error("the time is no RFC 3339; 2024-06-10T08:30:00Z would be one")]
    Unreadable,
    /// Its time has more than six fraction digits.
    #[error("the time is finer than a microsecond; write at most six digits after the dot")]
    TooFine,
    /// Its time is in year 0, or is so in UTC, or is past 9999.
    #[error("the time is outside the years 1 to 9999")]
    OutOfRange,
    /// Its value is no finite double.
    #[error("the value is no finite number")]
    NotFinite,
}

/// Reads the time of a point: RFC 3339 with any offset, at most six fraction digits, years 1 to 9999 in UTC, no leap
/// second.
///
/// # Errors
/// What is wrong with it.
pub fn read_time(text: &str) -> Result<Micros, PointProblem> {
    use PointProblem::{OutOfRange, TooFine, Unreadable};
    let bytes = text.as_bytes();
    let (date_time, rest) = bytes.split_at_checked(19).ok_or(Unreadable)?;
    let mark = |at: usize, allowed: &[u8]| if allowed.contains(&date_time[at]) { Ok(()) } else { Err(Unreadable) };
    mark(4, b"-")?;
    mark(7, b"-")?;
    mark(10, b"Tt")?;
    mark(13, b":")?;
    mark(16, b":")?;
    let part = |range: std::ops::Range<usize>| digits(&date_time[range]).ok_or(Unreadable);
    let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
    let (hour, minute, second) = (part(11..13)?, part(14..16)?, part(17..19)?);
    if hour > 23 || minute > 59 || second > 59 {
        return Err(Unreadable);
    }
    let date = i32::try_from(year).ok().and_then(|year| NaiveDate::from_ymd_opt(year, month, day)).ok_or(Unreadable)?;
    let (micros, zone) = match rest.split_first() {
        Some((b'.', fraction)) => {
            let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (fraction, zone) = fraction.split_at(length);
            match length {
                0 => return Err(Unreadable),
                1..=6 => {}
                _ => return offset(zone).and(Err(TooFine)),
            }
            let scale = 10u32.pow(6 - u32::try_from(length).map_err(|_| TooFine)?);
            (digits(fraction).ok_or(Unreadable)? * scale, zone)
        }
        _ => (0, rest),
    };
    let days = date.signed_duration_since(NaiveDate::default()).num_days();
    let seconds = days * 86_400 + i64::from(hour * 3_600 + minute * 60 + second) - offset(zone)?;
    let at = Micros(seconds * 1_000_000 + i64::from(micros));
    if (FIRST_TIME..=LAST_TIME).contains(&at) { Ok(at) } else { Err(OutOfRange) }
}

/// At most nine digits.
fn digits(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
}

/// Seconds east of UTC.
fn offset(zone: &[u8]) -> Result<i64, PointProblem> {
    let (sign, hours, minutes) = match zone {
        b"Z" | b"z" => return Ok(0),
        [b'+', h1, h2, b':', m1, m2] => (1, [*h1, *h2], [*m1, *m2]),
        [b'-', h1, h2, b':', m1, m2] => (-1, [*h1, *h2], [*m1, *m2]),
        _ => return Err(PointProblem::Unreadable),
    };
    let (hours, minutes) = digits(&hours).zip(digits(&minutes)).ok_or(PointProblem::Unreadable)?;
    if hours > 23 || minutes > 59 {
        return Err(PointProblem::Unreadable);
    }
    Ok(sign * i64::from(hours * 3_600 + minutes * 60))
}

/// Whether a JSON number is an integer that no double has, so that the point's value is only near it.
#[must_use]
pub fn is_inexact(literal: &str) -> bool {
    let integer = literal.strip_prefix('-').unwrap_or(literal);
    if integer.is_empty() || !integer.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let Ok(value) = literal.parse::<f64>() else { return false };
    // Every double is printed exactly when no digit after the dot is asked for.
    value.is_finite() && format!("{:.0}", value.abs()) != integer.trim_start_matches('0') && value != 0.0
}

/// Checks points as sent, in any order.
///
/// # Errors
/// The place of the first that can't be stored, and why not.
pub fn check(points: &[Point]) -> Result<(), (usize, PointProblem)> {
    for (place, point) in points.iter().enumerate() {
        if !point.value.is_finite() {
            return Err((place, PointProblem::NotFinite));
        }
        if !(FIRST_TIME..=LAST_TIME).contains(&point.at) {
            return Err((place, PointProblem::OutOfRange));
        }
    }
    Ok(())
}

/// Sorts points by time; of those with the same time the last one stays.
#[must_use]
pub fn sorted(mut points: Vec<Point>) -> Vec<Point> {
    if points.is_sorted_by(|a, b| a.at < b.at) {
        return points;
    }
    points.sort_by_key(|point| point.at);
    points.dedup_by(|later, kept| {
        let same = later.at == kept.at;
        if same {
            *kept = *later;
        }
        same
    });
    points
}

/// The part of sorted points that is not after a time, for a memory that must not know the future of its event; how
/// many were dropped.
#[must_use]
pub fn clip(mut points: Vec<Point>, reference_time: Instant) -> (Vec<Point>, usize) {
    let kept = points.partition_point(|point| point.at <= reference_time.to_micros());
    let dropped = points.len() - kept;
    points.truncate(kept);
    (points, dropped)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_of_points_are_read_to_the_microsecond() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59.999999Z", -1),
            ("1970-01-01t00:00:00.5z", 500_000),
            ("1970-01-01T01:00:00.000001+01:00", 1),
            ("1969-12-31T23:30:00-00:30", 0),
            ("0001-01-01T00:00:00Z", FIRST_TIME.0),
            ("9999-12-31T23:59:59.999999Z", LAST_TIME.0),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000_000),
        ] {
            assert_eq!(read_time(text), Ok(Micros(expected)), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_time_is_told() {
        use PointProblem::{OutOfRange, TooFine, Unreadable};
        for (text, expected) in [
            ("", Unreadable),
            ("2024-01-01", Unreadable),
            ("2024-01-01T00:00:00", Unreadable),
            ("2024-01-01 00:00:00Z", Unreadable),
            ("2024-01-01T00:00Z", Unreadable),
            ("2024-1-1T00:00:00Z", Unreadable),
            ("2023-02-29T00:00:00Z", Unreadable),
            ("2024-01-01T24:00:00Z", Unreadable),
            ("2024-01-01T23:59:60Z", Unreadable),
            ("2024-01-01T00:00:00.Z", Unreadable),
            ("2024-01-01T00:00:00+0100", Unreadable),
            ("2024-01-01T00:00:00+24:00", Unreadable),
            (" 2024-01-01T00:00:00Z", Unreadable),
            ("+2024-01-01T00:00:00Z", Unreadable),
            ("２０２４-01-01T00:00:00Z", Unreadable),
            ("2024-01-01T00:00:00.1234567Z", TooFine),
            ("2024-01-01T00:00:00.1234560Z", TooFine),
            ("2024-01-01T00:00:00.12345678901234567890Z", TooFine),
            ("2024-01-01T00:00:00.1234567", Unreadable),
            ("0000-12-31T23:59:59Z", OutOfRange),
            ("0001-01-01T00:00:00+00:01", OutOfRange),
            ("9999-12-31T23:59:59-00:01", OutOfRange),
        ] {
            assert_eq!(read_time(text), Err(expected), "{text}");
        }
    }

    #[test]
    fn integers_that_no_double_has_are_found() {
        for (literal, expected) in [
            ("9007199254740992", false),
            ("9007199254740993", true),
            ("-9007199254740993", true),
            ("9007199254740994", false),
            ("100000000000000000000000", true),
            ("99999999999999991611392", false),
            ("1e23", false),
            ("9007199254740993.0", false),
            ("0", false),
            ("-0", false),
            ("12", false),
        ] {
            assert_eq!(is_inexact(literal), expected, "{literal}");
        }
    }

    fn points(pairs: &[(i64, f64)]) -> Vec<Point> {
        pairs.iter().map(|&(at, value)| Point::new(Micros(at), value)).collect()
    }

    #[test]
    fn points_are_sorted_and_the_last_of_a_time_stays() {
        let sent = points(&[(3, 1.0), (1, 2.0), (3, 3.0), (2, 4.0), (1, 5.0)]);
        assert_eq!(sorted(sent), points(&[(1, 5.0), (2, 4.0), (3, 3.0)]));
    }

    #[test]
    fn a_clipped_series_ends_with_its_reference_time() {
        let sent = points(&[(999_999, 1.0), (1_000_000, 2.0), (1_000_001, 3.0)]);
        assert_eq!(clip(sent, Instant(1)), (points(&[(999_999, 1.0), (1_000_000, 2.0)]), 1));
    }

    #[test]
    fn the_first_point_that_cannot_be_stored_is_named_by_its_place() {
        assert_eq!(check(&points(&[(1, 1.0), (2, f64::NAN)])), Err((1, PointProblem::NotFinite)));
        assert_eq!(check(&points(&[(i64::MAX, 1.0)])), Err((0, PointProblem::OutOfRange)));
        assert_eq!(check(&points(&[(FIRST_TIME.0, -0.0), (LAST_TIME.0, f64::MAX)])), Ok(()));
    }

    proptest! {
        #[test]
        fn times_are_read_as_chrono_reads_them(
            text in "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](\\.[0-9]{1,7})?(Z|[+-][0-2][0-9]:[0-5][0-9])"
        ) {
            let leap = text.get(17..19) == Some("60");
            let zone = text.rfind(['+', '-']).filter(|at| *at > 10).and_then(|at| text.get(at + 1..at + 3));
            let chrono = DateTime::parse_from_rfc3339(&text).ok().filter(|_| !leap && zone.is_none_or(|hours| hours < "24"));
            match read_time(&text) {
                Ok(at) => prop_assert_eq!(Some(at.0), chrono.map(|time| time.timestamp_micros())),
                Err(PointProblem::Unreadable) => prop_assert!(chrono.is_none(), "{}", text),
                Err(_) => {}
            }
        }

        #[test]
        fn no_string_makes_reading_a_time_panic(text in "\\PC*") {
            let _ = read_time(&text);
        }

        #[test]
        fn what_is_written_reads_back(at in FIRST_TIME.0..=LAST_TIME.0) {
            prop_assert_eq!(read_time(&Micros(at).to_string()), Ok(Micros(at)));
        }

        #[test]
        fn sorting_keeps_what_a_map_would_keep(pairs in proptest::collection::vec((0i64..20, -5.0..5.0f64), 0..60)) {
            let map: std::collections::BTreeMap<i64, f64> = pairs.iter().copied().collect();
            let expected: Vec<(i64, f64)> = map.into_iter().collect();
            prop_assert_eq!(sorted(points(&pairs)), points(&expected));
        }
    }
}
