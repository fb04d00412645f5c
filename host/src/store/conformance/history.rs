//! Reads as of a past transaction time or version, and what events do to them.

use gligabao_core::model::{Bounds, Direction, EdgeEvent, EdgeEventKind, EdgeId, Moment, RunId};
use gligabao_core::storage::{
    AddEvent, Change, Committed, EdgeFilter, EdgeOrder, EventFilter, Standing, TargetKey, Validity,
};
use gligabao_core::time::{Date, Instant, Micros};

use super::plans::{any, closed, during, from, retracted, second, touching};
use super::{Bench, first, ids};
use crate::store::{RunEnd, RunKind, RunLog};

/// What each kind of event may do to bounds that hold from 10 on.
fn after(kind: EdgeEventKind) -> Bounds {
    match kind {
        EdgeEventKind::Ended => during(10, 20),
        EdgeEventKind::Revised | EdgeEventKind::Merged | EdgeEventKind::Split => from(5),
        EdgeEventKind::Invalidated | EdgeEventKind::Superseded => closed(from(10), 30),
        EdgeEventKind::Contested => Bounds { contested: true, ..from(10) },
        EdgeEventKind::Retracted => retracted(from(10)),
        EdgeEventKind::Created | EdgeEventKind::Confirmed | EdgeEventKind::Affirmed | EdgeEventKind::Reopened => {
            from(10)
        }
    }
}

/// Bounds of a plan as the store gives them back.
fn stored(bounds: Bounds, committed: Committed) -> Bounds {
    let resolve = |moment: Moment| match moment {
        Moment::Now => Moment::At(committed.at),
        past @ Moment::At(_) => past,
    };
    Bounds { expired_at: bounds.expired_at.map(resolve), retracted_at: bounds.retracted_at.map(resolve), ..bounds }
}

fn known(known_at: Micros) -> EdgeFilter {
    EdgeFilter { known_at: Some(known_at), ..any() }
}

pub async fn every_kind_of_event_sets_the_bounds_from_its_commit_on(bench: Bench) {
    for kind in EdgeEventKind::ALL.iter().copied().filter(|kind| *kind != EdgeEventKind::Created) {
        let mut draft = bench.draft().await;
        let ana = draft.entity("Ana");
        let source = draft.artifact("told");
        let edge = draft.edge(ana, "knows", ana, from(10));
        let told = bench.commit(draft).await;
        let mut draft = bench.draft().await;
        let (artifact, cause) = (Some(source), Some(edge));
        draft.change(Change::AddEvent(AddEvent { edge, kind, artifact, cause, after: after(kind) }));
        let changed = bench.commit(draft).await;

        let of_ana = touching(ana, Direction::Both);
        for (known_at, expected) in [
            (Some(Micros(told.at.0 - 1)), None),
            (Some(told.at), Some(from(10))),
            (Some(Micros(changed.at.0 - 1)), Some(from(10))),
            (Some(changed.at), Some(stored(after(kind), changed))),
            (Some(Micros(i64::MAX)), Some(stored(after(kind), changed))),
            (None, Some(stored(after(kind), changed))),
        ] {
            let filter = EdgeFilter { known_at, ..of_ana.clone() };
            let found = bench.find(&filter, EdgeOrder::OldestValid, 10).await;
            assert_eq!(found.first().map(|edge| edge.bounds), expected, "{kind} known at {known_at:?}");
            let believed = EdgeFilter { standing: Standing::Believed, ..filter };
            let expected = expected.filter(|bounds| bounds.retracted_at.is_none());
            let found = bench.find(&believed, EdgeOrder::OldestValid, 10).await;
            assert_eq!(found.first().map(|edge| edge.bounds), expected, "{kind} believed at {known_at:?}");
        }
        let log = bench.latest().await.list_events(EventFilter::Edge(edge), first(10)).await.unwrap();
        assert_eq!(log.next, None);
        assert_eq!(
            log.events[1],
            EdgeEvent {
                edge,
                kind,
                at: changed.at,
                seq: changed.seq,
                number: 0,
                run: RunId(changed.seq),
                artifact,
                cause,
                before: Some(from(10)),
                after: stored(after(kind), changed),
            }
        );
        assert_eq!(log.events[0].kind, EdgeEventKind::Created);
        assert_eq!(log.events[0].before, None);
        assert_eq!((log.events[0].at, log.events[0].seq), (told.at, told.seq));
    }
}

