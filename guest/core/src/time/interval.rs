//! Half-open intervals of valid time.

use super::Instant;

/// `[start, end)`; without an end it goes on. Empty when the end is not after the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// First instant inside.
    pub start: Instant,
    /// First instant outside; `None` is open.
    pub end: Option<Instant>,
}

impl Interval {
    /// `[start, end)`.
    #[must_use]
    pub fn new(start: Instant, end: Option<Instant>) -> Self {
        Self { start, end }
    }

    /// Whether `at` lies inside.
    #[must_use]
    pub fn contains(self, at: Instant) -> bool {
        self.start <= at && self.end.is_none_or(|end| at < end)
    }

    /// Whether no instant lies inside.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.end.is_some_and(|end| end <= self.start)
    }

    /// Whether both have an instant in common; an empty interval overlaps nothing.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        !self.is_empty()
            && !other.is_empty()
            && self.end.is_none_or(|end| other.start < end)
            && other.end.is_none_or(|end| self.start < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(start: i64, end: Option<i64>) -> Interval {
        Interval::new(Instant(start), end.map(Instant))
    }

    #[test]
    fn the_end_is_outside() {
        assert!(interval(1, Some(3)).contains(Instant(1)));
        assert!(interval(1, Some(3)).contains(Instant(2)));
        assert!(!interval(1, Some(3)).contains(Instant(3)));
        assert!(interval(1, None).contains(Instant(i64::MAX)));
    }

    #[test]
    fn neighbours_do_not_overlap() {
        assert!(!interval(1, Some(3)).overlaps(interval(3, None)));
        assert!(interval(1, Some(4)).overlaps(interval(3, None)));
        assert!(interval(1, None).overlaps(interval(3, Some(4))));
        assert!(!interval(3, Some(3)).overlaps(interval(1, None)));
    }
}
