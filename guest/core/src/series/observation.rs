//! Observations: points told in words, and the words understood again.
//!
//! A fixed template makes the text from the stats of a window, so the same numbers give the same text on every host, and
//! no sentence says more than the numbers do. Each sentence is a line of its own: names have no control characters, so
//! a line break can't be part of one, and [`read`] gets back exactly what was told, whatever a series is called. What
//! the sentences state as facts is in [`facts`].

mod facts;
mod read;
mod write;

use super::number::{TimeStyle, fraction_digits, number, percent, rounded, significant};
use super::request::DEFAULT_FIELD;
use super::{Point, Stats, Trend};
use crate::extract::Extraction;
use crate::time::{Instant, Micros};

pub use facts::{facts, period};
pub use read::read;

/// Most observations of one request.
pub const MAX_OBSERVATIONS: usize = 10;

/// What is known of a series besides its points.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Described {
    /// The caller's identifier.
    pub key: String,
    /// Which value of the key.
    pub field: String,
    /// For people.
    pub name: String,
    /// Of the values.
    pub unit: Option<String>,
    /// A label.
    pub frequency: Option<String>,
    /// Of a fetched series.
    pub provider: Option<String>,
    /// What the series is about: the name in its first selector of an entity, or whom it was fetched for.
    pub entity: Option<String>,
}

/// A value as it is told, without its unit, and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// As [`number`] writes it.
    pub value: String,
    /// When.
    pub at: Micros,
}

/// Which way a value goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It rises.
    Up,
    /// It falls.
    Down,
    /// It stays.
    Level,
}

/// How the last value differs from the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which way.
    pub direction: Direction,
    /// Too little for a trend.
    pub flat: bool,
    /// By how much, without unit and sign; `None` if it stays, or is beyond the largest double.
    pub by: Option<String>,
    /// In per cent of the first value, without sign; `None` if it stays or there is no percentage.
    pub pct: Option<String>,
}

/// Extremes and mean of values that are not all equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// The smallest value at its earliest time.
    pub low: Told,
    /// The largest value at its earliest time.
    pub high: Told,
    /// The mean, without its unit.
    pub mean: String,
}

/// The largest step from one point to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Before it.
    pub from: Told,
    /// After it.
    pub to: Told,
    /// Up or down.
    pub direction: Direction,
    /// In per cent of the value before, without sign; `None` beyond the largest double.
    pub pct: Option<String>,
}

/// What an observation tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Of which series.
    pub series: Described,
    /// How its times are written.
    pub style: TimeStyle,
    /// How many points; at least 1.
    pub count: u64,
    /// The first point.
    pub first: Told,
    /// The last point; the first one if there is only one.
    pub last: Told,
    /// From the first value to the last; `None` for one point.
    pub change: Option<Change>,
    /// `None` if all values are equal.
    pub spread: Option<Spread>,
    /// `None` under three points, and if no step has a percentage.
    pub largest: Option<Step>,
}

impl Observation {
    /// What there is to tell of points in ascending order; `None` without any.
    #[must_use]
    pub fn of(series: Described, points: &[Point]) -> Option<Self> {
        let stats = Stats::of(points)?;
        let style = TimeStyle::of(points.iter().map(|point| point.at));
        Some(Self::new(series, &stats, style))
    }

    /// What there is to tell of points with these stats.
    #[must_use]
    pub fn new(series: Described, stats: &Stats, style: TimeStyle) -> Self {
        let told = |value, at| Told { value: number(value), at };
        let spread = (stats.min < stats.max).then(|| Spread {
            low: told(stats.min, stats.min_ts),
            high: told(stats.max, stats.max_ts),
            mean: mean(stats),
        });
        let step = stats.largest_move.filter(|step| stats.count > 2 && step.from_value != step.to_value);
        let largest = step.map(|step| Step {
            from: told(step.from_value, step.from),
            to: told(step.to_value, step.to),
            direction: direction(step.from_value, step.to_value),
            pct: step.pct.map(|pct| percent(pct.abs())),
        });
        Self {
            style,
            count: stats.count,
            first: told(stats.first, stats.first_ts),
            last: told(stats.last, stats.last_ts),
            change: (stats.count > 1).then(|| change(stats)),
            spread,
            largest,
            series,
        }
    }
}

impl Described {
    /// The field, where it says anything.
    fn own_field(&self) -> Option<&str> {
        Some(self.field.as_str()).filter(|field| *field != DEFAULT_FIELD)
    }
}

fn direction(from: f64, to: f64) -> Direction {
    match (from < to, to < from) {
        (true, _) => Direction::Up,
        (_, true) => Direction::Down,
        _ => Direction::Level,
    }
}

fn change(stats: &Stats) -> Change {
    let direction = direction(stats.first, stats.last);
    let moved = |value: Option<f64>| value.map(f64::abs).filter(|_| direction != Direction::Level);
    let (by, pct) = (moved(stats.change).map(number), moved(stats.pct_change).map(percent));
    Change { direction, flat: stats.trend == Trend::Flat, by, pct }
}

/// The mean with two more digits after the dot than the values that are told beside it, and three significant ones at
/// least; six beside powers of ten.
fn mean(stats: &Stats) -> String {
    let told = [stats.first, stats.last, stats.min, stats.max].map(fraction_digits);
    match told.into_iter().collect::<Option<Vec<usize>>>().and_then(|digits| digits.into_iter().max()) {
        Some(digits) => rounded(stats.mean, digits + 2, 3),
        None => significant(stats.mean, 6),
    }
}

/// The points of a window that an observation may describe: none after the reference time, unless the future is asked
/// for.
#[must_use]
pub fn visible(points: &[Point], reference_time: Instant, future: bool) -> &[Point] {
    let end = points.partition_point(|point| future || point.at <= reference_time.to_micros());
    &points[..end]
}

/// The facts of the text of an observation; `None` for any other text.
#[must_use]
pub fn extract(text: &str) -> Option<Extraction> {
    read(text).map(|observation| facts(&observation))
}