pub async fn events_of_one_commit_are_one_step_of_history(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let edge = draft.edge(ana, "knows", ana, from(10));
    draft.event(edge, EdgeEventKind::Revised, from(5));
    draft.event(edge, EdgeEventKind::Ended, during(5, 8));
    let first_commit = bench.commit(draft).await;
    let mut draft = bench.draft().await;
    draft.event(edge, EdgeEventKind::Revised, during(3, 8));
    draft.event(edge, EdgeEventKind::Retracted, retracted(during(3, 8)));
    let second_commit = bench.commit(draft).await;
    for (known_at, expected) in [
        (Micros(first_commit.at.0 - 1), vec![]),
        (first_commit.at, vec![during(5, 8)]),
        (second_commit.at, vec![stored(retracted(during(3, 8)), second_commit)]),
    ] {
        for filter in [known(known_at), EdgeFilter { entity: Some(ana), ..known(known_at) }] {
            let found = bench.find(&filter, EdgeOrder::OldestValid, 10).await;
            assert_eq!(found.iter().map(|edge| edge.bounds).collect::<Vec<_>>(), expected, "{known_at:?}");
        }
    }
    let log = bench.latest().await.list_events(EventFilter::Edge(edge), first(10)).await.unwrap().events;
    let steps: Vec<_> = log.iter().map(|event| (event.kind, event.before)).collect();
    assert_eq!(
        steps,
        [
            (EdgeEventKind::Created, None),
            (EdgeEventKind::Revised, Some(from(10))),
            (EdgeEventKind::Ended, Some(from(5))),
            (EdgeEventKind::Revised, Some(during(5, 8))),
            (EdgeEventKind::Retracted, Some(during(3, 8))),
        ]
    );
}

/// Whether bounds are given to who asks for this standing.
fn stands(bounds: &Bounds, standing: Standing) -> bool {
    match standing {
        Standing::Live => bounds.is_live(),
        Standing::Believed => bounds.retracted_at.is_none(),
        Standing::Any => true,
    }
}

pub async fn standing_is_that_of_the_time_asked_about(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let edge = draft.edge(ana, "knows", bob, from(10));
    let told = bench.commit(draft).await;
    let mut states = vec![(Micros(told.at.0 - 1), None), (told.at, Some(from(10)))];
    // Closed, reopened, closed and retracted at once, back in belief but closed, retracted, and as at first.
    let mut current = from(10);
    for (n, (kind, is_closed, is_retracted)) in [
        (EdgeEventKind::Invalidated, true, false),
        (EdgeEventKind::Confirmed, true, false),
        (EdgeEventKind::Reopened, false, false),
        (EdgeEventKind::Retracted, true, true),
        (EdgeEventKind::Reopened, true, false),
        (EdgeEventKind::Retracted, false, true),
        (EdgeEventKind::Affirmed, false, false),
    ]
    .into_iter()
    .enumerate()
    {
        let mut draft = bench.draft().await;
        let now = Some(Moment::Now);
        let expired_at = if is_closed { current.expired_at.or(now) } else { None };
        let retracted_at = if is_retracted { current.retracted_at.or(now) } else { None };
        let invalid_at = is_closed.then(|| second(30));
        let after = Bounds { invalid_at, expired_at, retracted_at, ..from(10) };
        draft.event(edge, kind, after);
        if n == 3 {
            // Another edge, so that the versions of the first are not the only ones.
            draft.edge(bob, "knows", ana, closed(from(5), 6));
        }
        let changed = bench.commit(draft).await;
        current = stored(after, changed);
        states.push((Micros(changed.at.0 - 1), states.last().and_then(|(_, bounds)| *bounds)));
        states.push((changed.at, Some(current)));
    }
    let to_bob = EdgeFilter { target: Some(TargetKey::Entity(bob)), ..any() };
    let relation = EdgeFilter { relation: Some("knows".to_owned()), ..touching(bob, Direction::Incoming) };
    let filters = [touching(ana, Direction::Outgoing), touching(bob, Direction::Incoming), to_bob, relation];
    for (known_at, bounds) in states {
        for standing in [Standing::Live, Standing::Believed, Standing::Any] {
            let expected = bounds.filter(|bounds| stands(bounds, standing));
            for filter in &filters {
                let filter = EdgeFilter { known_at: Some(known_at), standing, ..filter.clone() };
                for order in [EdgeOrder::OldestValid, EdgeOrder::NewestTold] {
                    let found = bench.find(&filter, order, 10).await;
                    assert_eq!(found.first().map(|edge| edge.bounds), expected, "{filter:?} {order:?}");
                }
            }
        }
    }
}

