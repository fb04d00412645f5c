//! Where ticks of axes are, and what they say.

use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveTime};
use gligabao_core::series::number::significant;

/// A slice of time that is marked.
pub(super) struct Window {
    /// First time, in microseconds.
    pub(super) start: i64,
    /// Last time.
    pub(super) end: i64,
    /// What it is.
    pub(super) label: String,
    /// When it is.
    pub(super) period: String,
}

/// A tick of an axis: where it is, from 0 to 1, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) place: f64,
    pub(super) label: String,
}

/// Values over a height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Values {
    low: f64,
    high: f64,
    step: f64,
}

impl Values {
    /// From a tick below the smallest value to one above the largest, with about `count` ticks.
    pub(super) fn new(values: impl Iterator<Item = f64>, count: usize) -> Self {
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        // The span of the largest doubles is none of them.
        let half = high / 2.0 - low / 2.0;
        let (low, high) = match half {
            _ if half > f64::MAX / 8.0 => return Self { low: -f64::MAX, high: f64::MAX, step: f64::MAX / 2.0 },
            0.0 if low == 0.0 => (-1.0, 1.0),
            0.0 => (low - low.abs() / 10.0, low + low.abs() / 10.0),
            _ => (low, high),
        };
        let rough = (high - low) / count.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
        let step = step.filter(|step| step.is_normal()).unwrap_or(rough);
        let (bottom, top) = ((low / step).floor() * step, (high / step).ceil() * step);
        if (bottom.is_finite() && top.is_finite() && bottom < top) && bottom + step > bottom {
            Self { low: bottom, high: top, step }
        } else {
            Self { low, high: high.max(low.next_up()), step: (high - low).max(f64::MIN_POSITIVE) }
        }
    }

    /// Where a value is, from 0 to 1.
    pub(super) fn place(self, value: f64) -> f64 {
        let span = self.high / 2.0 - self.low / 2.0;
        if span > 0.0 { ((value / 2.0 - self.low / 2.0) / span).clamp(0.0, 1.0) } else { 0.5 }
    }

    /// From bottom to top.
    pub(super) fn ticks(self) -> Vec<Tick> {
        let mut ticks = Vec::new();
        for number in 0..=50u8 {
            let value = self.low + f64::from(number) * self.step;
            if !value.is_finite() || value > self.high + self.step / 2.0 {
                break;
            }
            // What is left of 0 by rounding is 0.
            let value = if value.abs() < self.step / 1e6 { 0.0 } else { value };
            ticks.push(Tick { place: self.place(value), label: significant(value, 6) });
        }
        ticks
    }
}

const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3_600 * SECOND;
const DAY: i64 = 24 * HOUR;

/// How far ticks of time are apart.
#[derive(Debug, Clone, Copy)]
enum Step {
    Micros(i64),
    Months(u32),
}

const STEPS: [Step; 34] = [
    Step::Micros(1),
    Step::Micros(10),
    Step::Micros(100),
    Step::Micros(1_000),
    Step::Micros(10_000),
    Step::Micros(100_000),
    Step::Micros(SECOND),
    Step::Micros(5 * SECOND),
    Step::Micros(15 * SECOND),
    Step::Micros(30 * SECOND),
    Step::Micros(60 * SECOND),
    Step::Micros(300 * SECOND),
    Step::Micros(900 * SECOND),
    Step::Micros(1_800 * SECOND),
    Step::Micros(HOUR),
    Step::Micros(3 * HOUR),
    Step::Micros(6 * HOUR),
    Step::Micros(12 * HOUR),
    Step::Micros(DAY),
    Step::Micros(2 * DAY),
    Step::Micros(7 * DAY),
    Step::Months(1),
    Step::Months(3),
    Step::Months(6),
    Step::Months(12),
    Step::Months(24),
    Step::Months(60),
    Step::Months(120),
    Step::Months(240),
    Step::Months(600),
    Step::Months(1_200),
    Step::Months(2_400),
    Step::Months(6_000),
    Step::Months(12_000),
];

/// Time over a width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    from: i64,
    to: i64,
}

impl Times {
    /// From the first point to the last; a lone point is in the middle of a day.
    pub(super) fn new(first: i64, last: i64) -> Self {
        if first < last { Self { from: first, to: last } } else { Self { from: first - DAY / 2, to: last + DAY / 2 } }
    }

    /// Where a time is: from 0 to 1 inside.
    pub(super) fn place(self, at: i64) -> f64 {
        (at - self.from) as f64 / (self.to - self.from) as f64
    }

    /// A window as places from 0 to 1; `None` if it is outside.
    pub(super) fn span(self, window: &Window) -> Option<(f64, f64)> {
        (window.start <= self.to && window.end >= self.from)
            .then(|| (self.place(window.start).clamp(0.0, 1.0), self.place(window.end).clamp(0.0, 1.0)))
    }

    /// At full hours, days, months or years: at most `most`.
    pub(super) fn ticks(self, most: usize) -> Vec<Tick> {
        let fits = |step: &&Step| self.estimate(**step) <= most as u64;
        let step = *STEPS.iter().find(fits).unwrap_or(&STEPS[STEPS.len() - 1]);
        let mut ticks = Vec::new();
        let mut at = first(self.from, step);
        while let Some(time) = at.filter(|time| *time <= self.to && ticks.len() <= most) {
            ticks.push(Tick { place: self.place(time), label: label(time, step) });
            at = next(time, step);
        }
        ticks
    }

