//! The log of edges: by edge, by cause, by commit, page after page.

use gligabao_core::model::{EdgeEvent, EdgeEventKind, EdgeId, Page, Position};
use gligabao_core::storage::EventFilter;

use super::plans::{closed, from};
use super::{Bench, first};
use crate::store::{RunEnd, RunKind, RunLog, Snapshot};

/// A part of the log, page after page of `limit`.
async fn pages(snapshot: &dyn Snapshot, filter: EventFilter, limit: u32) -> Vec<EdgeEvent> {
    let mut events = Vec::new();
    let mut after = None;
    loop {
        let page = snapshot.list_events(filter, Page { limit, after }).await.unwrap();
        assert!(page.events.len() <= limit as usize);
        assert!(page.next.is_none() || !page.events.is_empty());
        events.extend(page.events);
        match page.next {
            Some(_) => after = page.next,
            None => return events,
        }
    }
}

/// Where events are in the log, and whose they are.
fn places(events: &[EdgeEvent]) -> Vec<(u64, u32, u64)> {
    events.iter().map(|event| (event.seq, event.number, event.edge.0)).collect()
}

pub async fn the_log_of_an_edge_comes_in_pages(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let edge = draft.edge(ana, "knows", ana, from(100));
    bench.commit(draft).await;
    for n in 1..=3 {
        let mut draft = bench.draft().await;
        draft.event(edge, EdgeEventKind::Revised, from(100 - 2 * n));
        draft.event(edge, EdgeEventKind::Revised, from(99 - 2 * n));
        bench.commit(draft).await;
    }
    let snapshot = bench.latest().await;
    let log = EventFilter::Edge(edge);
    let whole = snapshot.list_events(log, first(100)).await.unwrap();
    assert_eq!((whole.events.len(), whole.next), (7, None));
    assert!(whole.events.windows(2).all(|pair| pair[1].before == Some(pair[0].after)));
    for limit in [1, 2, 3, 6, 7] {
        assert_eq!(pages(&*snapshot, log, limit).await, whole.events, "{limit}");
    }
    assert!(snapshot.list_events(EventFilter::Edge(EdgeId(2)), first(10)).await.unwrap().events.is_empty());
}

/// Three commits, with a call between them that changes nothing: two edges; a third one that closes the first and
/// moves the second twice; and its going, which reopens the first.
async fn told(bench: &Bench) -> [EdgeId; 3] {
    use EdgeEventKind::{Invalidated, Reopened, Retracted, Revised};
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let (one, two) = (draft.edge(ana, "knows", ana, from(10)), draft.edge(ana, "likes", ana, from(20)));
    bench.commit(draft).await;
    let run = bench.store.begin_run(bench.dataset, RunKind::Query.into()).await.unwrap();
    bench.store.end_run(bench.dataset, run, RunEnd::Done, RunLog::default()).await.unwrap();
    let mut draft = bench.draft().await;
    let three = draft.edge(ana, "knows", ana, from(30));
    draft.caused(one, Invalidated, closed(from(10), 30), three);
    draft.caused(two, Revised, from(15), three);
    draft.event(two, Revised, from(14));
    bench.commit(draft).await;
    let mut draft = bench.draft().await;
    draft.event(three, Retracted, super::plans::retracted(from(30)));
    draft.caused(one, Reopened, from(10), three);
    bench.commit(draft).await;
    [one, two, three]
}

pub async fn events_are_numbered_through_each_commit(bench: Bench) {
    let [one, two, three] = told(&bench).await;
    let snapshot = bench.latest().await;
    let mut whole = Vec::new();
    for (seq, expected) in [
        (0, vec![]),
        (1, vec![(1, 0, 1), (1, 1, 2)]),
        (2, vec![]),
        (3, vec![(3, 0, 3), (3, 1, 1), (3, 2, 2), (3, 3, 2)]),
        (4, vec![(4, 0, 3), (4, 1, 1)]),
        (5, vec![]),
        (u64::MAX, vec![]),
    ] {
        let events = pages(&*snapshot, EventFilter::Seq(seq), 100).await;
        assert_eq!(places(&events), expected, "{seq}");
        whole.extend(events);
    }
    for edge in [one, two, three] {
        let of_edge: Vec<_> = whole.iter().filter(|event| event.edge == edge).cloned().collect();
        assert_eq!(pages(&*snapshot, EventFilter::Edge(edge), 100).await, of_edge);
        assert_eq!(of_edge[0].before, None);
        assert!(of_edge.windows(2).all(|pair| pair[1].before == Some(pair[0].after)), "{of_edge:?}");
    }
}

pub async fn events_are_listed_by_cause_and_by_commit(bench: Bench) {
    let [one, two, three] = told(&bench).await;
    let snapshot = bench.latest().await;
    for (filter, expected) in [
        (EventFilter::Cause(three), vec![(3, 1, 1), (3, 2, 2), (4, 1, 1)]),
        (EventFilter::Cause(one), vec![]),
        (EventFilter::Cause(EdgeId(9)), vec![]),
        (EventFilter::Cause(EdgeId(u64::MAX)), vec![]),
        (EventFilter::Edge(two), vec![(1, 1, 2), (3, 2, 2), (3, 3, 2)]),
        (EventFilter::Seq(3), vec![(3, 0, 3), (3, 1, 1), (3, 2, 2), (3, 3, 2)]),
    ] {
        for limit in [1, 2, 3, 4, 100] {
            assert_eq!(places(&pages(&*snapshot, filter, limit).await), expected, "{filter:?} {limit}");
        }
    }
    let caused = pages(&*snapshot, EventFilter::Cause(three), 1).await;
    assert!(caused.iter().all(|event| event.cause == Some(three)));
    let before: Vec<_> = caused.iter().map(|event| event.before.unwrap().valid_at.at.0).collect();
    assert_eq!(before, [10, 20, 10]);
    assert!(caused[2].before.unwrap().expired_at.is_some() && caused[2].after.expired_at.is_none());
}

pub async fn a_page_of_the_log_begins_anywhere(bench: Bench) {
    let [one, two, three] = told(&bench).await;
    let snapshot = bench.latest().await;
    for filter in [
        EventFilter::Edge(one),
        EventFilter::Edge(two),
        EventFilter::Edge(three),
        EventFilter::Cause(three),
        EventFilter::Seq(1),
        EventFilter::Seq(3),
    ] {
        let whole = pages(&*snapshot, filter, 100).await;
        for at in [i64::MIN, -1, 0, 1, 2, 3, 4, 5, i64::MAX] {
            for id in [0, 1, 2, 3, 99, u64::MAX] {
                let page = Page { limit: 100, after: Some(Position { at, id }) };
                let left: Vec<_> = whole
                    .iter()
                    .filter(|event| (event.seq.cast_signed(), u64::from(event.number)) > (at, id))
                    .collect();
                let found = snapshot.list_events(filter, page).await.unwrap();
                assert_eq!(found.events.iter().collect::<Vec<_>>(), left, "{filter:?} after {at} {id}");
                assert_eq!(found.next, None);
            }
        }
    }
}

pub async fn a_commit_with_a_long_log_comes_in_pages(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    for n in 0..1_500 {
        draft.edge(ana, "counts", ana, from(n));
    }
    bench.commit(draft).await;
    let events = pages(&*bench.latest().await, EventFilter::Seq(1), 400).await;
    assert!(events.iter().zip(0..).all(|(event, number)| event.number == number));
    assert_eq!(events.len(), 1_500);
}
