//! What points amount to.

use gligabao_core::series;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::wire::time::Time;
use crate::wire::word::{TrendWord, Word};

/// A step from one point to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Move {
    /// Time of the point before it.
    pub from: Time,
    /// Time of the point after it.
    pub to: Time,
    /// Value before.
    pub from_value: f64,
    /// Value after.
    pub to_value: f64,
    /// Per cent of the value before, with the sign of the change; absent beyond the largest double.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pct: Option<f64>,
}

impl From<series::Move> for Move {
    fn from(step: series::Move) -> Self {
        let series::Move { from, to, from_value, to_value, pct } = step;
        Self { from: from.into(), to: to.into(), from_value, to_value, pct }
    }
}

/// A summary of points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Stats {
    /// How many points.
    pub count: u64,
    /// Time of the first point.
    pub first_ts: Time,
    /// Time of the last point.
    pub last_ts: Time,
    /// Value of the first point.
    pub first: f64,
    /// Value of the last point.
    pub last: f64,
    /// Smallest value.
    pub min: f64,
    /// The earliest time that has it.
    pub min_ts: Time,
    /// Largest value.
    pub max: f64,
    /// The earliest time that has it.
    pub max_ts: Time,
    /// Compensated mean.
    pub mean: f64,
    /// Last minus first; absent beyond the largest double.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// The change in per cent of the first value, with its sign; absent from 0 and beyond the largest double.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pct_change: Option<f64>,
    /// `up` or `down` by more than one per cent, else `flat`.
    pub trend: TrendWord,
    /// The step with the largest percentage; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_move: Option<Move>,
}

impl From<series::Stats> for Stats {
    fn from(stats: series::Stats) -> Self {
        Self {
            count: stats.count,
            first_ts: stats.first_ts.into(),
            last_ts: stats.last_ts.into(),
            first: stats.first,
            last: stats.last,
            min: stats.min,
            min_ts: stats.min_ts.into(),
            max: stats.max,
            max_ts: stats.max_ts.into(),
            mean: stats.mean,
            change: stats.change,
            pct_change: stats.pct_change,
            trend: Word(stats.trend),
            largest_move: stats.largest_move.map(Move::from),
        }
    }
}