pub async fn a_contradiction_is_part_of_the_bounds(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let edge = draft.edge(ana, "knows", ana, during(10, 90));
    let told = bench.commit(draft).await;
    let mut draft = bench.draft().await;
    let cut = Bounds { contradicted_at: Date::day(2020, 2, 29), contested: true, ..during(10, 90) };
    let cut = Bounds { stated_end: Date::year(2021), invalid_at: Date::day(2020, 2, 29), ..cut };
    let cut = Bounds { expired_at: Some(Moment::Now), ..cut };
    draft.event(edge, EdgeEventKind::Contested, cut);
    let contested = bench.commit(draft).await;
    let cut = stored(cut, contested);
    let mut draft = bench.draft().await;
    draft.event(edge, EdgeEventKind::Affirmed, during(10, 90));
    let affirmed = bench.commit(draft).await;
    for (known_at, expected) in [(told.at, during(10, 90)), (contested.at, cut), (affirmed.at, during(10, 90))] {
        let found = bench.find(&known(known_at), EdgeOrder::OldestValid, 10).await;
        assert_eq!(found[0].bounds, expected, "{known_at:?}");
    }
    let log = bench.latest().await.list_events(EventFilter::Edge(edge), first(10)).await.unwrap().events;
    assert_eq!((log[1].before, log[1].after), (Some(during(10, 90)), cut));
    assert_eq!((log[2].before, log[2].after), (Some(cut), during(10, 90)));
    let last = bench.latest().await.last_events(&[edge], &[EdgeEventKind::Contested], None).await.unwrap();
    assert_eq!(last, log[1..2]);
}

/// Acme, told first, ends where Globex, told second, begins.
pub async fn a_closed_fact_keeps_its_past(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, acme, globex) = (draft.entity("Ana"), draft.entity("Acme"), draft.entity("Globex"));
    let old = draft.edge(ana, "works_at", acme, from(2023));
    let one = bench.commit(draft).await;
    let mut draft = bench.draft().await;
    let new = draft.edge(ana, "works_at", globex, from(2024));
    draft.event(old, EdgeEventKind::Invalidated, closed(from(2023), 2024));
    let two = bench.commit(draft).await;
    for (at, known_at, expected) in [
        (2023, one.at, vec![old]),
        (2025, one.at, vec![old]),
        (2023, two.at, vec![old]),
        (2024, two.at, vec![new]),
        (2025, two.at, vec![new]),
    ] {
        for direction in [Direction::Outgoing, Direction::Both] {
            let validity = Validity::At(Instant(at));
            let filter = EdgeFilter { known_at: Some(known_at), validity, ..touching(ana, direction) };
            assert_eq!(bench.find_ids(&filter).await, expected, "{at} known at {known_at:?}");
        }
    }
}

