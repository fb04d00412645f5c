//! What written points do to stored ones, and how a series was known at an earlier time.

use std::cmp::Ordering;

use super::Point;
use crate::time::Micros;

/// A value that another one has replaced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Revision {
    /// The point as it was.
    pub point: Point,
    /// Transaction time from which it was known.
    pub since: Micros,
    /// Transaction time from which another value was known; later than `since`.
    pub until: Micros,
}

/// A stored point and the transaction time from which it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// The point as it is.
    pub point: Point,
    /// Since when.
    pub since: Micros,
}

/// What a write changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merge {
    /// What is to be written, ascending: points at new times and with other values. A point that is stored as it was sent
    /// is not among them.
    pub writes: Vec<Point>,
    /// The stored points that `writes` replace, ascending. Each leaves a [`Revision`] that ends with the commit.
    pub replaced: Vec<Point>,
    /// How many points the series has more.
    pub added: u64,
}

impl Merge {
    /// Whether all writes come after `last`, so that stats go on where they are.
    #[must_use]
    pub fn appends_to(&self, last: Option<Micros>) -> bool {
        self.writes.first().is_none_or(|first| last.is_none_or(|last| last < first.at))
    }
}

/// Compares points to write with the stored points of their period, both strictly ascending. Values are compared bit for
/// bit, so minus zero replaces zero.
#[must_use]
pub fn merge(stored: &[Point], sent: &[Point]) -> Merge {
    let mut merge = Merge::default();
    let mut stored = stored.iter().peekable();
    for &point in sent {
        while stored.next_if(|before| before.at < point.at).is_some() {}
        match stored.next_if(|before| before.at == point.at) {
            Some(before) if before.is_same(point) => continue,
            Some(before) => merge.replaced.push(*before),
            None => merge.added += 1,
        }
        merge.writes.push(point);
    }
    merge
}

/// The points after a write: those of both, and of a time in both the written one.
#[must_use]
pub fn overlaid(stored: &[Point], writes: &[Point]) -> Vec<Point> {
    let mut all = Vec::with_capacity(stored.len() + writes.len());
    let (mut stored, mut writes) = (stored.iter().peekable(), writes.iter().peekable());
    while let (Some(before), Some(write)) = (stored.peek(), writes.peek()) {
        let order = before.at.cmp(&write.at);
        if order == Ordering::Less {
            all.extend(stored.next());
        } else {
            all.extend(writes.next());
            stored.next_if(|_| order == Ordering::Equal);
        }
    }
    all.extend(stored);
    all.extend(writes);
    all
}

/// The points of a period as they were known at a transaction time: of stored points those that were known by then, of
/// replaced ones those that were not replaced yet. `stored` ascends by time; the order of `revisions` does not matter.
#[must_use]
pub fn as_known(stored: &[Known], revisions: &[Revision], known_at: Micros) -> Vec<Point> {
    let mut then: Vec<Point> =
        revisions.iter().filter(|old| old.since <= known_at && known_at < old.until).map(|old| old.point).collect();
    then.sort_by_key(|point| point.at);
    let now: Vec<Point> = stored.iter().filter(|known| known.since <= known_at).map(|known| known.point).collect();
    overlaid(&then, &now)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn points(pairs: &[(i64, f64)]) -> Vec<Point> {
        pairs.iter().map(|&(at, value)| Point::new(Micros(at), value)).collect()
    }

    #[test]
    fn only_what_changes_is_written() {
        let merge = merge(&points(&[(1, 1.0), (2, 2.0), (3, 0.0)]), &points(&[(2, 2.0), (3, -0.0), (4, 4.0)]));
        assert_eq!(merge.writes.len(), 2);
        assert!(merge.writes[0].is_same(Point::new(Micros(3), -0.0)));
        assert_eq!((merge.replaced, merge.added), (points(&[(3, 0.0)]), 1));
    }

    #[test]
    fn points_after_the_last_one_append() {
        let stored = points(&[(1, 1.0), (2, 2.0)]);
        for (sent, expected) in
            [(&[(3, 1.0)][..], true), (&[], true), (&[(2, 2.0), (3, 1.0)], true), (&[(2, 3.0)], false)]
        {
            assert_eq!(merge(&stored, &points(sent)).appends_to(Some(Micros(2))), expected, "{sent:?}");
        }
        assert!(merge(&[], &points(&[(1, 1.0)])).appends_to(None));
    }

    fn written() -> impl Strategy<Value = BTreeMap<i64, f64>> {
        proptest::collection::btree_map(0i64..12, prop_oneof![Just(0.0), Just(-0.0), Just(1.0), Just(2.0)], 0..8)
    }

    fn same(a: &[Point], b: &[Point]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(*b))
    }

    proptest! {
        #[test]
        fn a_series_is_known_at_every_time_as_a_copy_of_then_says(writes in proptest::collection::vec(written(), 1..6)) {
            let mut copies = vec![Vec::new()];
            let mut stored: Vec<Known> = Vec::new();
            let mut revisions = Vec::new();
            for (now, write) in (1..).map(Micros).zip(&writes) {
                let sent: Vec<Point> = write.iter().map(|(at, value)| Point::new(Micros(*at), *value)).collect();
                let before: Vec<Point> = stored.iter().map(|known| known.point).collect();
                let merge = merge(&before, &sent);
                let after = overlaid(&before, &merge.writes);
                prop_assert_eq!(after.len() as u64, before.len() as u64 + merge.added);
                prop_assert!(same(&after, &overlaid(&before, &sent)));
                let since: BTreeMap<Micros, Micros> = stored.iter().map(|known| (known.point.at, known.since)).collect();
                for point in &merge.replaced {
                    revisions.push(Revision { point: *point, since: since[&point.at], until: now });
                }
                let fresh: Vec<Micros> = merge.writes.iter().map(|point| point.at).collect();
                stored = after.iter().map(|point| Known {
                    point: *point,
                    since: if fresh.contains(&point.at) { now } else { since[&point.at] },
                }).collect();
                copies.push(after);
            }
            for (known_at, copy) in (0..).map(Micros).zip(&copies) {
                prop_assert!(same(&as_known(&stored, &revisions, known_at), copy), "{:?}", known_at);
            }
        }
    }
}
