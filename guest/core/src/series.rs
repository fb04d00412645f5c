//! Time series: values over time, stored beside the graph and tied to it by anchors.
//!
//! Everything here is a function of its arguments: what a request may say, which points it leaves stored, what the
//! points amount to, how they are told in words, and what the words state. Points are plain values that cross the
//! boundary as one list; nothing here knows how a store keeps them.

pub mod anchor;
pub mod answer;
pub mod bucket;
mod calls;
pub mod merge;
pub mod number;
pub mod observation;
pub(crate) mod pages;
pub mod points;
pub mod reading;
pub mod request;
pub mod stats;
mod sum;
pub mod window;

pub(crate) use calls::{anchors_at, first_entity, summary};
pub use calls::{delete_anchor, delete_points, delete_series, get_series, list_series};
pub use points::Point;
pub use stats::{Accumulator, Move, Stats, Trend};
