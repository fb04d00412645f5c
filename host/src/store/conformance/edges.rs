//! Finding edges: filters, orders, pages.

use gligabao_core::model::{Bounds, Direction, Edge, EdgeId, EntityId, Moment, StartSource, Target};
use gligabao_core::storage::{EdgeFilter, EdgeOrder, EdgeQuery, Standing, TargetKey, Validity};
use gligabao_core::time::{Date, Instant};

use super::plans::{any, closed, during, edge, from, retracted, touching, until};
use super::{Bench, first, ids};

fn held_at(at: i64) -> EdgeFilter {
    EdgeFilter { validity: Validity::At(Instant(at)), ..any() }
}

fn meeting(from: Option<i64>, until: Option<i64>) -> EdgeFilter {
    EdgeFilter { validity: Validity::Meets((from.map(Instant), until.map(Instant))), ..any() }
}

pub async fn each_end_of_an_edge_finds_it(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let out = draft.edge(ana, "knows", bob, from(1));
    let back = draft.edge(bob, "trusts", ana, from(2));
    let literal = draft.literal(ana, "likes", "Tea", from(3));
    bench.commit(draft).await;
    for (entity, direction, expected) in [
        (ana, Direction::Outgoing, vec![out, literal]),
        (ana, Direction::Incoming, vec![back]),
        (ana, Direction::Both, vec![out, back, literal]),
        (bob, Direction::Outgoing, vec![back]),
        (bob, Direction::Incoming, vec![out]),
        (bob, Direction::Both, vec![out, back]),
        (EntityId(77), Direction::Both, vec![]),
    ] {
        let found = bench.find_ids(&touching(entity, direction)).await;
        assert_eq!(found, expected, "{entity} {direction}");
    }
}

pub async fn a_loop_is_found_once(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let itself = draft.edge(ana, "knows", ana, from(1));
    bench.commit(draft).await;
    for direction in [Direction::Outgoing, Direction::Incoming, Direction::Both] {
        assert_eq!(bench.find_ids(&touching(ana, direction)).await, [itself], "{direction}");
    }
}

pub async fn an_edge_is_found_by_relation_and_object(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob, tea) = (draft.entity("Ana"), draft.entity("Bob"), draft.entity("Tea"));
    let drink = draft.edge(ana, "likes", tea, from(1));
    let word = draft.literal(ana, "likes", "TEA", from(2));
    let other = draft.edge(bob, "likes", tea, from(3));
    let hates = draft.edge(bob, "hates", tea, from(4));
    bench.commit(draft).await;
    let likes = || EdgeFilter { relation: Some("likes".to_owned()), ..any() };
    let tea_key = || Some(TargetKey::Entity(tea));
    let word_key = || Some(TargetKey::Text("tea".to_owned()));
    let of = |entity, direction| EdgeFilter { entity: Some(entity), direction, ..likes() };
    for (filter, expected) in [
        (likes(), vec![drink, word, other]),
        (EdgeFilter { target: tea_key(), ..any() }, vec![drink, other, hates]),
        (EdgeFilter { target: word_key(), ..any() }, vec![word]),
        (EdgeFilter { target: Some(TargetKey::Text("TEA".to_owned())), ..any() }, vec![]),
        (EdgeFilter { target: tea_key(), ..likes() }, vec![drink, other]),
        (of(ana, Direction::Outgoing), vec![drink, word]),
        (of(tea, Direction::Incoming), vec![drink, other]),
        (EdgeFilter { target: tea_key(), ..of(ana, Direction::Outgoing) }, vec![drink]),
        (EdgeFilter { target: word_key(), ..of(ana, Direction::Both) }, vec![word]),
        (EdgeFilter { target: tea_key(), ..of(tea, Direction::Incoming) }, vec![drink, other]),
        (EdgeFilter { target: tea_key(), ..of(bob, Direction::Incoming) }, vec![]),
        (EdgeFilter { target: tea_key(), relation: None, ..of(bob, Direction::Both) }, vec![other, hates]),
        (EdgeFilter { relation: Some("LIKES".to_owned()), ..any() }, vec![]),
    ] {
        for order in [EdgeOrder::OldestValid, EdgeOrder::LatestValid, EdgeOrder::NewestTold] {
            let mut found = ids(&bench.find(&filter, order, 2).await);
            found.sort();
            assert_eq!(found, expected, "{filter:?} {order:?}");
        }
    }
}

pub async fn an_edge_holds_from_its_start_until_before_its_end(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let span = draft.edge(ana, "knows", bob, during(10, 20));
    let open = draft.edge(ana, "trusts", bob, from(15));
    let ruled = draft.edge(ana, "likes", bob, closed(during(10, 40), 12));
    bench.commit(draft).await;
    for (at, expected) in [
        (9, vec![]),
        (10, vec![span, ruled]),
        (11, vec![span, ruled]),
        (12, vec![span]),
        (19, vec![span, open]),
        (20, vec![open]),
        (i64::MAX, vec![open]),
        (i64::MIN, vec![]),
    ] {
        assert_eq!(bench.find_ids(&held_at(at)).await, expected, "at {at}");
        let of_ana = EdgeFilter { entity: Some(ana), direction: Direction::Outgoing, ..held_at(at) };
        assert_eq!(bench.find_ids(&of_ana).await, expected, "of Ana at {at}");
    }
}

