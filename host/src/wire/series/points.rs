//! Points of a request, read straight into numbers: the text of each value is looked at, because an integer that no
//! double has is told from one that a double has only by its digits.

use std::fmt;

use gligabao_core::series::points::{PointProblem, is_inexact, read_time};
use gligabao_core::series::{self, Point};
use gligabao_core::time::Micros;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

const NO_PAIR: &str = "must be a pair [time, value], such as [\"2024-06-10T08:30:00Z\", 1.5]";

/// Points as sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points {
    /// In the order of the request.
    pub points: Vec<Point>,
    /// Places of those whose value was written as an integer that no double has.
    pub inexact: Vec<u32>,
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Points;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Points, A::Error> {
                let mut read = Points::default();
                while let Some(Pair { point, inexact }) = items.next_element()? {
                    if inexact {
                        let place = u32::try_from(read.points.len()).map_err(de::Error::custom)?;
                        read.inexact.push(place);
                    }
                    read.points.push(point);
                }
                Ok(read)
            }
        }

        deserializer.deserialize_seq(Visitor)
    }
}

/// One point.
struct Pair {
    point: Point,
    inexact: bool,
}

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Pair;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a pair [time, value]")
            }

            // What is wrong is said here and not of the parts: the place of a point is the place to look at.
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut parts: A) -> Result<Pair, A::Error> {
                let no_pair = || de::Error::custom(NO_PAIR);
                let At(at) = parts.next_element()?.ok_or_else(no_pair)?;
                let literal: &RawValue = parts.next_element()?.ok_or_else(no_pair)?;
                if parts.next_element::<de::IgnoredAny>()?.is_some() {
                    return Err(no_pair());
                }
                let at = at.map_err(de::Error::custom)?;
                let literal = literal.get();
                let is_number = literal.starts_with(|c: char| c == '-' || c.is_ascii_digit());
                let value = literal.parse().ok().filter(|value: &f64| is_number && value.is_finite());
                let value = value.ok_or_else(|| de::Error::custom(PointProblem::NotFinite))?;
                Ok(Pair { point: Point { at, value }, inexact: value.abs() > 1e15 && is_inexact(literal) })
            }
        }

        deserializer.deserialize_seq(Visitor)
    }
}

/// The time of a point, or what is wrong with it.
struct At(Result<Micros, PointProblem>);

impl<'de> Deserialize<'de> for At {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let literal = <&RawValue>::deserialize(deserializer)?.get();
        let plain = literal.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let text = match plain {
            Some(text) if !text.contains('\\') => return Ok(Self(read_time(text))),
            Some(_) => serde_json::from_str::<String>(literal).map_err(de::Error::custom)?,
            None => return Ok(Self(Err(PointProblem::Unreadable))),
        };
        Ok(Self(read_time(&text)))
    }
}

impl PartialSchema for Points {
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new()
            .items(ArrayBuilder::new().items(ObjectBuilder::new()).min_items(Some(2)).max_items(Some(2)))
            .min_items(Some(1))
            .max_items(Some(series::points::MAX_POINTS))
            .description(Some(
                "Pairs `[time, value]`, in any order: RFC 3339 with at most six fraction digits, years 1 to 9999, and \
                 a finite number.",
            ))
            .examples([serde_json::json!([["2024-06-10T00:00:00Z", 1.5], ["2024-06-11T00:00:00Z", -2]])])
            .into()
    }
}

impl ToSchema for Points {
    fn name() -> std::borrow::Cow<'static, str> {
        "Points".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Points, (String, String)> {
        let mut json = serde_json::Deserializer::from_str(json);
        serde_path_to_error::deserialize(&mut json)
            .map_err(|error| (error.path().to_string(), error.into_inner().to_string()))
    }

    #[test]
    fn integers_that_no_double_has_are_noticed_by_their_digits() {
        let literals = ["1", "9007199254740993", "1e23", "100000000000000000000000", "-9007199254740993", "-0", "0.1"];
        let pairs: Vec<_> = literals.iter().map(|literal| format!("[\"1970-01-01T00:00:00Z\", {literal}]")).collect();
        let read = read(&format!("[{}]", pairs.join(","))).expect("points");
        assert_eq!(read.inexact, [1, 3, 4]);
        for (point, literal) in read.points.iter().zip(literals) {
            assert_eq!(point.value.to_bits(), literal.parse::<f64>().expect("a number").to_bits(), "{literal}");
        }
    }

    #[test]
    fn a_time_may_be_written_with_escapes() {
        let read = read(r#"[["1970-01-01T00\u003a00:00.000001Z", 1]]"#).expect("a point");
        assert_eq!(read.points, [Point::new(Micros(1), 1.0)]);
    }

    #[test]
    fn what_is_wrong_has_the_place_of_its_point() {
        let good = r#"["1970-01-01T00:00:00Z", 1]"#;
        for (bad, words) in [
            (r#"["1970-01-01", 1]"#, "the time is no RFC 3339"),
            (r#"["1970-01-01T00:00:00.0000001Z", 1]"#, "the time is finer than a microsecond"),
            (r#"["0000-01-01T00:00:00Z", 1]"#, "the time is outside the years 1 to 9999"),
            (r"[0, 1]", "the time is no RFC 3339"),
            (r#"["1970-01-01T00:00:00Z", "1"]"#, "the value is no finite number"),
            (r#"["1970-01-01T00:00:00Z", null]"#, "the value is no finite number"),
            (r#"["1970-01-01T00:00:00Z", 1e999]"#, "the value is no finite number"),
            (r#"["1970-01-01T00:00:00Z", [1]]"#, "the value is no finite number"),
            (r#"["1970-01-01T00:00:00Z"]"#, "must be a pair [time, value]"),
            (r#"["1970-01-01T00:00:00Z", 1, 2]"#, "must be a pair [time, value]"),
            ("[]", "must be a pair [time, value]"),
            ("7", "invalid type: integer `7`, expected a pair [time, value]"),
        ] {
            let (place, message) = read(&format!("[{good},{bad},{good}]")).expect_err("it is malformed");
            assert!(place == "[1]" && message.starts_with(words), "{bad}: {place}: {message}");
        }
    }
}