pub async fn a_past_time_sees_the_order_and_pages_of_then(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    for n in 0..30 {
        let (source, target) = if n % 2 == 0 { (ana, bob) } else { (bob, ana) };
        draft.edge(source, "knows", target, from(100 + n));
    }
    let told = bench.commit(draft).await;
    // Every third edge moves to the front later, and more edges are told.
    let mut draft = bench.draft().await;
    for n in (0..30).step_by(3) {
        draft.event(EdgeId(n + 1), EdgeEventKind::Revised, from(50 - n.cast_signed()));
    }
    draft.edge(ana, "knows", bob, from(0));
    bench.commit(draft).await;
    let expected: Vec<EdgeId> = (1..=30).map(EdgeId).collect();
    for limit in [1, 4, 30, 40] {
        for (order, backwards) in
            [(EdgeOrder::OldestValid, false), (EdgeOrder::LatestValid, true), (EdgeOrder::NewestTold, true)]
        {
            for entity in [None, Some(ana)] {
                let filter = EdgeFilter { entity, ..known(told.at) };
                let mut found = ids(&bench.find(&filter, order, limit).await);
                if backwards {
                    found.reverse();
                }
                assert_eq!(found, expected, "{order:?} {limit} {entity:?}");
            }
        }
    }
}

pub async fn last_events_are_the_newest_of_their_kinds(bench: Bench) {
    use EdgeEventKind::{Confirmed, Created, Ended, Retracted};
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let (one, two) = (draft.edge(ana, "knows", ana, from(1)), draft.edge(ana, "likes", ana, from(1)));
    let told = bench.commit(draft).await;
    let mut draft = bench.draft().await;
    draft.event(one, Confirmed, from(1));
    let confirmed = bench.commit(draft).await;
    let mut draft = bench.draft().await;
    draft.event(one, Ended, during(1, 2));
    draft.event(one, Confirmed, during(1, 2));
    let ended = bench.commit(draft).await;
    let snapshot = bench.latest().await;
    let edges = [two, one, EdgeId(9), one];
    for (kinds, known_at, expected) in [
        (&[][..], None, vec![]),
        (&[Confirmed][..], None, vec![(one, Confirmed, ended.seq)]),
        (&[Confirmed][..], Some(confirmed.at), vec![(one, Confirmed, confirmed.seq)]),
        (&[Confirmed][..], Some(told.at), vec![]),
        (&[Ended, Created][..], None, vec![(one, Ended, ended.seq), (two, Created, told.seq)]),
        (&[Created][..], Some(Micros(told.at.0 - 1)), vec![]),
        (&[Retracted][..], None, vec![]),
    ] {
        let events = snapshot.last_events(&edges, kinds, known_at).await.unwrap();
        let found: Vec<_> = events.iter().map(|event| (event.edge, event.kind, event.seq)).collect();
        assert_eq!(found, expected, "{kinds:?} {known_at:?}");
    }
    let last = snapshot.last_events(&[one], &[Ended], None).await.unwrap().remove(0);
    assert_eq!((last.before, last.after), (Some(from(1)), during(1, 2)));
}

pub async fn a_version_is_addressed_by_any_seq_up_to_the_next(bench: Bench) {
    let mut changes = Vec::new();
    assert_eq!(bench.latest().await.changed_at(u64::MAX).await.unwrap(), None);
    for _ in 0..3 {
        let run = bench.store.begin_run(bench.dataset, RunKind::Query.into()).await.unwrap();
        bench.store.end_run(bench.dataset, run, RunEnd::Done, RunLog::default()).await.unwrap();
        let mut draft = bench.draft().await;
        draft.entity("Ana");
        changes.push(bench.commit(draft).await);
    }
    assert_eq!(changes.iter().map(|change| change.seq).collect::<Vec<_>>(), [2, 4, 6]);
    let snapshot = bench.latest().await;
    for (seq, expected) in [
        (0, None),
        (1, None),
        (2, Some(changes[0].at)),
        (3, Some(changes[0].at)),
        (4, Some(changes[1].at)),
        (5, Some(changes[1].at)),
        (6, Some(changes[2].at)),
        (u64::MAX, Some(changes[2].at)),
    ] {
        assert_eq!(snapshot.changed_at(seq).await.unwrap(), expected, "{seq}");
    }
}
