//! The list of what calls did says what the commits say.

use gligabao_core::git::Format;
use gligabao_core::history::{Entry, HistoryRequest, Layout, list_history};
use gligabao_core::model::{EdgeId, EntityId, Page, RunKind};
use gligabao_core::reference::ReferenceSnapshot;
use gligabao_core::storage::{EventFilter, Snapshot};

use super::dataset::{Memory, Step};
use super::{anew, repository};

fn told() -> Memory {
    let texts = [
        "Alice works at Acme since 2023.",
        "Bob lives in Graz.",
        "Alice works at Initech since March 2024.",
        "Bob works at Acme.",
        "Alice works at Initech.",
        "Carol knows Bob.",
    ];
    let mut memory = Memory::new(0);
    for (text, n) in texts.into_iter().zip(1..) {
        memory.make(n * 1_000_000, &Step::Remember(text.to_owned(), Some("s".to_owned())));
        memory.make(n * 1_000_000, &Step::Query(format!("{n}?")));
    }
    memory.make(9_000_000, &Step::Retract(2));
    memory.make(9_000_000, &Step::FailedRemember("no model\nanswers".to_owned()));
    memory.make(9_000_000, &Step::Describe("Notes".to_owned(), "x".to_owned()));
    memory
}

fn all(snapshot: &ReferenceSnapshot, entity: Option<u64>, edge: Option<u64>, limit: u32) -> Vec<Entry> {
    let (entity, edge) = (entity.map(EntityId), edge.map(EdgeId));
    let mut request = HistoryRequest { entity, edge, limit, cursor: None };
    let mut entries = Vec::new();
    loop {
        let answer = list_history(snapshot, &request).unwrap();
        assert!(answer.entries.len() <= limit as usize);
        entries.extend(answer.entries);
        match answer.cursor {
            None => return entries,
            cursor => request.cursor = cursor,
        }
    }
}

#[test]
fn entries_say_what_commits_say() {
    let memory = told();
    let entries = all(&memory.snapshot(), None, None, 4);
    assert_eq!(entries.len(), memory.done.len());
    let repository = repository(&memory.snapshot(), anew(Layout::Flat, Format::Pack));
    let commits = repository.commits();
    assert_eq!(commits.len(), entries.len() + 1);
    for ((entry, commit), done) in entries.iter().zip(&commits[1..]).zip(&memory.done) {
        let message = repository.git(&["log", "-1", "--format=%B", commit]);
        assert_eq!(message.lines().next(), Some(entry.subject.as_str()));
        assert!(entry.lines.iter().all(|line| message.lines().any(|said| said == line)), "{message}");
        assert_eq!((entry.seq, entry.run_id, entry.kind), (done.run.seq, done.run.id, done.run.kind));
        assert_eq!((entry.at, entry.failed), (done.run.started_at, done.run.error.is_some()));
    }
    let shown: String = entries.iter().map(|entry| format!("{} {:?}\n", entry.subject, entry.lines)).collect();
    insta::assert_snapshot!(shown);
}

#[test]
fn the_history_of_an_edge_is_that_of_its_events() {
    let memory = told();
    let snapshot = memory.snapshot();
    let page = Page { limit: 10_000, after: None };
    for edge in 1..snapshot.head().unwrap().next.edge.0 {
        let events = snapshot.list_events(EventFilter::Edge(EdgeId(edge)), page).unwrap().events;
        let mut expected: Vec<u64> = events.iter().map(|event| event.seq).collect();
        expected.dedup();
        for limit in [1, 2, 100] {
            let seqs: Vec<u64> = all(&snapshot, None, Some(edge), limit).iter().map(|entry| entry.seq).collect();
            assert_eq!(seqs, expected, "edge {edge}");
        }
    }
    assert_eq!(all(&snapshot, Some(999), Some(1), 10), []);
    assert_eq!(all(&snapshot, None, Some(999), 10), []);
}

#[test]
fn the_history_of_an_entity_has_each_call_that_named_it_or_changed_a_fact_of_it() {
    let memory = told();
    let snapshot = memory.snapshot();
    let subjects = |name: &str| {
        let id = snapshot.find_names(&[name.to_owned()]).unwrap()[0].entity.0;
        for limit in [1, 2] {
            assert_eq!(all(&snapshot, Some(id), None, limit), all(&snapshot, Some(id), None, 100));
        }
        all(&snapshot, Some(id), None, 100).iter().map(|entry| entry.subject.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        subjects("alice"),
        [
            "remember #1: Alice works at Acme since 2023.",
            "remember #3: Alice works at Initech since March 2024.",
            "remember #5: Alice works at Initech.",
            "edit #13: retract edge 3: Alice works_at Initech",
        ]
    );
    // The third text names no Acme, and closes a fact of it, which is open again once the other is retracted.
    assert_eq!(
        subjects("acme"),
        [
            "remember #1: Alice works at Acme since 2023.",
            "remember #3: Alice works at Initech since March 2024.",
            "remember #4: Bob works at Acme.",
            "edit #13: retract edge 3: Alice works_at Initech",
        ]
    );
}

#[test]
fn a_call_without_a_change_is_listed_without_lines() {
    let entries = all(&told().snapshot(), None, None, 1_000);
    let query = entries.iter().find(|entry| entry.kind == RunKind::Query).unwrap();
    assert!(query.lines.is_empty() && !query.failed);
}

#[test]
fn malformed_requests_name_the_field() {
    let snapshot = told().snapshot();
    let request = HistoryRequest { entity: None, edge: None, limit: 2, cursor: None };
    let field = |request: &HistoryRequest| list_history(&snapshot, request).unwrap_err().field.unwrap();
    assert_eq!(field(&HistoryRequest { limit: 0, ..request.clone() }), "limit");
    assert_eq!(field(&HistoryRequest { limit: 1_001, ..request.clone() }), "limit");
    let cursor = list_history(&snapshot, &request).unwrap().cursor;
    assert_eq!(field(&HistoryRequest { edge: Some(EdgeId(1)), cursor, ..request }), "cursor");
}
