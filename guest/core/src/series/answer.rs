//! What calls about series answer.

use super::Stats;
use super::anchor::Skipped;
use super::reading::Rows;
use crate::model::{Anchor, Series, SeriesId};

/// An anchor of a request, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenAnchor {
    /// The anchor.
    pub anchor: Anchor,
    /// Whether the entity was made for it.
    pub created: bool,
}

/// What became of a series that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenSeries {
    /// The series.
    pub id: SeriesId,
    /// The caller's identifier.
    pub key: String,
    /// Which value of the key.
    pub field: String,
    /// Whether it is new.
    pub created: bool,
    /// How many points were sent.
    pub points: u32,
    /// How many of them overwrote another value.
    pub replaced: u32,
    /// How many points it has now.
    pub point_count: u64,
    /// The anchors of the request.
    pub anchors: Vec<WrittenAnchor>,
    /// Those that were left out.
    pub skipped_anchors: Vec<Skipped>,
}

/// A series without its points.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesSummary {
    /// The series.
    pub series: Series,
    /// Of all its points; `None` where there is none.
    pub stats: Option<Stats>,
    /// The first 1,000 of its anchors.
    pub anchors: Vec<Anchor>,
}

/// A part of a list of series, by ID.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesList {
    /// The series.
    pub series: Vec<SeriesSummary>,
    /// Where to go on; `None`: that was all.
    pub cursor: Option<String>,
}

/// A part of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesAnswer {
    /// The series.
    pub summary: SeriesSummary,
    /// At most as many as were asked for.
    pub rows: Rows,
    /// Where the rest begins; `None`: that was all.
    pub cursor: Option<String>,
    /// Of all the points between `from` and `to`, if either was given and nothing was cut off.
    pub window_stats: Option<Stats>,
}
