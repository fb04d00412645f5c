//! When a told fact holds: what a text states, and what its reference time stands in for.

use crate::model::StartSource;
use crate::time::{Date, Instant, UNKNOWN_START};

/// When a text says that a fact holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Start in the world.
    pub start: Date,
    /// Where the start comes from.
    pub source: StartSource,
    /// The stated end, after the start.
    pub end: Option<Date>,
    /// The reference time of the text: when it was true that this was told.
    pub at: Instant,
}

impl Told {
    /// What a text with this reference time means by the dates that it states.
    ///
    /// Without a start the reference time stands in for it, unless the text says that the fact had ended by then: the
    /// start is unknown in that case, because the reference time would say the opposite of the text. An end that can
    /// belong to the start in no reading is left out.
    #[must_use]
    pub fn new(valid_at: Option<Date>, invalid_at: Option<Date>, reference_time: Instant) -> Self {
        let unknown = || Date::second(UNKNOWN_START);
        let (start, source) = match (valid_at, invalid_at) {
            (Some(start), _) => (start, StartSource::Stated),
            (None, Some(end)) if end.at <= reference_time => (unknown(), StartSource::Unknown),
            (None, _) => (Date::second(reference_time), StartSource::Fallback),
        };
        let end = invalid_at.and_then(|end| end_after(end, start.at, reference_time));
        Self { start, source, end, at: reference_time }
    }
}

/// What a stated end means for a fact with this start.
///
/// An end is the first instant of the period that it names. If that is not after the start but the period contains the
/// start ("joined and left in 2019"), the end of the period is meant, though at most the reference time. Any other end
/// that is not after the start is `None`.
#[must_use]
pub fn end_after(end: Date, start: Instant, reference_time: Instant) -> Option<Date> {
    if end.at > start {
        return Some(end);
    }
    if !end.contains(start) {
        return None;
    }
    let period_end = end.period_end();
    let end = if period_end <= reference_time {
        Date { at: period_end, precision: end.precision }
    } else {
        Date::second(reference_time)
    };
    (end.at > start).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).expect("a date")
    }

    fn told(valid_at: Option<&str>, invalid_at: Option<&str>, at: &str) -> (String, StartSource, Option<String>) {
        let told = Told::new(valid_at.map(date), invalid_at.map(date), date(at).at);
        (told.start.at.to_string(), told.source, told.end.map(|end| end.at.to_string()))
    }

    #[test]
    fn dates_mean_what_the_text_says() {
        let unknown = "0001-01-01T00:00:00Z";
        for (valid_at, invalid_at, reference, start, source, end) in [
            (None, None, "2025-01-01", "2025-01-01T00:00:00Z", StartSource::Fallback, None),
            (Some("2023"), None, "2025-01-01", "2023-01-01T00:00:00Z", StartSource::Stated, None),
            (None, Some("2024-06"), "2025-01-01", unknown, StartSource::Unknown, Some("2024-06-01T00:00:00Z")),
            (None, Some("2025-01-01"), "2025-01-01", unknown, StartSource::Unknown, Some("2025-01-01T00:00:00Z")),
            (
                None,
                Some("2030"),
                "2025-01-01",
                "2025-01-01T00:00:00Z",
                StartSource::Fallback,
                Some("2030-01-01T00:00:00Z"),
            ),
            (
                Some("2019"),
                Some("2019"),
                "2025-01-01",
                "2019-01-01T00:00:00Z",
                StartSource::Stated,
                Some("2020-01-01T00:00:00Z"),
            ),
            (
                Some("2019-03"),
                Some("2019"),
                "2025-01-01",
                "2019-03-01T00:00:00Z",
                StartSource::Stated,
                Some("2020-01-01T00:00:00Z"),
            ),
            (
                Some("2019"),
                Some("2019"),
                "2019-08-01",
                "2019-01-01T00:00:00Z",
                StartSource::Stated,
                Some("2019-08-01T00:00:00Z"),
            ),
            (Some("2019"), Some("2019"), "2018-08-01", "2019-01-01T00:00:00Z", StartSource::Stated, None),
            (Some("2020"), Some("2018"), "2025-01-01", "2020-01-01T00:00:00Z", StartSource::Stated, None),
            (
                Some("2020-05-01"),
                Some("2020-05-01T00:00:00Z"),
                "2025-01-01",
                "2020-05-01T00:00:00Z",
                StartSource::Stated,
                None,
            ),
        ] {
            let expected = (start.to_owned(), source, end.map(str::to_owned));
            assert_eq!(
                told(valid_at, invalid_at, reference),
                expected,
                "{valid_at:?} to {invalid_at:?} told at {reference}"
            );
        }
    }
}
