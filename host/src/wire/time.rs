//! Times as requests write them and answers show them.

use std::borrow::Cow;
use std::fmt;

use gligabao_core::model::Moment;
use gligabao_core::recall::{Known, When};
use gligabao_core::series::points::read_time;
use gligabao_core::time::{Date, Instant, Micros, Precision};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A time in an answer: RFC 3339 in UTC with `Z`, fraction digits only as needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub Micros);

impl From<Instant> for Time {
    fn from(at: Instant) -> Self {
        Self(at.to_micros())
    }
}

impl From<Micros> for Time {
    fn from(at: Micros) -> Self {
        Self(at)
    }
}

impl From<Moment> for Time {
    fn from(moment: Moment) -> Self {
        match moment {
            Moment::At(at) => Self(at),
            Moment::Now => unreachable!("only a plan says NOW; what storage answers has a time"),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Micros::parse_request(&text).map(Self).ok_or_else(|| de::Error::custom(NOT_A_TIME))
    }
}

impl PartialSchema for Time {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some("RFC 3339 in UTC with `Z`, fraction digits only as needed."))
            .examples([serde_json::json!("2024-06-10T08:30:00Z")])
            .into()
    }
}

impl ToSchema for Time {
    fn name() -> Cow<'static, str> {
        "Time".into()
    }
}

const NOT_A_TIME: &str = "must be a time in RFC 3339 or YYYY-MM-DD, such as 2024-06-10T08:30:00Z or 2024-06-10";

/// Makes a type that a request writes as one string.
macro_rules! request_text {
    ($(#[$doc:meta])* $name:ident($inner:ty), $parse:expr, $problem:expr, $schema:literal, $example:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub $inner);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let parse: fn(&str) -> Option<$inner> = $parse;
                let text = String::deserialize(deserializer)?;
                parse(&text).map(Self).ok_or_else(|| de::Error::custom($problem))
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some($schema))
                    .examples([serde_json::json!($example)])
                    .into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }
    };
}

request_text!(
    /// A time in a request: RFC 3339 or `YYYY-MM-DD`, its first instant.
    TimeInput(Instant),
    Instant::parse_request,
    NOT_A_TIME,
    "RFC 3339, or YYYY-MM-DD for the first instant of that day (UTC).",
    "2024-06-10"
);

request_text!(
    /// The end of a stretch of valid time, inclusive: a day means all of it.
    UntilInput(Instant),
    |text| {
        let date = Date::parse(text).filter(|_| Instant::parse_request(text).is_some())?;
        Some(Instant(date.at.0.max(date.period_end().0 - 1)))
    },
    NOT_A_TIME,
    "RFC 3339, or YYYY-MM-DD for all of that day (UTC). Inclusive.",
    "2024-12-31"
);

request_text!(
    /// When, in valid time: a time, `now` or `any`.
    WhenInput(When),
    |text| match text {
        "now" => Some(When::Now),
        "any" => Some(When::Any),
        time => Instant::parse_request(time).map(When::At),
    },
    "must be a time in RFC 3339 or YYYY-MM-DD, `now` or `any`",
    "When the facts hold: RFC 3339, YYYY-MM-DD, `now`, or `any` for all that is not retracted.",
    "2023-06-01"
);

const NOT_A_POINT_TIME: &str = "must be a time in RFC 3339 with at most six fraction digits, or YYYY-MM-DD, such as \
                                2024-06-10T08:30:00.25Z or 2024-06-10";

request_text!(
    /// A time of points: RFC 3339 to the microsecond, or `YYYY-MM-DD`, its first instant.
    PointTime(Micros),
    |text| match date_of(text) {
        Some(day) => Some(day.at.to_micros()),
        None => read_time(text).ok(),
    },
    NOT_A_POINT_TIME,
    "RFC 3339 with at most six fraction digits, or YYYY-MM-DD for the first instant of that day (UTC).",
    "2024-06-10T08:30:00.25Z"
);

request_text!(
    /// The end of a stretch of points, inside: a day means all of it.
    PointUntil(Micros),
    |text| match date_of(text) {
        Some(day) => Some(Micros(day.period_end().to_micros().0 - 1)),
        None => read_time(text).ok(),
    },
    NOT_A_POINT_TIME,
    "RFC 3339 with at most six fraction digits, or YYYY-MM-DD for all of that day (UTC). Inclusive.",
    "2024-12-31"
);

