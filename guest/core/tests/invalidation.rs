//! Contradictions: the cases, and random histories against a naive model that is told the same in the same order.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::collections::BTreeSet;

use gligabao_core::knowledge;
use gligabao_core::model::{Bounds, EdgeId, Entity, EntityId, Moment, StartSource, Target};
use gligabao_core::reconcile::Overlay;
use gligabao_core::reconcile::apply::{NewFact, Resolved, tell_resolved};
use gligabao_core::reconcile::told::Told;
use gligabao_core::reference::ReferenceStore;
use gligabao_core::storage::{AddEntity, Change, Dataset, Snapshot, Turn};
use gligabao_core::time::{Date, Instant, Micros, UNKNOWN_START};
use harness::call;
use serde::Deserialize;

/// Histories that are told: about ten seconds.
const HISTORIES: u64 = 100_000;

/// A fact of which only the times matter, and the rows that it contradicts.
#[derive(Debug, Clone)]
struct New {
    start: Option<Instant>,
    end: Option<Instant>,
    contradicts: Vec<usize>,
}

/// A memory of facts about one subject that no rule of a relation settles.
struct Memory(ReferenceStore);

impl Memory {
    fn new() -> Self {
        let store = ReferenceStore::new(Micros(1));
        let snapshot = store.latest(Turn::Race).unwrap();
        let mut overlay = Overlay::new(&snapshot, &snapshot.head().unwrap());
        let entity = Entity {
            id: overlay.new_entity_id(),
            name: "Subject".to_owned(),
            r#type: "unknown".to_owned(),
            description: String::new(),
            model: None,
            created_at: Moment::Now,
        };
        let add = AddEntity { entity, normalized_name: "subject".to_owned() };
        overlay.push(Change::AddEntity(add), "for the test");
        store.commit(&overlay.into_draft().into_plan()).unwrap();
        Self(store)
    }

    /// Tells the facts of one text in the order (start, position); their rows in the order of the text.
    fn tell(&self, text: &[New]) -> Vec<EdgeId> {
        let snapshot = self.0.latest(Turn::Race).unwrap();
        let mut overlay = Overlay::new(&snapshot, &snapshot.head().unwrap());
        let start = |new: &New| new.start.unwrap_or(UNKNOWN_START);
        let mut order: Vec<usize> = (0..text.len()).collect();
        order.sort_by_key(|&place| (start(&text[place]), place));
        let mut rows = vec![EdgeId(0); text.len()];
        for place in order {
            let new = &text[place];
            let source = if new.start.is_some() { StartSource::Stated } else { StartSource::Unknown };
            let fact = NewFact {
                source: EntityId(1),
                relation: "leads".to_owned(),
                target: Target::Text(format!("{} {place}", snapshot.head().unwrap().seq)),
                told: Told { start: Date::second(start(new)), source, end: new.end.map(Date::second), at: Instant(0) },
                functional: false,
                description: String::new(),
                raw_text: None,
                confidence: 0.7,
                model: None,
                wing: None,
                artifact: None,
            };
            let contradictions = new.contradicts.iter().map(|row| EdgeId(*row as u64 + 1)).collect();
            let resolved = Resolved { contradictions, ..Resolved::default() };
            rows[place] = tell_resolved(&mut overlay, &fact, &resolved).unwrap().edge;
        }
        self.0.commit(&overlay.into_draft().into_plan()).unwrap();
        rows
    }

    fn bounds(&self) -> Vec<Bounds> {
        let snapshot = self.0.latest(Turn::Race).unwrap();
        let ids: Vec<EdgeId> = (1..snapshot.head().unwrap().next.edge.0).map(EdgeId).collect();
        snapshot.get_edges(&ids).unwrap().into_iter().map(|row| row.bounds).collect()
    }
}

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    stored: Vec<Given>,
    new: Vec<Given>,
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    valid_at: String,
    invalid_at: Option<String>,
    #[serde(default)]
    contradicts: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    stored: Vec<Shown>,
    new: Vec<Shown>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    valid_at: String,
    invalid_at: Option<String>,
    expired_at: Option<String>,
}

impl Given {
    fn told(&self) -> New {
        let date = |text: &str| harness::date(text).at;
        New {
            start: Some(date(&self.valid_at)).filter(|start| *start != UNKNOWN_START),
            end: self.invalid_at.as_deref().map(date),
            contradicts: self.contradicts.clone(),
        }
    }
}