pub async fn a_stretch_meets_what_it_touches_at_either_side(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let span = draft.edge(ana, "knows", bob, during(10, 20));
    let open = draft.edge(ana, "trusts", bob, from(30));
    bench.commit(draft).await;
    for (start, end, expected) in [
        (None, None, vec![span, open]),
        (None, Some(9), vec![]),
        (None, Some(10), vec![span]),
        (Some(19), None, vec![span, open]),
        (Some(20), None, vec![open]),
        (Some(20), Some(29), vec![]),
        (Some(20), Some(30), vec![open]),
        (Some(15), Some(15), vec![span]),
        (Some(12), Some(11), vec![]),
        (Some(i64::MAX), None, vec![open]),
    ] {
        assert_eq!(bench.find_ids(&meeting(start, end)).await, expected, "{start:?} to {end:?}");
    }
}

pub async fn an_empty_interval_is_found_without_validity_only(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let empty = draft.edge(ana, "knows", bob, during(10, 10));
    let backwards = draft.edge(ana, "knows", bob, during(10, 5));
    bench.commit(draft).await;
    assert_eq!(bench.find_ids(&any()).await, [empty, backwards]);
    assert_eq!(bench.find_ids(&held_at(10)).await, []);
    assert_eq!(bench.find_ids(&held_at(7)).await, []);
    assert_eq!(bench.find_ids(&meeting(None, None)).await, []);
    assert_eq!(bench.find_ids(&meeting(Some(5), Some(10))).await, []);
}

pub async fn retracted_edges_and_unknown_starts_are_given_when_asked_for(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let plain = draft.edge(ana, "knows", bob, from(1));
    let gone = draft.edge(ana, "knows", bob, retracted(from(2)));
    let unknown = draft.edge(ana, "knows", bob, until(3));
    bench.commit(draft).await;
    for (standing, unknown_start, expected) in [
        (Standing::Believed, false, vec![plain]),
        (Standing::Any, false, vec![plain, gone]),
        (Standing::Believed, true, vec![unknown, plain]),
        (Standing::Any, true, vec![unknown, plain, gone]),
    ] {
        let filter = EdgeFilter { standing, unknown_start, ..any() };
        assert_eq!(bench.find_ids(&filter).await, expected, "{standing:?} {unknown_start}");
    }
}

pub async fn standing_tells_live_from_believed(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let open = draft.edge(ana, "knows", bob, from(1));
    let ended = draft.edge(ana, "knows", bob, during(2, 9));
    let cut = draft.edge(ana, "knows", bob, closed(from(3), 9));
    let gone = draft.edge(ana, "knows", bob, retracted(from(4)));
    let both = draft.edge(ana, "knows", bob, retracted(closed(from(5), 9)));
    bench.commit(draft).await;
    let relation = || Some("knows".to_owned());
    let target = || Some(TargetKey::Entity(bob));
    let ends = [touching(ana, Direction::Outgoing), touching(bob, Direction::Incoming), touching(ana, Direction::Both)];
    for (standing, expected) in [
        (Standing::Live, vec![open, ended]),
        (Standing::Believed, vec![open, ended, cut]),
        (Standing::Any, vec![open, ended, cut, gone, both]),
    ] {
        for end in ends.iter().cloned().chain([any()]) {
            for (relation, target) in [(None, None), (relation(), None), (None, target()), (relation(), target())] {
                let filter = EdgeFilter { standing, relation, target, ..end.clone() };
                for order in [EdgeOrder::OldestValid, EdgeOrder::LatestValid, EdgeOrder::NewestTold] {
                    let mut found = ids(&bench.find(&filter, order, 2).await);
                    found.sort();
                    assert_eq!(found, expected, "{filter:?} {order:?}");
                }
            }
        }
    }
}

pub async fn what_is_live_is_found_among_much_that_is_closed(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let mut live = Vec::new();
    for n in 0..2_000 {
        let bounds = if n % 400 == 0 { from(n) } else { closed(from(n), n + 1) };
        let edge = draft.edge(ana, "knows", bob, bounds);
        live.extend((n % 400 == 0).then_some(edge));
    }
    bench.commit(draft).await;
    for end in [touching(ana, Direction::Outgoing), touching(bob, Direction::Incoming)] {
        let filter = EdgeFilter { standing: Standing::Live, ..end };
        assert_eq!(bench.find_ids(&filter).await, live);
        let at = EdgeFilter { validity: Validity::At(Instant(500)), ..filter };
        assert_eq!(bench.find_ids(&at).await, live[..2]);
    }
}

