//! Calls that run at once, in every order of their commits: each schedule is one that could happen, and all are run.
//!
//! Every call is a thread that waits wherever it meets the dataset; a schedule says who goes on. So nothing depends on
//! chance, and a schedule that fails can be run again.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard};

use gligabao_core::llm::Prompt;
use gligabao_core::model::{Bounds, EdgeId, RunId};
use gligabao_core::recall::{self, Fact, FactsRequest, When};
use gligabao_core::reference::{ReferenceDataset, ReferenceSnapshot};
use gligabao_core::remember::{Extractor, Request, remember};
use gligabao_core::storage::{Committed, Dataset, EventFilter, Plan, Snapshot, StorageResult, Turn};
use gligabao_core::time::Micros;
use serde_json::{Value, json};

use crate::harness::script::Scripted;
use crate::harness::{call, date};

/// Where calls wait for their permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// At commits only: all take their snapshots as soon as they can.
    AtCommits,
    /// At snapshots too.
    Everywhere,
}

/// What the calls and the schedule share.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    waits: Waits,
}

struct State {
    dataset: ReferenceDataset,
    /// Whether each call waits for its permit, and whether it waits for the queue.
    waiting: Vec<Option<bool>>,
    done: Vec<bool>,
    permit: Option<usize>,
    /// Who has its turn in the dataset's queue.
    turn: Option<usize>,
    /// The calls in the order of their commits.
    committed: Vec<usize>,
    conflicts: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Waits for the permit of a call, and takes it.
    fn pass(&self, call: usize, queues: bool) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        state.waiting[call] = Some(queues);
        self.changed.notify_all();
        state = self.changed.wait_while(state, |state| state.permit != Some(call)).unwrap();
        state.permit = None;
        state.waiting[call] = None;
        state
    }
}

/// The dataset as one call sees it.
struct Seat<'a> {
    shared: &'a Shared,
    call: usize,
}

impl Dataset for Seat<'_> {
    type Snapshot = ReferenceSnapshot;

    fn latest(&self, turn: Turn) -> StorageResult<ReferenceSnapshot> {
        let queues = turn == Turn::Queue;
        let mut state = match (self.shared.waits, queues) {
            (Waits::AtCommits, false) => self.shared.lock(),
            _ => self.shared.pass(self.call, queues),
        };
        if queues {
            state.turn = Some(self.call);
        }
        Ok(state.dataset.snapshot())
    }

    fn commit(&self, plan: &Plan) -> StorageResult<Committed> {
        let mut state = self.shared.pass(self.call, false);
        let run = RunId(state.dataset.head().seq + 1);
        let clock = Micros(state.dataset.head().last_at.0 + 1_000_000);
        let committed = state.dataset.commit(plan, run, clock);
        match committed {
            Ok(_) => state.committed.push(self.call),
            Err(_) => state.conflicts += 1,
        }
        committed
    }
}

/// What a call tells: its reference time and the facts that the model reads, as `source relation target [start [end]]`.
#[derive(Debug, Clone)]
struct Telling {
    at: &'static str,
    facts: &'static [&'static str],
}

/// A model that sees contradictions between two projects that somebody leads, and that "Project X" is X.
fn model(telling: &Telling) -> Scripted<'static> {
    let edges: Vec<Value> = telling
        .facts
        .iter()
        .map(|line| {
            let words: Vec<String> = line.split(' ').map(|word| word.replace('_', " ")).collect();
            let [source, relation, target] = [0, 1, 2].map(|place| words[place].clone());
            json!({"source": source, "relation": relation, "target": target, "valid_at": words.get(3), "invalid_at": words.get(4)})
        })
        .collect();
    Scripted::new(move |stage, document| {
        if stage == "extract_graph" {
            return Ok(json!({"entities": [], "edges": edges}).to_string());
        }
        let (mut duplicates, mut contradictions) = (Vec::new(), Vec::new());
        for new in document["new"].as_array().unwrap() {
            for existing in document["existing"].as_array().unwrap() {
                let bare = |fact: &Value| fact["target"].as_str().unwrap().trim_start_matches("Project ").to_owned();
                let pair = json!({"new": new["index"], "existing": existing["id"]});
                if [new, existing].iter().any(|fact| fact["relation"] != "leads") || new["source"] != existing["source"]
                {
                    continue;
                }
                if bare(new) == bare(existing) {
                    duplicates.push(pair);
                } else {
                    contradictions.push(pair);
                }
            }
        }
        Ok(json!({"duplicates": duplicates, "contradictions": contradictions}).to_string())
    })
}