#[test]
fn every_case_comes_out() {
    let cases: Cases = serde_json::from_str(include_str!("cases/invalidation.json")).unwrap();
    assert_eq!(cases.cases.len(), 13);
    for case in cases.cases {
        let memory = Memory::new();
        for given in &case.stored {
            memory.tell(&[given.told()]);
        }
        let rows = memory.tell(&case.new.iter().map(Given::told).collect::<Vec<_>>());
        let now = memory.0.dataset().head().last_at;
        let bounds = memory.bounds();
        let shown = |row: usize| Shown {
            valid_at: bounds[row].valid_at.at.to_string(),
            invalid_at: bounds[row].invalid_at.map(|end| end.at.to_string()),
            expired_at: bounds[row].expired_at.map(|at| {
                assert_eq!(at, Moment::At(now), "{}", case.name);
                "NOW".to_owned()
            }),
        };
        let stored: Vec<Shown> = (0..case.stored.len()).map(shown).collect();
        let new: Vec<Shown> = rows.iter().map(|row| shown(usize::try_from(row.0).unwrap() - 1)).collect();
        assert_eq!((stored, new), (case.expect.stored, case.expect.new), "{}", case.name);
    }
}

/// A row of the naive model.
#[derive(Debug, Clone)]
struct Row {
    start: i64,
    unknown: bool,
    stated_end: Option<i64>,
    /// Who cuts it, and where.
    cuts: Vec<(usize, i64)>,
    retracted: bool,
}

/// The rule read aloud, everything computed anew at every step.
#[derive(Debug, Default)]
struct Naive(Vec<Row>);

impl Naive {
    fn cut(&self, row: usize) -> Option<i64> {
        self.0[row].cuts.iter().filter(|(cause, _)| !self.0[*cause].retracted).map(|(_, at)| *at).min()
    }

    fn end(&self, row: usize) -> Option<i64> {
        match (self.0[row].stated_end, self.cut(row)) {
            (Some(end), Some(cut)) => Some(if cut < end { cut } else { end }),
            (end, cut) => end.or(cut),
        }
    }

    fn is_closed(&self, row: usize) -> bool {
        self.end(row) != self.0[row].stated_end
    }

    fn tell(&mut self, text: &[New]) {
        let start = |new: &New| new.start.unwrap_or(UNKNOWN_START).0;
        let mut left: Vec<&New> = text.iter().collect();
        while !left.is_empty() {
            let mut first = 0;
            for place in 1..left.len() {
                if start(left[place]) < start(left[first]) {
                    first = place;
                }
            }
            let new = left.remove(first);
            self.tell_one(start(new), new);
        }
    }

    fn tell_one(&mut self, start: i64, new: &New) {
        let n = self.0.len();
        let end = new.end.map(|end| end.0);
        self.0.push(Row { start, unknown: new.start.is_none(), stated_end: end, cuts: Vec::new(), retracted: false });
        for &o in &new.contradicts.iter().copied().collect::<BTreeSet<_>>() {
            if self.0[o].retracted || self.is_closed(o) {
                continue;
            }
            if self.end(o).is_some_and(|ended| ended <= start) || end.is_some_and(|ended| ended <= self.0[o].start) {
                continue;
            }
            if self.0[o].unknown && self.0[n].unknown {
                continue;
            }
            if self.0[o].start <= start {
                self.0[o].cuts.push((n, start));
            } else {
                let at = self.0[o].start;
                self.0[n].cuts.push((o, at));
            }
        }
    }
}

/// A generator of which every run gives the same.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn place(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }

    fn told(&mut self, rows: usize) -> New {
        let start = (self.below(6) > 0).then(|| 100 + self.below(12));
        let end = match start {
            None => Some(100 + self.below(12)),
            Some(start) => (self.below(3) == 0).then(|| start + 1 + self.below(8)),
        };
        let instant = |day: u64| Instant(i64::try_from(day).unwrap() * 86_400);
        let contradicts = (0..rows).filter(|_| self.below(2) == 0).collect();
        New { start: start.map(instant), end: end.map(instant), contradicts }
    }
}

