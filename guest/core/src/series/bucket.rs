//! Points put together by periods of the UTC calendar, as they stream by.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveTime, Timelike};

use super::Point;
use super::points::LAST_TIME;
use super::sum::Sum;
use crate::model::words;
use crate::time::Micros;

words! {
    /// The period of a bucket.
    Bucket {
        /// From the full hour.
        Hour = "1h",
        /// From midnight.
        Day = "1d",
        /// From Monday.
        Week = "1w",
        /// From the first of a month.
        Month = "1mo",
        /// From the first of January.
        Year = "1y",
    }
}

words! {
    /// What is told of the points of a bucket.
    Aggregate {
        /// Their compensated mean.
        Mean = "mean",
        /// The smallest value.
        Min = "min",
        /// The largest value.
        Max = "max",
        /// The latest value.
        Last = "last",
        /// How many there are.
        Count = "count",
        /// First, largest, smallest and latest value.
        Ohlc = "ohlc",
    }
}

impl Bucket {
    /// First time of the bucket that a time lies in. The first week of year 1 begins with that year.
    #[must_use]
    pub fn start(self, at: Micros) -> Micros {
        let Some(time) = DateTime::from_timestamp_micros(at.0) else { return at };
        let date = time.date_naive();
        let start = match self {
            Self::Hour => return NaiveTime::from_hms_opt(time.hour(), 0, 0).map_or(at, |hour| micros(date, hour)),
            Self::Day => Some(date),
            Self::Week => date.checked_sub_days(Days::new(u64::from(date.weekday().num_days_from_monday()))),
            Self::Month => date.with_day(1),
            Self::Year => NaiveDate::from_ymd_opt(date.year(), 1, 1),
        };
        start.map_or(at, |start| micros(start, NaiveTime::MIN))
    }

    /// First time after the bucket that starts at a time.
    fn end(self, start: Micros) -> Micros {
        const HOUR: i64 = 3_600_000_000;
        let months = |count| {
            let time = DateTime::from_timestamp_micros(start.0)?.checked_add_months(Months::new(count))?;
            Some(time.timestamp_micros())
        };
        let end = match self {
            Self::Hour => Some(start.0 + HOUR),
            Self::Day => Some(start.0 + 24 * HOUR),
            Self::Week => Some(start.0 + 7 * 24 * HOUR),
            Self::Month => months(1),
            Self::Year => months(12),
        };
        Micros(end.unwrap_or(LAST_TIME.0 + 1))
    }
}

fn micros(date: NaiveDate, time: NaiveTime) -> Micros {
    Micros(date.and_time(time).and_utc().timestamp_micros())
}

/// What a bucket says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BucketValue {
    /// Mean, smallest, largest or latest value.
    Number(f64),
    /// How many points.
    Count(u64),
    /// All four.
    Ohlc(Ohlc),
}

/// First, largest, smallest and latest value, as the trade calls them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ohlc {
    /// First.
    pub open: f64,
    /// Largest.
    pub high: f64,
    /// Smallest.
    pub low: f64,
    /// Latest.
    pub close: f64,
}

/// A period that has points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BucketRow {
    /// First time of the period; points may begin later.
    pub start: Micros,
    /// What is told of its points.
    pub value: BucketValue,
}

/// A bucket that may still grow.
#[derive(Debug, Clone)]
struct Open {
    start: Micros,
    end: Micros,
    count: u64,
    sum: Sum,
    first: f64,
    min: f64,
    max: f64,
    last: f64,
}

impl Open {
    fn value(&self, aggregate: Aggregate) -> BucketValue {
        match aggregate {
            Aggregate::Mean => BucketValue::Number(self.sum.mean(self.count).clamp(self.min, self.max)),
            Aggregate::Min => BucketValue::Number(self.min),
            Aggregate::Max => BucketValue::Number(self.max),
            Aggregate::Last => BucketValue::Number(self.last),
            Aggregate::Count => BucketValue::Count(self.count),
            Aggregate::Ohlc => {
                BucketValue::Ohlc(Ohlc { open: self.first, high: self.max, low: self.min, close: self.last })
            }
        }
    }
}

