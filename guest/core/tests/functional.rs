//! Functional relations: the cases, and random histories against a naive model.

mod harness;

use std::collections::BTreeMap;

use gligabao_core::model::{Bounds, EdgeId, StartSource};
use gligabao_core::recall::{Known, When};
use gligabao_core::reconcile::told::Told;
use gligabao_core::time::{Date, Instant, UNKNOWN_START};
use harness::{Memory, date};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    values: Vec<Value>,
    orders: Vec<Vec<usize>>,
    expect: BTreeMap<String, (String, Option<String>)>,
    retract: Option<String>,
    expect_after: Option<BTreeMap<String, (String, Option<String>)>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Value {
    value: String,
    valid_at: String,
    invalid_at: Option<String>,
}

impl Value {
    fn told(&self) -> Told {
        let start = Some(date(&self.valid_at)).filter(|start| start.at != UNKNOWN_START);
        Told::new(start, self.invalid_at.as_deref().map(date), date("2026-01-01").at)
    }
}

fn intervals(memory: &Memory) -> BTreeMap<String, (String, Option<String>)> {
    let facts = memory.facts(When::Any, Known::Now);
    let rows = facts.len();
    let facts = facts.into_iter();
    let intervals: BTreeMap<_, _> =
        facts.map(|(value, start, end, _)| (value, (start.to_string(), end.map(|end| end.to_string())))).collect();
    assert_eq!(intervals.len(), rows, "a row a value");
    intervals
}

#[test]
fn cases_come_out_in_every_order_of_telling() {
    let cases: Cases = serde_json::from_str(include_str!("cases/functional.json")).expect("the cases are valid");
    for case in &cases.cases {
        for order in &case.orders {
            let memory = Memory::new(true);
            let mut rows = BTreeMap::new();
            for value in order.iter().map(|&place| &case.values[place]) {
                rows.insert(value.value.as_str(), memory.tell(&value.value, value.told()));
            }
            assert_eq!(intervals(&memory), case.expect, "{} told in the order {order:?}", case.name);
            if let (Some(retract), Some(expected)) = (&case.retract, &case.expect_after) {
                memory.retract(rows[retract.as_str()]);
                assert_eq!(intervals(&memory), *expected, "{} told in the order {order:?}, retracted", case.name);
            }
        }
    }
}

/// A row of the naive model.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    value: u8,
    start: Instant,
    source: StartSource,
    stated_end: Option<Instant>,
    retracted: bool,
}

/// The rule read aloud: every row looked at, everything computed anew at every step.
#[derive(Debug, Clone, Default)]
struct Naive {
    rows: Vec<Row>,
}

impl Naive {
    /// Where the row holds, and whether a rule closed it.
    fn interval(&self, place: usize) -> (Instant, Option<Instant>, bool) {
        let row = &self.rows[place];
        let mut limit: Option<Instant> = None;
        if row.source != StartSource::Unknown {
            for (other_place, other) in self.rows.iter().enumerate() {
                let later = other.start > row.start || (other.start == row.start && other_place > place);
                let counts = other_place != place && !other.retracted && other.source != StartSource::Unknown;
                if counts && later && limit.is_none_or(|limit| other.start < limit) {
                    limit = Some(other.start);
                }
            }
        }
        match (row.stated_end, limit) {
            (Some(end), Some(limit)) if limit < end => (row.start, Some(limit), true),
            (None, Some(limit)) => (row.start, Some(limit), true),
            (end, _) => (row.start, end, false),
        }
    }

    fn tell(&mut self, value: u8, told: &Told) -> usize {
        let end = told.end.map(|end| end.at);
        let mut told_until = end;
        if told.source != StartSource::Unknown {
            for other in self.rows.iter().filter(|row| !row.retracted && row.source != StartSource::Unknown) {
                if other.value != value
                    && other.start > told.start.at
                    && told_until.is_none_or(|until| other.start < until)
                {
                    told_until = Some(other.start);
                }
            }
        }
        let mut best: Option<usize> = None;
        for (place, row) in self.rows.iter().enumerate().filter(|(_, row)| row.value == value && !row.retracted) {
            let (start, until, _) = self.interval(place);
            let overlap = until.is_none_or(|until| until > start && told.start.at < until)
                && told_until.is_none_or(|until| until > told.start.at && start < until);
            let better = |best: usize| {
                let (best_start, best_until, _) = self.interval(best);
                (until.is_none(), start, place) > (best_until.is_none(), best_start, best)
            };
            if overlap && best.is_none_or(better) && row.value == value {
                best = Some(place);
            }
        }
        let Some(place) = best else {
            return self.add(value, told.start.at, told.source, end);
        };
        let (_, _, closed_by_rule) = self.interval(place);
        let row = &mut self.rows[place];
        let had_ended = row.stated_end.filter(|_| !closed_by_rule);
        let begins_inside = row.source != StartSource::Unknown && told.start.at > row.start;
        let earlier =
            row.source == StartSource::Fallback && told.source != StartSource::Unknown && told.start.at < row.start;
        if earlier || (row.source == StartSource::Unknown && told.source == StartSource::Stated) {
            row.start = told.start.at;
            row.source = told.source;
        }
        if row.stated_end.is_none() {
            row.stated_end = end;
        }
        match had_ended {
            Some(ended) if begins_inside && end.is_none() && told.at >= ended => {
                self.add(value, ended, StartSource::Stated, None)
            }
            _ => place,
        }
    }

