//! From what was said of a date to the date, seen from the reference time in the request's time zone.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, TimeDelta};
use chrono_tz::Tz;

use super::set::model::Unit;
use crate::time::{Date, Instant};

/// What a sentence tells of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Told {
    /// The date, where it needs no resolving.
    pub(super) known: Option<Date>,
    pub(super) year: Option<i32>,
    pub(super) month: Option<u32>,
    pub(super) day: Option<u32>,
    /// 1 (Monday) to 7.
    pub(super) weekday: Option<u32>,
    pub(super) number: Option<u32>,
    pub(super) unit: Option<Unit>,
    /// Units before the reference time; negative is after it.
    pub(super) back: Option<i64>,
    /// Whether the last part of a year or a month is meant: its last month, its last day.
    pub(super) ends: bool,
}

impl Told {
    /// Whether it is a weekday and nothing else.
    pub(super) fn is_weekday(&self) -> bool {
        *self == Self { weekday: self.weekday, ..Self::default() } && self.weekday.is_some()
    }
}

/// The reference time and its calendar day in the request's time zone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Today {
    pub(super) reference: Instant,
    day: NaiveDate,
}

impl Today {
    pub(super) fn new(reference: Instant, timezone: Tz) -> Self {
        let time = DateTime::from_timestamp(reference.0, 0).unwrap_or_default();
        Self { reference, day: time.with_timezone(&timezone).date_naive() }
    }

    /// The reference time's own day.
    pub(super) fn date(&self) -> Option<Date> {
        civil(self.day)
    }

    /// The date; `None` for one that doesn't exist.
    pub(super) fn resolve(&self, told: Told) -> Option<Date> {
        if told.known.is_some() {
            return told.known;
        }
        if let (Some(unit), Some(back)) = (told.unit, told.back) {
            return self.back(unit, back);
        }
        match (told.year, told.month, told.day) {
            (Some(year), Some(month), None) if told.ends => last_day_of(year, month),
            (Some(year), None, None) if told.ends => Date::month(year, 12),
            (None, Some(month), None) if told.ends => last_day_of(self.year_of(month), month),
            (Some(year), Some(month), Some(day)) => Date::day(year, month, day),
            (Some(year), Some(month), None) => Date::month(year, month),
            (Some(year), None, _) => Date::year(year),
            (None, Some(month), Some(day)) => self.last_day(month, day),
            (None, Some(month), None) => self.last_month(month),
            (None, None, _) => told.weekday.and_then(|weekday| self.last_weekday(weekday)),
        }
    }

    /// So many units before the reference time, as finely as the unit. A week is its Monday.
    fn back(&self, unit: Unit, back: i64) -> Option<Date> {
        match unit {
            Unit::Minute => self.second(TimeDelta::try_minutes(back)?),
            Unit::Hour => self.second(TimeDelta::try_hours(back)?),
            Unit::Day => civil(shift_days(self.day, back)?),
            Unit::Week => {
                let monday = shift_days(self.day, i64::from(self.day.weekday().num_days_from_monday()))?;
                civil(shift_days(monday, back.checked_mul(7)?)?)
            }
            Unit::Month => {
                let months = u32::try_from(back.unsigned_abs()).ok().map(Months::new)?;
                let first = self.day.with_day(1)?;
                let first = if back < 0 { first.checked_add_months(months) } else { first.checked_sub_months(months) }?;
                Date::month(first.year(), first.month())
            }
            Unit::Year => Date::year(self.day.year().checked_sub(i32::try_from(back).ok()?)?),
        }
    }

    fn second(&self, back: TimeDelta) -> Option<Date> {
        let at = Instant(self.reference.0.checked_sub(back.num_seconds())?);
        // Out of the years that a date can have: not a date.
        Date::parse(&at.to_string())
    }

    /// The last such day that isn't after the reference time.
    fn last_day(&self, month: u32, day: u32) -> Option<Date> {
        let this = NaiveDate::from_ymd_opt(self.day.year(), month, day);
        let year = if this.is_some_and(|this| this > self.day) { self.day.year() - 1 } else { self.day.year() };
        Date::day(year, month, day)
    }

    fn last_month(&self, month: u32) -> Option<Date> {
        Date::month(self.year_of(month), month)
    }

    /// The year of the last such month that isn't after the reference time.
    fn year_of(&self, month: u32) -> i32 {
        if month > self.day.month() { self.day.year() - 1 } else { self.day.year() }
    }

    /// The last such day before the reference time.
    fn last_weekday(&self, weekday: u32) -> Option<Date> {
        let today = i64::from(self.day.weekday().number_from_monday());
        let back = (today - i64::from(weekday)).rem_euclid(7);
        civil(shift_days(self.day, if back == 0 { 7 } else { back })?)
    }
}

fn last_day_of(year: i32, month: u32) -> Option<Date> {
    let first = NaiveDate::from_ymd_opt(year, month, 1)?;
    civil(first.checked_add_months(Months::new(1))?.pred_opt()?)
}

fn shift_days(day: NaiveDate, back: i64) -> Option<NaiveDate> {
    let days = Days::new(back.unsigned_abs());
    if back < 0 { day.checked_add_days(days) } else { day.checked_sub_days(days) }
}

fn civil(day: NaiveDate) -> Option<Date> {
    Date::day(day.year(), day.month(), day.day())
}