/// Collects the buckets of points that come page by page.
#[derive(Debug, Clone)]
pub struct Buckets {
    bucket: Bucket,
    aggregate: Aggregate,
    limit: usize,
    rows: Vec<BucketRow>,
    open: Option<Open>,
    next: Option<Micros>,
}

/// Buckets, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct BucketPage {
    /// At most as many as were asked for; periods without points are not among them.
    pub rows: Vec<BucketRow>,
    /// The first point beyond them, where a further read goes on; `None`: there is none.
    pub next: Option<Micros>,
}

impl Buckets {
    /// Collects at most `limit` buckets.
    #[must_use]
    pub fn new(bucket: Bucket, aggregate: Aggregate, limit: usize) -> Self {
        Self { bucket, aggregate, limit, rows: Vec::new(), open: None, next: None }
    }

    /// Takes the next points: ascending, after those before. Whether it wants more of them.
    pub fn push(&mut self, points: &[Point]) -> bool {
        for point in points {
            if self.next.is_some() {
                break;
            }
            match &mut self.open {
                Some(open) if point.at < open.end => {
                    open.sum.add(open.count, point.value);
                    open.count += 1;
                    open.min = if point.value < open.min { point.value } else { open.min };
                    open.max = if point.value > open.max { point.value } else { open.max };
                    open.last = point.value;
                }
                _ => self.begin(*point),
            }
        }
        self.next.is_none()
    }

    fn begin(&mut self, point: Point) {
        self.close();
        if self.rows.len() == self.limit {
            self.next = Some(point.at);
            return;
        }
        let start = self.bucket.start(point.at);
        let mut sum = Sum::default();
        sum.add(0, point.value);
        let (first, min, max, last) = (point.value, point.value, point.value, point.value);
        self.open = Some(Open { start, end: self.bucket.end(start), count: 1, sum, first, min, max, last });
    }

    fn close(&mut self) {
        let open = self.open.take();
        self.rows.extend(open.map(|open| BucketRow { start: open.start, value: open.value(self.aggregate) }));
    }