/// One history; how often a row was closed, and how often one was given back.
fn history(seed: u64) -> (u64, u64) {
    let (mut closed, mut reopened) = (0, 0);
    let mut random = Random(seed);
    let (memory, mut naive) = (Memory::new(), Naive::default());
    for step in 0..2 + random.below(4) {
        let open: Vec<usize> = (0..naive.0.len()).filter(|row| !naive.0[*row].retracted).collect();
        let before: Vec<bool> = (0..naive.0.len()).map(|row| naive.is_closed(row)).collect();
        if open.len() > 1 && random.below(4) == 0 {
            let row = open[random.place(open.len())];
            naive.0[row].retracted = true;
            knowledge::retract(&memory.0, &call(), EdgeId(row as u64 + 1)).unwrap();
        } else {
            let known = naive.0.len();
            let text: Vec<New> = (0..1 + random.below(3)).map(|_| random.told(known)).collect();
            naive.tell(&text);
            memory.tell(&text);
        }
        for (row, bounds) in memory.bounds().iter().enumerate() {
            let held = &naive.0[row];
            assert_eq!(bounds.retracted_at.is_some(), held.retracted, "seed {seed} step {step} row {row}");
            // What a retracted row would hold until is nobody's business.
            if held.retracted {
                continue;
            }
            let seen = (bounds.valid_at.at.0, bounds.invalid_at.map(|end| end.at.0), bounds.expired_at.is_some());
            let expected = (held.start, naive.end(row), naive.is_closed(row));
            assert_eq!(seen, expected, "seed {seed} step {step} row {row}");
            assert_eq!(bounds.contradicted_at.map(|at| at.at.0), naive.cut(row), "seed {seed} step {step} row {row}");
            closed += u64::from(expected.2);
            reopened += u64::from(before.get(row) == Some(&true) && !expected.2);
        }
    }
    (closed, reopened)
}

#[test]
fn every_history_goes_as_the_naive_model_says() {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let (closed, reopened) = std::thread::scope(|scope| {
        let part = |first: u64| (first..HISTORIES).step_by(usize::try_from(threads).unwrap()).map(history);
        let sum = |(a, b): (u64, u64), (c, d): (u64, u64)| (a + c, b + d);
        let parts: Vec<_> = (0..threads).map(|first| scope.spawn(move || part(first).fold((0, 0), sum))).collect();
        parts.into_iter().map(|part| part.join().unwrap()).fold((0, 0), sum)
    });
    assert!(closed > HISTORIES / 2 && reopened > HISTORIES / 50, "{closed} closed, {reopened} reopened");
}

/// Histories in which everything meets: repeats, rules of relations, duplicates, contradictions, retractions.
const MIXED: u64 = 3_000;

#[test]
fn whatever_met_it_a_row_is_whole_again_when_it_is_alone() {
    for seed in 0..MIXED {
        let mut random = Random(seed);
        let memory = Memory::new();
        for step in 0..3 + random.below(5) {
            let rows = memory.bounds();
            let believed: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].retracted_at.is_none()).collect();
            if believed.len() > 1 && random.below(5) == 0 {
                let row = EdgeId(believed[random.place(believed.len())] as u64 + 1);
                knowledge::retract(&memory.0, &call(), row).unwrap();
                continue;
            }
            let snapshot = memory.0.latest(Turn::Race).unwrap();
            let mut overlay = Overlay::new(&snapshot, &snapshot.head().unwrap());
            for _ in 0..1 + random.below(3) {
                let New { start, end, contradicts } = random.told(rows.len());
                let functional = random.below(2) == 0;
                let at = Instant(i64::try_from(100 + random.below(14)).unwrap() * 86_400);
                let fact = NewFact {
                    source: EntityId(1),
                    relation: if functional { "works_at" } else { "leads" }.to_owned(),
                    target: Target::Text(format!("value {}", random.below(4))),
                    told: Told::new(start.map(Date::second), end.map(Date::second), at),
                    functional,
                    description: String::new(),
                    raw_text: None,
                    confidence: 0.7,
                    model: None,
                    wing: None,
                    artifact: None,
                };
                let stored = snapshot.get_edges(&(1..=rows.len() as u64).map(EdgeId).collect::<Vec<_>>()).unwrap();
                let duplicates = stored.iter().filter(|_| random.below(6) == 0);
                let resolved = Resolved {
                    duplicates: duplicates.map(|row| (row.id, row.relation == "works_at")).collect(),
                    contradictions: contradicts.iter().map(|row| EdgeId(*row as u64 + 1)).collect(),
                };
                tell_resolved(&mut overlay, &fact, &resolved).unwrap();
            }
            let plan = overlay.into_draft().into_plan();
            memory.0.commit(&plan).unwrap_or_else(|error| panic!("seed {seed} step {step}: {error}"));
        }
        let rows = memory.bounds();
        let mut believed: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].retracted_at.is_none()).collect();
        let last = believed.swap_remove(random.place(believed.len()));
        for row in believed {
            knowledge::retract(&memory.0, &call(), EdgeId(row as u64 + 1)).unwrap();
        }
        let left = memory.bounds()[last];
        assert_eq!(
            (left.invalid_at, left.expired_at, left.contradicted_at),
            (left.stated_end, None, None),
            "seed {seed}"
        );
    }
}