fn request(telling: &Telling) -> Request {
    let text = format!("Told at {}: {}.", telling.at, telling.facts.join(", "));
    Request { reference_time: Some(date(telling.at).at), extractor: Some(Extractor::Llm), ..Request::new(text) }
}

/// One schedule: what became of the dataset, who committed when, what each model was asked.
struct Ran {
    dataset: ReferenceDataset,
    committed: Vec<usize>,
    conflicts: usize,
    asked: Vec<Vec<Prompt>>,
    /// How many calls could have gone on at each step.
    options: Vec<usize>,
}

/// Runs the calls as the schedule says, and beyond it with the first call that can go on.
fn run(base: &ReferenceDataset, tellings: &[Telling], waits: Waits, schedule: &[usize]) -> Ran {
    let state = State {
        dataset: base.clone(),
        waiting: vec![None; tellings.len()],
        done: vec![false; tellings.len()],
        permit: None,
        turn: None,
        committed: Vec::new(),
        conflicts: 0,
    };
    let shared = Shared { state: Mutex::new(state), changed: Condvar::new(), waits };
    let (asked, options) = std::thread::scope(|scope| {
        let calls: Vec<_> = tellings
            .iter()
            .enumerate()
            .map(|(place, telling)| {
                let shared = &shared;
                scope.spawn(move || {
                    let model = model(telling);
                    let outcome = remember(&Seat { shared, call: place }, &model, &call(), request(telling));
                    let mut state = shared.lock();
                    state.done[place] = true;
                    state.turn = state.turn.filter(|turn| *turn != place);
                    shared.changed.notify_all();
                    drop(state);
                    outcome.unwrap();
                    model.take_asked()
                })
            })
            .collect();
        let mut options = Vec::new();
        loop {
            let all_wait = |state: &State| {
                state.permit.is_none()
                    && (0..tellings.len()).all(|call| state.done[call] || state.waiting[call].is_some())
            };
            let mut state = shared.changed.wait_while(shared.lock(), |state| !all_wait(state)).unwrap();
            let may_go = |call: &usize| state.waiting[*call].is_some() && state.turn.is_none_or(|turn| turn == *call);
            let able: Vec<usize> = (0..tellings.len()).filter(may_go).collect();
            if able.is_empty() {
                assert!(state.done.iter().all(|done| *done), "nobody can go on");
                break;
            }
            let choice = schedule.get(options.len()).copied().unwrap_or(0);
            options.push(able.len());
            state.permit = Some(able[choice]);
            shared.changed.notify_all();
        }
        (calls.into_iter().map(|call| call.join().unwrap()).collect(), options)
    });
    let State { dataset, committed, conflicts, .. } = shared.state.into_inner().unwrap();
    Ran { dataset, committed, conflicts, asked, options }
}

/// The schedule after this one; `None` when it was the last.
fn next(mut schedule: Vec<usize>, options: &[usize]) -> Option<Vec<usize>> {
    schedule.resize(options.len(), 0);
    while let Some(choice) = schedule.pop() {
        if choice + 1 < options[schedule.len()] {
            schedule.push(choice + 1);
            return Some(schedule);
        }
    }
    None
}

fn facts(dataset: &ReferenceDataset) -> Vec<Fact> {
    let request = FactsRequest { at: When::Any, limit: 1_000, ..FactsRequest::new() };
    recall::facts(&dataset.snapshot(), &call(), &request).unwrap().facts
}

/// Everything about the facts and their log.
fn told(dataset: &ReferenceDataset) -> Vec<String> {
    let snapshot = dataset.snapshot();
    let page = gligabao_core::model::Page { limit: 1_000, after: None };
    let log = |id: EdgeId| snapshot.list_events(EventFilter::Edge(id), page).unwrap().events;
    facts(dataset).iter().map(|fact| format!("{fact:?} {:?}", log(fact.edge.id))).collect()
}

/// What the calls come to one after the other.
fn in_order(base: &ReferenceDataset, tellings: &[Telling], order: &[usize]) -> ReferenceDataset {
    let mut dataset = base.clone();
    for &place in order {
        dataset = run(&dataset, &tellings[place..=place], Waits::AtCommits, &[]).dataset;
    }
    dataset
}