    fn add(&mut self, value: u8, start: Instant, source: StartSource, stated_end: Option<Instant>) -> usize {
        self.rows.push(Row { value, start, source, stated_end, retracted: false });
        self.rows.len() - 1
    }

    /// What holds at an instant, sorted.
    fn facts(&self, at: Option<Instant>) -> Vec<(String, Instant, Option<Instant>, bool)> {
        let mut facts: Vec<_> = (0..self.rows.len())
            .filter(|&place| !self.rows[place].retracted)
            .map(|place| (place, self.interval(place)))
            .filter(|(_, (start, end, _))| at.is_none_or(|at| *start <= at && end.is_none_or(|end| at < end)))
            .map(|(place, (start, end, closed))| (start, place, end, closed))
            .collect();
        facts.sort_unstable();
        facts
            .into_iter()
            .map(|(start, place, end, closed)| (name(self.rows[place].value), start, end, closed))
            .collect()
    }
}

fn name(value: u8) -> String {
    format!("Value {value}")
}

#[derive(Debug, Clone)]
enum Step {
    Tell { value: u8, start: Option<u8>, end: Option<u8>, at: u8 },
    Retract(usize),
}

const DAY: i64 = 86_400;

fn instant(day: u8) -> Instant {
    Instant(i64::from(day) * DAY)
}

/// A date whose precision is a second, so that no period comes into play.
fn second(day: u8) -> Date {
    Date::second(instant(day))
}

fn step() -> impl Strategy<Value = Step> {
    let day = 1u8..24;
    let tell = (0u8..4, proptest::option::of(day.clone()), proptest::option::weighted(0.3, day.clone()), day)
        .prop_map(|(value, start, end, at)| Step::Tell { value, start, end, at });
    prop_oneof![8 => tell, 1 => (0usize..12).prop_map(Step::Retract)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_history_reads_at_every_pair_of_times_as_the_naive_model_says(
        steps in proptest::collection::vec(step(), 1..14)
    ) {
        let memory = Memory::new(true);
        let mut naive = Naive::default();
        let mut versions = vec![naive.clone()];
        let mut expired: BTreeMap<EdgeId, Bounds> = BTreeMap::new();
        for step in &steps {
            match step {
                Step::Tell { value, start, end, at } => {
                    let told = Told::new(start.map(second), end.map(second), instant(*at));
                    naive.tell(*value, &told);
                    memory.tell(&name(*value), told);
                }
                Step::Retract(place) => {
                    let open: Vec<usize> = (0..naive.rows.len()).filter(|&place| !naive.rows[place].retracted).collect();
                    let Some(&place) = open.get(*place) else { continue };
                    naive.rows[place].retracted = true;
                    memory.retract(EdgeId(place as u64 + 1));
                }
            }
            versions.push(naive.clone());
            for (id, bounds) in memory.rows() {
                let closed = bounds.stated_end.map(|end| end.at) != bounds.invalid_at.map(|end| end.at);
                prop_assert_eq!(bounds.expired_at.is_some(), closed, "expired exactly while a rule closes it");
                if let (Some(before), Some(now)) = (expired.get(&id).and_then(|b| b.expired_at), bounds.expired_at) {
                    prop_assert_eq!(before, now, "the first expired_at stays");
                }
                expired.insert(id, bounds);
            }
        }
        for (version, naive) in versions.iter().enumerate() {
            let known = Known::Version(version as u64);
            prop_assert_eq!(memory.facts(When::Any, known), naive.facts(None), "version {}", version);
            for day in 0..25 {
                let at = instant(day);
                prop_assert_eq!(memory.facts(When::At(at), known), naive.facts(Some(at)), "version {} day {}", version, day);
            }
        }
        prop_assert_eq!(memory.facts(When::Any, Known::Now), naive.facts(None));
    }

    #[test]
    fn values_with_different_starts_end_up_the_same_in_any_order_of_telling(
        starts in proptest::collection::btree_set(1u8..60, 1..7),
        ends in proptest::collection::vec(proptest::option::weighted(0.3, 1u8..30), 7),
        order in Just((0usize..7).collect::<Vec<_>>()).prop_shuffle()
    ) {
        let told: Vec<Told> = starts.iter().zip(&ends)
            .map(|(start, length)| Told::new(Some(second(*start)), length.map(|length| second(start + length)), instant(100)))
            .collect();
        let sorted = Memory::new(true);
        let shuffled = Memory::new(true);
        for (value, told) in (0u8..).zip(&told) {
            sorted.tell(&name(value), *told);
        }
        for place in order.into_iter().filter(|place| *place < told.len()) {
            shuffled.tell(&name(u8::try_from(place).expect("under seven")), told[place]);
        }
        prop_assert_eq!(sorted.facts(When::Any, Known::Now), shuffled.facts(When::Any, Known::Now));
    }
}

#[test]
fn an_old_fact_told_again_is_found_behind_many_later_times_of_the_same_value() {
    let memory = Memory::new(true);
    for year in 0..40 {
        let value = if year % 2 == 0 { "20 euros" } else { "25 euros" };
        memory.tell(value, Told::new(Date::year(1980 + year), None, date("2030").at));
    }
    let before = memory.facts(When::Any, Known::Now);
    assert_eq!(memory.tell("20 euros", Told::new(Date::year(1980), None, date("2030").at)), EdgeId(1));
    assert_eq!(memory.facts(When::Any, Known::Now), before);
}