    /// The buckets, when there are no more points or no more are wanted.
    #[must_use]
    pub fn finish(mut self) -> BucketPage {
        self.close();
        BucketPage { rows: self.rows, next: self.next }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::series::points::{FIRST_TIME, read_time};

    fn at(text: &str) -> Micros {
        read_time(text).expect("a time")
    }

    #[test]
    fn a_bucket_starts_with_its_period() {
        for (time, hour, day, week, month, year) in [
            ("2024-05-16T13:45:10.5Z", "2024-05-16T13", "2024-05-16", "2024-05-13", "2024-05-01", "2024-01-01"),
            ("2024-01-01T00:00:00Z", "2024-01-01T00", "2024-01-01", "2024-01-01", "2024-01-01", "2024-01-01"),
            ("2023-01-01T23:59:59.999999Z", "2023-01-01T23", "2023-01-01", "2022-12-26", "2023-01-01", "2023-01-01"),
            ("1969-12-31T23:59:59.999999Z", "1969-12-31T23", "1969-12-31", "1969-12-29", "1969-12-01", "1969-01-01"),
            ("0001-01-03T05:00:00Z", "0001-01-03T05", "0001-01-03", "0001-01-01", "0001-01-01", "0001-01-01"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23", "9999-12-31", "9999-12-27", "9999-12-01", "9999-01-01"),
        ] {
            for (bucket, start) in Bucket::ALL.iter().zip([hour, day, week, month, year]) {
                let clock = if start.contains('T') { ":00:00Z" } else { "T00:00:00Z" };
                assert_eq!(bucket.start(at(time)).to_string(), format!("{start}{clock}"), "{bucket} of {time}");
            }
        }
    }

    fn read(points: &[(&str, f64)], bucket: Bucket, aggregate: Aggregate, limit: usize) -> BucketPage {
        let mut buckets = Buckets::new(bucket, aggregate, limit);
        for (time, value) in points {
            buckets.push(&[Point::new(at(time), *value)]);
        }
        buckets.finish()
    }

    const POINTS: &[(&str, f64)] = &[
        ("2024-01-01T00:00:00Z", 3.0),
        ("2024-01-01T12:00:00Z", 1.0),
        ("2024-01-01T23:59:59.999999Z", 5.0),
        ("2024-01-03T00:00:00Z", -2.0),
    ];

    #[test]
    fn empty_periods_are_left_out_and_the_others_aggregated() {
        use BucketValue::{Count, Number};
        for (aggregate, first, second) in [
            (Aggregate::Mean, Number(3.0), Number(-2.0)),
            (Aggregate::Min, Number(1.0), Number(-2.0)),
            (Aggregate::Max, Number(5.0), Number(-2.0)),
            (Aggregate::Last, Number(5.0), Number(-2.0)),
            (Aggregate::Count, Count(3), Count(1)),
            (
                Aggregate::Ohlc,
                BucketValue::Ohlc(Ohlc { open: 3.0, high: 5.0, low: 1.0, close: 5.0 }),
                BucketValue::Ohlc(Ohlc { open: -2.0, high: -2.0, low: -2.0, close: -2.0 }),
            ),
        ] {
            let rows = vec![
                BucketRow { start: at("2024-01-01T00:00:00Z"), value: first },
                BucketRow { start: at("2024-01-03T00:00:00Z"), value: second },
            ];
            assert_eq!(read(POINTS, Bucket::Day, aggregate, 10), BucketPage { rows, next: None }, "{aggregate}");
        }
    }

    #[test]
    fn the_limit_counts_buckets_and_says_where_to_go_on() {
        let page = read(POINTS, Bucket::Day, Aggregate::Count, 1);
        assert_eq!((page.rows.len(), page.next), (1, Some(at("2024-01-03T00:00:00Z"))));
        let page = read(POINTS, Bucket::Day, Aggregate::Count, 2);
        assert_eq!((page.rows.len(), page.next), (2, None));
    }

    proptest! {
        #[test]
        fn every_time_lies_in_its_bucket_and_buckets_touch(time in FIRST_TIME.0..=LAST_TIME.0) {
            for bucket in Bucket::ALL {
                let start = bucket.start(Micros(time));
                let end = bucket.end(start);
                prop_assert!(start.0 <= time && time < end.0);
                prop_assert_eq!(bucket.start(start), start);
                prop_assert_eq!(bucket.start(Micros(end.0 - 1)), start);
                prop_assert!(end.0 > LAST_TIME.0 || bucket.start(end) == end);
            }
        }

        #[test]
        fn pages_don_t_matter(
            times in proptest::collection::btree_set(0i64..400_000_000_000, 1..80),
            size in 1usize..30,
            limit in 1usize..12,
        ) {
            let points: Vec<Point> = times.iter().map(|at| Point::new(Micros(*at), *at as f64)).collect();
            for aggregate in Aggregate::ALL {
                let mut whole = Buckets::new(Bucket::Day, *aggregate, limit);
                whole.push(&points);
                let mut paged = Buckets::new(Bucket::Day, *aggregate, limit);
                for page in points.chunks(size) {
                    if !paged.push(page) {
                        break;
                    }
                }
                prop_assert_eq!(whole.finish(), paged.finish());
            }
        }

        #[test]
        fn bounded_reads_put_together_are_the_whole(times in proptest::collection::btree_set(0i64..900_000_000_000, 1..60)) {
            let points: Vec<Point> = times.iter().map(|at| Point::new(Micros(*at), 1.0)).collect();
            let mut whole = Buckets::new(Bucket::Day, Aggregate::Count, 1_000);
            whole.push(&points);
            let mut rows = Vec::new();
            let mut from = Some(Micros(0));
            while let Some(start) = from {
                let mut page = Buckets::new(Bucket::Day, Aggregate::Count, 2);
                page.push(&points[points.partition_point(|point| point.at < start)..]);
                let page = page.finish();
                rows.extend(page.rows);
                from = page.next;
            }
            prop_assert_eq!(rows, whole.finish().rows);
        }
    }
}
