//! Points and buckets of a series, as they are read.

use gligabao_core::series::answer::SeriesAnswer;
use gligabao_core::series::bucket::{BucketValue, Ohlc};
use gligabao_core::series::reading::{MAX_ROWS, ReadRequest, Rows};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::Series;
use super::stats::Stats;
use crate::wire::limit::Limit;
use crate::wire::time::{PointTime, PointUntil, Time};
use crate::wire::word::{AggregateWord, BucketWord};

/// How many points or buckets at most.
pub type RowLimit = Limit<1_000, MAX_ROWS>;

/// Which points of a series.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SeriesParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent.
    pub dataset: Option<String>,
    /// First time inside; the first point when absent.
    #[param(inline)]
    pub from: Option<PointTime>,
    /// Last time inside; the last point when absent.
    #[param(inline)]
    pub to: Option<PointUntil>,
    /// How many points or buckets at most.
    #[param(inline)]
    pub limit: Option<RowLimit>,
    /// As known at this time of the store; now when absent.
    #[param(inline)]
    pub known_at: Option<PointTime>,
    /// Points put together by the periods of the UTC calendar; every point when absent.
    #[param(inline)]
    pub bucket: Option<BucketWord>,
    /// What is told of a bucket; `mean` when absent.
    #[param(inline)]
    pub agg: Option<AggregateWord>,
    /// Where an answer before this one left off.
    pub cursor: Option<String>,
}

impl From<SeriesParams> for ReadRequest {
    fn from(params: SeriesParams) -> Self {
        Self {
            from: params.from.map(|at| at.0),
            to: params.to.map(|at| at.0),
            limit: params.limit.map(|limit| limit.0),
            known_at: params.known_at.map(|at| at.0),
            bucket: params.bucket.map(|word| word.0),
            aggregate: params.agg.map(|word| word.0),
            cursor: params.cursor,
        }
    }
}

/// Which points are deleted; all of the series when neither is given.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DeleteParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent.
    pub dataset: Option<String>,
    /// Only the points from this time on.
    #[param(inline)]
    pub from: Option<PointTime>,
    /// Only the points up to this time, inside.
    #[param(inline)]
    pub to: Option<PointUntil>,
}

/// A point, or a bucket and what is told of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Row {
    /// `[time, value]`.
    Number(Time, f64),
    /// `[start, count]`.
    Count(Time, u64),
    /// `[start, open, high, low, close]`.
    Ohlc(Time, [f64; 4]),
}

impl Row {
    /// Time of the point, or first time of the bucket.
    #[must_use]
    pub fn at(self) -> Time {
        match self {
            Self::Number(at, _) | Self::Count(at, _) | Self::Ohlc(at, _) => at,
        }
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        seq.serialize_element(&self.at())?;
        match self {
            Self::Number(_, value) => seq.serialize_element(value)?,
            Self::Count(_, count) => seq.serialize_element(count)?,
            Self::Ohlc(_, values) => values.iter().try_for_each(|value| seq.serialize_element(value))?,
        }
        seq.end()
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Row;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a time with one value or four")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut parts: A) -> Result<Row, A::Error> {
                let at = parts.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
                let mut values = Vec::with_capacity(4);
                let mut count = None;
                while let Some(value) = parts.next_element::<serde_json::Number>()? {
                    // A value has a dot or an exponent.
                    count = value.as_u64();
                    values.push(value.as_f64().unwrap_or(f64::MAX));
                }
                match (&values[..], count) {
                    ([_], Some(count)) => Ok(Row::Count(at, count)),
                    (&[value], None) => Ok(Row::Number(at, value)),
                    (&[open, high, low, close], _) => Ok(Row::Ohlc(at, [open, high, low, close])),
                    _ => Err(de::Error::invalid_length(1 + values.len(), &self)),
                }
            }
        }

        deserializer.deserialize_seq(Visitor)
    }
}

impl PartialSchema for Row {
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new()
            .items(ObjectBuilder::new())
            .description(Some(
                "`[time, value]`; of a bucket `[start, value]`, with `agg=ohlc` `[start, open, high, low, close]`.",
            ))
            .examples([serde_json::json!(["2007-01-09T00:00:00Z", 92.57])])
            .into()
    }
}

impl ToSchema for Row {
    fn name() -> std::borrow::Cow<'static, str> {
        "Row".into()
    }
}

/// A part of a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SeriesPart {
    /// The series.
    #[serde(flatten)]
    pub series: Series,
    /// Points or buckets, oldest first; periods without points are not among the buckets.
    pub points: Vec<Row>,
    /// Whether there are more than `limit`.
    pub truncated: bool,
    /// Where the rest begins; absent when that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Of the points between `from` and `to`, if either was given and nothing was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_stats: Option<Stats>,
}

/// Points or buckets as they are written.
#[must_use]
pub fn rows(rows: Rows) -> Vec<Row> {
    match rows {
        Rows::Points(points) => points.into_iter().map(|point| Row::Number(point.at.into(), point.value)).collect(),
        Rows::Buckets(buckets) => buckets
            .into_iter()
            .map(|bucket| match bucket.value {
                BucketValue::Number(value) => Row::Number(bucket.start.into(), value),
                BucketValue::Count(count) => Row::Count(bucket.start.into(), count),
                BucketValue::Ohlc(Ohlc { open, high, low, close }) => {
                    Row::Ohlc(bucket.start.into(), [open, high, low, close])
                }
            })
            .collect(),
    }
}

impl From<SeriesAnswer> for SeriesPart {
    fn from(answer: SeriesAnswer) -> Self {
        Self {
            series: answer.summary.into(),
            points: rows(answer.rows),
            truncated: answer.cursor.is_some(),
            cursor: answer.cursor,
            window_stats: answer.window_stats.map(Stats::from),
        }
    }
}
