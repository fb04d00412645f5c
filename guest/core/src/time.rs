//! Time as facts have it: instants, dates with a precision, half-open intervals.

mod date;
mod interval;

pub use date::{Date, Instant, Micros, Precision, UNKNOWN_START};
pub use interval::Interval;