pub async fn a_wing_sees_its_own_edges_and_neutral_ones(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let mut in_wing = |wing: Option<&str>| {
        let wing = wing.map(ToOwned::to_owned);
        draft.add_edge(Edge { wing, ..edge(ana, "knows", Target::Entity(bob)) })
    };
    let (neutral, work, home, nameless) =
        (in_wing(None), in_wing(Some("work")), in_wing(Some("home")), in_wing(Some("")));
    bench.commit(draft).await;
    for (wing, expected) in [
        (None, vec![neutral, work, home, nameless]),
        (Some("work"), vec![neutral, work]),
        (Some("garden"), vec![neutral]),
        (Some(""), vec![neutral, nameless]),
    ] {
        let filter = EdgeFilter { wing: wing.map(ToOwned::to_owned), ..any() };
        assert_eq!(bench.find_ids(&filter).await, expected, "{wing:?}");
    }
}

pub async fn orders_are_total_and_pages_lose_nothing(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    // Starts go up and down and repeat; one edge in three comes in.
    let starts: Vec<i64> = (0..50).map(|n| (n * 7) % 10 - 5).collect();
    for (n, start) in starts.iter().enumerate() {
        let (source, target) = if n % 3 == 0 { (bob, ana) } else { (ana, bob) };
        draft.edge(source, "knows", target, from(*start));
    }
    bench.commit(draft).await;
    let mut by_start: Vec<(i64, EdgeId)> = starts.iter().zip(1..).map(|(start, id)| (*start, EdgeId(id))).collect();
    let told: Vec<EdgeId> = by_start.iter().rev().map(|(_, id)| *id).collect();
    by_start.sort();
    let oldest: Vec<EdgeId> = by_start.iter().map(|(_, id)| *id).collect();
    let latest: Vec<EdgeId> = oldest.iter().rev().copied().collect();
    let relation = Some("knows".to_owned());
    for filter in [any(), touching(ana, Direction::Both), EdgeFilter { relation, ..any() }] {
        for (order, expected) in
            [(EdgeOrder::OldestValid, &oldest), (EdgeOrder::LatestValid, &latest), (EdgeOrder::NewestTold, &told)]
        {
            for limit in [1, 7, 49, 50, 51] {
                assert_eq!(ids(&bench.find(&filter, order, limit).await), *expected, "{filter:?} {order:?} {limit}");
            }
        }
    }
}

pub async fn several_queries_are_answered_in_their_order(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let out = draft.edge(ana, "knows", bob, from(1));
    bench.commit(draft).await;
    let query = |entity, direction| EdgeQuery {
        filter: touching(entity, direction),
        order: EdgeOrder::OldestValid,
        page: first(10),
    };
    let queries = [query(ana, Direction::Outgoing), query(ana, Direction::Incoming), query(bob, Direction::Incoming)];
    let pages = bench.latest().await.find_edges(&queries).await.unwrap();
    assert_eq!(pages.iter().map(|page| ids(&page.edges)).collect::<Vec<_>>(), [vec![out], vec![], vec![out]]);
    assert!(bench.latest().await.find_edges(&[]).await.unwrap().is_empty());
}

pub async fn an_edge_comes_back_as_it_was_told(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let source = draft.artifact("Ana likes tea.");
    let bounds = Bounds {
        valid_at: Date::year(2019).unwrap(),
        start_source: StartSource::Fallback,
        stated_end: Date::month(2021, 6),
        contradicted_at: Date::day(2020, 3, 1),
        invalid_at: Date::day(2020, 2, 29),
        expired_at: Some(Moment::Now),
        retracted_at: Some(Moment::Now),
        contested: true,
    };
    let full = Edge {
        bounds,
        artifact: Some(source),
        model: Some("a model".to_owned()),
        confidence: 0.1 + 0.2,
        wing: Some("work".to_owned()),
        raw_text: Some("likes tea".to_owned()),
        ..edge(ana, "likes", Target::Text("Tea".to_owned()))
    };
    let bare = Edge { confidence: 1.0, ..edge(ana, "knows", Target::Entity(ana)) };
    draft.add_edge(full.clone());
    draft.add_edge(bare.clone());
    let committed = bench.commit(draft).await;
    let now = Some(Moment::At(committed.at));
    let stored = [
        Edge {
            id: EdgeId(1),
            created_at: Moment::At(committed.at),
            bounds: Bounds { expired_at: now, retracted_at: now, ..bounds },
            ..full
        },
        Edge { id: EdgeId(2), created_at: Moment::At(committed.at), ..bare },
    ];
    let snapshot = bench.latest().await;
    assert_eq!(snapshot.get_edges(&[EdgeId(2), EdgeId(1), EdgeId(3), EdgeId(1)]).await.unwrap(), stored);
    let mut found = bench.find(&any(), EdgeOrder::NewestTold, 10).await;
    found.reverse();
    assert_eq!(found, stored);
}
