//! What storage answers about time series.

use crate::model::{Anchor, Position, Series};
use crate::series::Point;
use crate::time::Micros;

/// What identifies a series.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesKey {
    /// Who was asked for it; `None` for what callers send.
    pub provider: Option<String>,
    /// The caller's or the provider's name of it.
    pub key: String,
    /// Which value of the key.
    pub field: String,
}

impl SeriesKey {
    /// That of a series.
    #[must_use]
    pub fn of(series: &Series) -> Self {
        Self { provider: series.provider.clone(), key: series.key.clone(), field: series.field.clone() }
    }
}

/// A series and what was made of its points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSeries {
    /// The series.
    pub series: Series,
    /// Number of its points.
    pub points: u64,
    /// What the writer keeps with it.
    pub state: Vec<u8>,
}

/// A part of a list of series, by ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeriesPage {
    /// The series.
    pub series: Vec<StoredSeries>,
    /// Where to go on; `None`: that was all.
    pub next: Option<Position>,
}

/// A part of the anchors of a series, by target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorPage {
    /// The anchors.
    pub anchors: Vec<Anchor>,
    /// Where to go on; `None`: that was all.
    pub next: Option<Position>,
}

/// Which points of a series. Both bounds are inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PointFilter {
    /// From this time; `None`: from the first point.
    pub from: Option<Micros>,
    /// To this time; `None`: to the last point.
    pub to: Option<Micros>,
    /// As held at this transaction time; `None`: as of the snapshot.
    pub known_at: Option<Micros>,
}

impl PointFilter {
    /// Whether a time lies between the bounds.
    #[must_use]
    pub fn contains(&self, at: Micros) -> bool {
        self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at <= to)
    }
}

/// A part of the points of a series, by time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PointPage {
    /// As many as were asked for, or fewer where the store likes.
    pub points: Vec<Point>,
    /// Whether there are more after the last of them.
    pub more: bool,
}

impl PointPage {
    /// The time from which to ask for the rest; `None`: that was all.
    #[must_use]
    pub fn rest(&self) -> Option<Micros> {
        let last = self.points.last().filter(|_| self.more)?;
        Some(Micros(last.at.0 + 1))
    }
}