/// The day that a text is, if it is one.
fn date_of(text: &str) -> Option<Date> {
    Date::parse(text).filter(|date| date.precision == Precision::Day)
}

/// As believed when, in transaction time: a time, or a version (digits only).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownInput(pub Known);

impl KnownInput {
    fn parse(text: &str) -> Option<Known> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().ok().map(Known::Version);
        }
        match text {
            "now" => Some(Known::Now),
            time => Micros::parse_request(time).map(Known::At),
        }
    }
}

impl<'de> Deserialize<'de> for KnownInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = KnownInput;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time or a version")
            }

            fn visit_u64<E: de::Error>(self, version: u64) -> Result<KnownInput, E> {
                Ok(KnownInput(Known::Version(version)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<KnownInput, E> {
                KnownInput::parse(text).map(KnownInput).ok_or_else(|| {
                    E::custom("must be a time in RFC 3339 or YYYY-MM-DD, `now`, or a version (digits only)")
                })
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

impl PartialSchema for KnownInput {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "As believed when: RFC 3339, YYYY-MM-DD, `now`, or digits only for a version (the state after the \
                 last change whose `seq` is at most that).",
            ))
            .examples([serde_json::json!("12"), serde_json::json!("2024-06-10T08:30:00Z")])
            .into()
    }
}

impl ToSchema for KnownInput {
    fn name() -> Cow<'static, str> {
        "KnownInput".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn a_day_as_an_end_means_all_of_it() {
        for (text, at) in [
            ("2024-06-10", "2024-06-10T23:59:59Z"),
            ("2024-06-10T08:00:00Z", "2024-06-10T08:00:00Z"),
            ("2024-06-10T08:00:00+02:00", "2024-06-10T06:00:00Z"),
        ] {
            let until: UntilInput = read(&format!("{text:?}")).expect("a time");
            assert_eq!(until.0.to_string(), at, "{text}");
        }
        assert!(read::<UntilInput>("\"2024\"").is_err());
    }

    #[test]
    fn times_of_points_are_read_to_the_microsecond_and_days_as_a_whole() {
        for (text, from, until) in [
            ("2024-06-10", "2024-06-10T00:00:00Z", "2024-06-10T23:59:59.999999Z"),
            ("9999-12-31", "9999-12-31T00:00:00Z", "9999-12-31T23:59:59.999999Z"),
            ("0001-01-01T00:00:00.5Z", "0001-01-01T00:00:00.5Z", "0001-01-01T00:00:00.5Z"),
        ] {
            let json = format!("{text:?}");
            assert_eq!(read::<PointTime>(&json).expect("a time").0.to_string(), from);
            assert_eq!(read::<PointUntil>(&json).expect("a time").0.to_string(), until);
        }
        for bad in ["\"2024\"", "\"2024-06\"", "\"2024-06-10T00:00:00.0000001Z\"", "\"10000-01-01\"", "7"] {
            assert!(read::<PointTime>(bad).is_err() && read::<PointUntil>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn known_at_is_a_version_when_it_is_digits_only() {
        for (json, known) in [
            ("\"12\"", Known::Version(12)),
            ("12", Known::Version(12)),
            ("\"2024\"", Known::Version(2024)),
            ("\"now\"", Known::Now),
            ("\"1970-01-01T00:00:00.000001Z\"", Known::At(Micros(1))),
            ("\"1970-01-02\"", Known::At(Micros(86_400_000_000))),
        ] {
            assert_eq!(read::<KnownInput>(json), Ok(KnownInput(known)), "{json}");
        }
        for json in ["\"\"", "\"-1\"", "-1", "1.5", "\"99999999999999999999\"", "\"soon\""] {
            assert!(read::<KnownInput>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn at_is_a_time_or_one_of_two_words() {
        assert_eq!(read("\"any\""), Ok(WhenInput(When::Any)));
        assert_eq!(read("\"now\""), Ok(WhenInput(When::Now)));
        assert_eq!(read("\"1970-01-01\""), Ok(WhenInput(When::At(Instant(0)))));
        assert!(read::<WhenInput>("\"1970\"").is_err());
    }
}