    /// About how many ticks there would be.
    fn estimate(self, step: Step) -> u64 {
        let length = match step {
            Step::Micros(length) => length,
            Step::Months(months) => i64::from(months) * (30 * DAY + 10 * HOUR),
        };
        self.to.abs_diff(self.from) / length.unsigned_abs() + 1
    }
}

/// The first tick at a time or after it.
fn first(from: i64, step: Step) -> Option<i64> {
    match step {
        Step::Micros(length) if length == 7 * DAY => {
            // 1970-01-05 was a Monday.
            Some((from - 4 * DAY).div_euclid(length).saturating_mul(length) + 4 * DAY)
                .map(|start| if start < from { start + length } else { start })
        }
        Step::Micros(length) => {
            Some(from.div_euclid(length) * length).map(|start| if start < from { start + length } else { start })
        }
        Step::Months(months) => {
            let time = DateTime::from_timestamp_micros(from)?;
            let month = i64::from(time.year()) * 12 + i64::from(time.month0());
            let start = month.div_euclid(i64::from(months)) * i64::from(months);
            let start = month_start(start)?;
            if start < from { next(start, step) } else { Some(start) }
        }
    }
}

fn next(at: i64, step: Step) -> Option<i64> {
    match step {
        Step::Micros(length) => at.checked_add(length),
        Step::Months(months) => DateTime::from_timestamp_micros(at)?
            .checked_add_months(Months::new(months))
            .map(|time| time.timestamp_micros()),
    }
}

fn month_start(months: i64) -> Option<i64> {
    let year = i32::try_from(months.div_euclid(12)).ok()?;
    let month = u32::try_from(months.rem_euclid(12)).ok()? + 1;
    let date = NaiveDate::from_ymd_opt(year, month, 1)?;
    Some(date.and_time(NaiveTime::MIN).and_utc().timestamp_micros())
}

/// As finely as the step needs, and with the day where one begins.
fn label(at: i64, step: Step) -> String {
    let Some(time) = DateTime::from_timestamp_micros(at) else { return String::new() };
    let format = match step {
        Step::Months(months) if months >= 12 => "%Y",
        Step::Months(_) => "%Y-%m",
        Step::Micros(length) if length >= DAY => "%Y-%m-%d",
        Step::Micros(_) if at.rem_euclid(DAY) == 0 => "%m-%d",
        Step::Micros(length) if length >= 60 * SECOND => "%H:%M",
        Step::Micros(length) if length >= SECOND => "%H:%M:%S",
        Step::Micros(_) => "%S%.6f",
    };
    time.format(format).to_string()
}

#[cfg(test)]
mod tests {
    use gligabao_core::time::Micros;
    use proptest::prelude::*;

    use super::*;

    fn labels(from: &str, to: &str, most: usize) -> String {
        let [from, to] = [from, to].map(|text| Micros::parse_request(text).expect("a time").0);
        Times::new(from, to).ticks(most).into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn times_have_ticks_where_people_look_for_them() {
        for (from, to, most, expected) in [
            ("2000-01-01", "2010-03-01", 6, "2000 2002 2004 2006 2008 2010"),
            ("2000-01-02", "2003-03-01", 6, "2001 2002 2003"),
            ("2024-01-15", "2024-07-02", 6, "2024-02 2024-03 2024-04 2024-05 2024-06 2024-07"),
            ("2024-01-01", "2024-01-20", 4, "2024-01-01 2024-01-08 2024-01-15"),
            ("2024-01-01", "2024-01-02", 6, "01-01 06:00 12:00 18:00 01-02"),
            ("2024-01-01T00:00:01Z", "2024-01-01T00:00:11Z", 4, "00:00:05 00:00:10"),
            ("0001-01-01", "9999-12-31", 12, "1000 2000 3000 4000 5000 6000 7000 8000 9000"),
            ("2024-01-01T12:00:00Z", "2024-01-01T12:00:00Z", 4, "01-01 12:00 01-02"),
        ] {
            assert_eq!(labels(from, to, most), expected, "{from} … {to}");
        }
    }

    #[test]
    fn values_have_round_ticks() {
        for (values, expected) in [
            (&[7.07, 223.02][..], "0 50 100 150 200 250"),
            (&[0.0, 1.0], "0 0.2 0.4 0.6 0.8 1"),
            (&[-3.0, 4.0], "-4 -2 0 2 4"),
            (&[5.0], "4.4 4.6 4.8 5 5.2 5.4 5.6"),
            (&[0.0], "-1 -0.5 0 0.5 1"),
        ] {
            let ticks = Values::new(values.iter().copied(), 5).ticks();
            let labels: Vec<_> = ticks.into_iter().map(|tick| tick.label).collect();
            assert_eq!(labels.join(" "), expected, "{values:?}");
        }
    }

    proptest! {
        #[test]
        fn every_value_has_a_place_inside(
            values in proptest::collection::vec(
                proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO, 1..20,
            )
        ) {
            let scale = Values::new(values.iter().copied(), 5);
            for value in values {
                prop_assert!((0.0..=1.0).contains(&scale.place(value)), "{value} of {scale:?}");
            }
            prop_assert!(scale.ticks().len() <= 51);
        }

        #[test]
        fn there_are_no_more_ticks_of_time_than_fit(
            (a, b) in (-62_135_596_800_000_000i64..253_402_300_799_999_999, -62_135_596_800_000_000i64..253_402_300_799_999_999),
            most in 2usize..12,
        ) {
            let ticks = Times::new(a.min(b), a.max(b)).ticks(most);
            prop_assert!(ticks.len() <= most + 1);
            prop_assert!(ticks.iter().all(|tick| (0.0..=1.0).contains(&tick.place)));
        }
    }
}