fn check(ran: &Ran, expected: &[String], what: &str) {
    let facts = facts(&ran.dataset);
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    for fact in facts.iter().filter(|fact| fact.edge.relation == "works_at" && fact.edge.bounds.invalid_at.is_none()) {
        *open.entry(&fact.source_name).or_default() += 1;
    }
    assert!(open.values().all(|count| *count == 1), "{what}: a second value is open: {open:?}");
    let mut rows: BTreeMap<String, Vec<Bounds>> = BTreeMap::new();
    for fact in &facts {
        let key = format!("{} {} {}", fact.source_name, fact.edge.relation, fact.object());
        let same = rows.entry(key.clone()).or_default();
        let overlaps = |bounds: &Bounds| bounds.interval().overlaps(fact.edge.bounds.interval());
        assert!(!same.iter().any(overlaps), "{what}: {key} is there twice");
        same.push(fact.edge.bounds);
    }
    assert_eq!(told(&ran.dataset), expected, "{what}: it is not what the calls come to one after the other");
    for asked in &ran.asked {
        let stages = |stage: &str| asked.iter().filter(|prompt| prompt.stage == stage).collect::<Vec<_>>();
        assert_eq!(stages("extract_graph").len(), 1, "{what}: a text is read once");
        let documents: Vec<&String> = stages("resolve_edges").into_iter().map(|prompt| &prompt.document).collect();
        assert!(documents.windows(2).all(|pair| pair[0] != pair[1]), "{what}: the same is asked twice");
    }
}

/// Runs every schedule; how many there were.
fn every_schedule(before: &[Telling], tellings: &[Telling], waits: Waits) -> usize {
    let base = in_order(&ReferenceDataset::new("main", Micros(1)), before, &(0..before.len()).collect::<Vec<_>>());
    let mut expected: BTreeMap<Vec<usize>, Vec<String>> = BTreeMap::new();
    let (mut schedules, mut conflicts) = (0, 0);
    let mut schedule = Some(Vec::new());
    while let Some(choices) = schedule {
        let ran = run(&base, tellings, waits, &choices);
        let serial =
            expected.entry(ran.committed.clone()).or_insert_with(|| told(&in_order(&base, tellings, &ran.committed)));
        check(&ran, serial, &format!("schedule {choices:?}"));
        schedules += 1;
        conflicts += ran.conflicts;
        schedule = next(choices, &ran.options);
    }
    let orders: usize = (1..=tellings.len()).product();
    assert_eq!(expected.len(), orders, "every order of commits happened");
    assert!(conflicts > 0);
    schedules
}

const KNOWN: &[Telling] = &[Telling { at: "2019", facts: &["Ana leads Orion 2018", "Ana works_at Initech 2018"] }];

/// Employers of one person, of which each starts at another time.
const EMPLOYERS: &[Telling] = &[
    Telling { at: "2025", facts: &["Ana works_at Acme 2020"] },
    Telling { at: "2025", facts: &["Ana works_at Globex 2022"] },
    Telling { at: "2025", facts: &["Ana works_at Hooli 2021 2023"] },
    Telling { at: "2025", facts: &["Ana works_at Acme 2019"] },
];

/// One fact, told by everybody in other words and of other times.
const REPEATS: &[Telling] = &[
    Telling { at: "2025-01-01", facts: &["Ana leads Atlas 2024", "Ana likes tea"] },
    Telling { at: "2025-02-01", facts: &["Ana leads Project_Atlas 2024-06", "Ana likes TEA"] },
    Telling { at: "2025-03-01", facts: &["ANA leads Atlas 2023", "Ana likes tea 2022"] },
    Telling { at: "2025-04-01", facts: &["Ana leads atlas", "Ana likes coffee"] },
];

/// Projects that contradict each other, and facts of others that nobody has to compare with them.
const PROJECTS: &[Telling] = &[
    Telling { at: "2025", facts: &["Ana leads Atlas 2020"] },
    Telling { at: "2025", facts: &["Ana leads Zephyr 2022", "Ana works_at Acme 2022"] },
    Telling { at: "2025", facts: &["Rui likes tea", "Ana leads Vega 2019 2021"] },
    Telling { at: "2025", facts: &["Bob likes tea"] },
];

#[test]
fn two_calls_meet_at_every_point() {
    for tellings in [EMPLOYERS, REPEATS, PROJECTS] {
        let schedules = every_schedule(KNOWN, &tellings[..2], Waits::Everywhere);
        assert!(schedules >= 20, "{schedules} schedules");
    }
}

#[test]
fn up_to_four_calls_commit_in_every_order() {
    for tellings in [EMPLOYERS, REPEATS, PROJECTS] {
        for (calls, least) in [(2, 2), (3, 18), (4, 300)] {
            let schedules = every_schedule(KNOWN, &tellings[..calls], Waits::AtCommits);
            assert!(schedules >= least, "{schedules} schedules of {calls} calls");
        }
    }
}
