//! Names, entities, sources, predicates: lists and look-ups by ID, and how lists go on.

use gligabao_core::model::{
    ArtifactId, Direction, Edge, EdgeEventKind, EdgeId, Entity, EntityEventKind, EntityId, Moment, Page, Position,
    Predicate, Target,
};
use gligabao_core::storage::{
    ArtifactFilter, Change, Degree, EdgeFilter, EdgeOrder, EdgeQuery, EventFilter, Mention, NameMatch, StorageError,
    TargetKey,
};

use super::plans::{any, edge, entity, from, retracted, touching};
use super::{Bench, first, refusal};

pub async fn names_find_every_entity_that_has_them(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob, other) = (draft.entity("Ana"), draft.entity("Bob"), draft.entity("ana"));
    let nameless = draft.entity("");
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    let names = ["bob", "ana", "ANA", "", "nobody", "ana"].map(ToOwned::to_owned);
    let found = snapshot.find_names(&names).await.unwrap();
    let expected = [("", nameless), ("ana", ana), ("ana", other), ("bob", bob)];
    assert_eq!(found, expected.map(|(name, entity)| NameMatch { name: name.to_owned(), entity }));
    assert!(snapshot.aliases(ana).await.unwrap().is_empty());
    assert!(snapshot.find_names(&[]).await.unwrap().is_empty());
}

pub async fn entities_are_listed_by_id_and_type(bench: Bench) {
    let mut draft = bench.draft().await;
    for n in 0..10 {
        let r#type = if n % 3 == 0 { "place" } else { "person" }.to_owned();
        draft.add_entity(Entity { r#type, model: Some("m".to_owned()), ..entity(&format!("E{n}")) });
    }
    let at = bench.commit(draft).await.at;
    let snapshot = bench.latest().await;
    for (r#type, expected) in
        [(None, (1..=10).collect::<Vec<u64>>()), (Some("place"), vec![1, 4, 7, 10]), (Some("none"), vec![])]
    {
        for limit in [1, 3, 4, 100] {
            let mut found = Vec::new();
            let mut after = None;
            loop {
                let page = snapshot.list_entities(r#type, Page { limit, after }).await.unwrap();
                found.extend(page.entities.iter().map(|entity| entity.id.0));
                let Some(next) = page.next else { break };
                after = Some(next);
            }
            assert_eq!(found, expected, "{type:?} {limit}");
        }
    }
    let ids = [EntityId(2), EntityId(0), EntityId(1), EntityId(2), EntityId(99)];
    let got = snapshot.get_entities(&ids).await.unwrap();
    assert_eq!(got.iter().map(|entity| entity.id.0).collect::<Vec<_>>(), [1, 2]);
    let stored = Entity {
        id: EntityId(1),
        r#type: "place".to_owned(),
        model: Some("m".to_owned()),
        created_at: Moment::At(at),
        ..entity("E0")
    };
    assert_eq!(got[0], stored);
}

pub async fn an_entity_takes_a_new_type_and_description(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let at = bench.commit(draft).await.at;
    let mut draft = bench.draft().await;
    draft.entity_event(ana, EntityEventKind::Retyped, "place", "wrong");
    draft.entity_event(ana, EntityEventKind::Described, "person", "a friend");
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    let stored = Entity {
        id: ana,
        r#type: "person".to_owned(),
        description: "a friend".to_owned(),
        created_at: Moment::At(at),
        ..entity("Ana")
    };
    assert_eq!(snapshot.get_entities(&[ana]).await.unwrap(), std::slice::from_ref(&stored));
    assert_eq!(snapshot.list_entities(Some("person"), first(5)).await.unwrap().entities, [stored]);
    assert!(snapshot.list_entities(Some("unknown"), first(5)).await.unwrap().entities.is_empty());
}

pub async fn entities_keep_their_order_when_they_are_retyped(bench: Bench) {
    let mut draft = bench.draft().await;
    let ids: Vec<EntityId> = (0..6).map(|n| draft.entity(&format!("E{n}"))).collect();
    // In the commit that they come in with, and in a later one.
    draft.entity_event(ids[4], EntityEventKind::Retyped, "place", "");
    bench.commit(draft).await;
    let before = bench.latest().await;
    let mut draft = bench.draft().await;
    for id in [ids[2], ids[0]] {
        draft.entity_event(id, EntityEventKind::Retyped, "place", "");
    }
    bench.commit(draft).await;
    for (snapshot, r#type, expected) in [
        (&before, "place", vec![5]),
        (&before, "unknown", vec![1, 2, 3, 4, 6]),
        (&bench.latest().await, "place", vec![1, 3, 5]),
        (&bench.latest().await, "unknown", vec![2, 4, 6]),
    ] {
        let listed = snapshot.list_entities(Some(r#type), first(9)).await.unwrap().entities;
        assert_eq!(listed.iter().map(|entity| entity.id.0).collect::<Vec<_>>(), expected, "{type}");
    }
}

pub async fn sources_are_listed_once_each(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let knows = draft.edge(ana, "knows", bob, from(1));
    let artifacts: Vec<ArtifactId> = (0..5).map(|n| draft.artifact(&format!("text {n}"))).collect();
    for artifact in artifacts.iter().rev().chain(&artifacts) {
        draft.mention(ana, *artifact);
        draft.statement(knows, *artifact);
    }
    draft.change(Change::AddMention(Mention { entity: ana, artifact: artifacts[0], description: "again".to_owned() }));
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    for limit in [1, 2, 5, 9] {
        let (mut mentions, mut statements) = (Vec::new(), Vec::new());
        let (mut after_mention, mut after_statement) = (None, None);
        loop {
            let page = Page { limit, after: after_mention };
            let mention = snapshot.list_mentions(ana, None, page).await.unwrap();
            let page = Page { limit, after: after_statement };
            let statement = snapshot.list_statements(knows, None, page).await.unwrap();
            mentions.extend(mention.artifacts);
            statements.extend(statement.statements.into_iter().map(|statement| statement.artifact));
            assert_eq!(mention.next, statement.next);
            if mention.next.is_none() {
                break;
            }
            (after_mention, after_statement) = (mention.next, statement.next);
        }
        assert_eq!((&mentions, &statements), (&artifacts, &artifacts), "{limit}");
    }
    assert!(snapshot.list_mentions(bob, None, first(5)).await.unwrap().artifacts.is_empty());
    assert!(snapshot.list_statements(EdgeId(2), None, first(5)).await.unwrap().statements.is_empty());
}

pub async fn predicates_are_replaced_by_name(bench: Bench) {
    let predicate = |name: &str, functional, description: &str| Predicate {
        name: name.to_owned(),
        functional,
        description: description.to_owned(),
    };
    let mut draft = bench.draft().await;
    draft.change(Change::PutPredicate(predicate("works_at", true, "an employer")));
    draft.change(Change::PutPredicate(predicate("likes", true, "")));
    draft.change(Change::PutPredicate(predicate("likes", false, "a taste")));
    bench.commit(draft).await;
    let mut draft = bench.draft().await;
    draft.change(Change::PutPredicate(predicate("works_at", false, "")));
    let before = bench.latest().await;
    bench.commit(draft).await;
    let names = ["works_at", "nothing", "likes", "likes"].map(ToOwned::to_owned);
    let likes = predicate("likes", false, "a taste");
    let then = before.get_predicates(&names).await.unwrap();
    assert_eq!(then, [likes.clone(), predicate("works_at", true, "an employer")]);
    let latest = bench.latest().await;
    let now = latest.get_predicates(&names).await.unwrap();
    let all = latest.list_predicates(None, 10).await.unwrap();
    assert_eq!(all, now, "a name is listed once, as its newest line says");
    assert_eq!(latest.list_predicates(None, 1).await.unwrap(), all[..1]);
    assert_eq!(latest.list_predicates(Some(&all[0].name), 10).await.unwrap(), all[1..]);
    assert!(latest.list_predicates(Some("zzz"), 10).await.unwrap().is_empty());
    assert_eq!(now, [likes, predicate("works_at", false, "")]);
}

pub async fn degrees_count_each_edge_once(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob, idle) = (draft.entity("Ana"), draft.entity("Bob"), draft.entity("Idle"));
    draft.edge(ana, "knows", bob, from(1));
    draft.edge(ana, "knows", ana, retracted(from(1)));
    draft.literal(ana, "likes", "tea", from(1));
    bench.commit(draft).await;
    let asked = [idle, bob, ana, EntityId(9), bob];
    let degrees = bench.latest().await.degrees(&asked).await.unwrap();
    assert_eq!(degrees, [(ana, 3), (bob, 1), (idle, 0)].map(|(entity, edges)| Degree { entity, edges }));
}

pub async fn ten_thousand_items_go_in_one_list_and_no_more(bench: Bench) {
    let mut draft = bench.draft().await;
    for n in 0..10_000 {
        let entity = draft.entity(&format!("e{n}"));
        draft.edge(entity, "knows", EntityId(1), from(n));
    }
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    let ids = |count: u64| (1..=count).rev().map(EntityId).collect::<Vec<_>>();
    let edge_ids = |count: u64| (1..=count).map(EdgeId).collect::<Vec<_>>();
    let names = |count: u64| (0..count).map(|n| format!("e{n}")).collect::<Vec<_>>();
    assert_eq!(snapshot.get_entities(&ids(10_000)).await.unwrap().len(), 10_000);
    assert_eq!(snapshot.degrees(&ids(10_000)).await.unwrap()[0].edges, 10_000);
    assert_eq!(snapshot.get_edges(&edge_ids(10_000)).await.unwrap().len(), 10_000);
    assert_eq!(snapshot.find_names(&names(10_000)).await.unwrap().len(), 10_000);
    let kinds = EdgeEventKind::ALL;
    assert_eq!(snapshot.last_events(&edge_ids(10_000), kinds, None).await.unwrap().len(), 10_000);
    let page = EdgeQuery { filter: any(), order: EdgeOrder::OldestValid, page: first(10_000) };
    let whole = snapshot.find_edges(std::slice::from_ref(&page)).await.unwrap().remove(0);
    assert_eq!((whole.edges.len(), whole.next), (10_000, None));
    let each: Vec<EdgeQuery> = ids(10_000)
        .into_iter()
        .map(|entity| EdgeQuery {
            filter: touching(entity, Direction::Outgoing),
            order: EdgeOrder::NewestTold,
            page: first(2),
        })
        .collect();
    assert!(snapshot.find_edges(&each).await.unwrap().iter().all(|page| page.edges.len() == 1));

    let over = "10001 items, at most 10000 go in one list";
    assert_eq!(refusal(snapshot.get_entities(&ids(10_001)).await), format!("entities: {over}"));
    assert_eq!(refusal(snapshot.degrees(&ids(10_001)).await), format!("entities: {over}"));
    assert_eq!(refusal(snapshot.get_edges(&edge_ids(10_001)).await), format!("edges: {over}"));
    assert_eq!(refusal(snapshot.last_events(&edge_ids(10_001), kinds, None).await), format!("edges: {over}"));
    assert_eq!(refusal(snapshot.find_names(&names(10_001)).await), format!("names: {over}"));
    assert_eq!(refusal(snapshot.get_predicates(&names(10_001)).await), format!("names: {over}"));
    let artifacts: Vec<ArtifactId> = (0..10_001).map(ArtifactId).collect();
    assert_eq!(refusal(snapshot.get_artifacts(&artifacts).await), format!("artifacts: {over}"));
    assert_eq!(refusal(snapshot.get_texts(&artifacts).await), format!("artifacts: {over}"));
    assert_eq!(refusal(snapshot.find_edges(&vec![page; 10_001]).await), format!("queries: {over}"));
}

pub async fn an_answer_holds_no_more_text_than_fits(bench: Bench) {
    let long = "x".repeat(1 << 20);
    let count = 40;
    for _ in 0..count {
        let mut draft = bench.draft().await;
        let entity = draft.add_entity(Entity { description: long.clone(), ..entity("Ana") });
        draft.artifact(&long);
        let target = Target::Entity(EntityId(1));
        draft.add_edge(Edge { raw_text: Some(long.clone()), ..edge(entity, "knows", target) });
        bench.commit(draft).await;
    }
    let snapshot = bench.latest().await;
    let artifacts = snapshot.list_artifacts(&ArtifactFilter::default(), first(1_000)).await.unwrap();
    let entities = snapshot.list_entities(None, first(1_000)).await.unwrap();
    assert_eq!((artifacts.artifacts.len() as u64, artifacts.next), (count, None));
    assert_eq!((entities.entities.len(), entities.next), (31, Some(Position { at: 0, id: 31 })));
    for order in [EdgeOrder::OldestValid, EdgeOrder::NewestTold] {
        for filter in [any(), touching(EntityId(1), Direction::Both)] {
            assert_eq!(bench.find(&filter, order, 1_000).await.len() as u64, count);
        }
    }
    let too_large =
        |error: Option<StorageError>| assert!(matches!(error, Some(StorageError::TooLarge(_))), "{error:?}");
    let ids = || 1..=count;
    assert_eq!(snapshot.get_texts(&(1..=32).map(ArtifactId).collect::<Vec<_>>()).await.unwrap().len(), 32);
    too_large(snapshot.get_texts(&ids().map(ArtifactId).collect::<Vec<_>>()).await.err());
    too_large(snapshot.get_entities(&ids().map(EntityId).collect::<Vec<_>>()).await.err());
    too_large(snapshot.get_edges(&ids().map(EdgeId).collect::<Vec<_>>()).await.err());
    let query = EdgeQuery { filter: any(), order: EdgeOrder::OldestValid, page: first(20) };
    assert_eq!(snapshot.find_edges(std::slice::from_ref(&query)).await.unwrap()[0].edges.len(), 20);
    too_large(snapshot.find_edges(&[query.clone(), query]).await.err());
}

pub async fn a_limit_must_be_in_range(bench: Bench) {
    let snapshot = bench.latest().await;
    for limit in [0, 10_001, u32::MAX] {
        let page = first(limit);
        let query = EdgeQuery { filter: any(), order: EdgeOrder::OldestValid, page };
        let expected = format!("limit: {limit} is not in 1 to 10000");
        assert_eq!(refusal(snapshot.find_edges(&[query]).await), expected);
        assert_eq!(refusal(snapshot.list_entities(None, page).await), expected);
        assert_eq!(refusal(snapshot.list_artifacts(&ArtifactFilter::default(), page).await), expected);
        assert_eq!(refusal(snapshot.list_events(EventFilter::Edge(EdgeId(1)), page).await), expected);
        assert_eq!(refusal(snapshot.list_events(EventFilter::Cause(EdgeId(1)), page).await), expected);
        assert_eq!(refusal(snapshot.list_events(EventFilter::Seq(1), page).await), expected);
        assert_eq!(refusal(snapshot.list_mentions(EntityId(1), None, page).await), expected);
        assert_eq!(refusal(snapshot.list_statements(EdgeId(1), None, page).await), expected);
    }
}

pub async fn ids_beyond_any_dataset_find_nothing(bench: Bench) {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    let told = draft.artifact("told");
    let edge = draft.edge(ana, "knows", ana, from(1));
    draft.mention(ana, told);
    draft.statement(edge, told);
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    for far in [1 << 63, u64::MAX] {
        find_nothing(&*snapshot, far).await;
    }
}

async fn find_nothing(snapshot: &dyn crate::store::Snapshot, far: u64) {
    let page = Page { limit: 5, after: Some(Position { at: i64::MAX, id: far }) };
    assert!(snapshot.get_entities(&[EntityId(far)]).await.unwrap().is_empty());
    assert!(snapshot.get_edges(&[EdgeId(far)]).await.unwrap().is_empty());
    assert!(snapshot.get_artifacts(&[ArtifactId(far)]).await.unwrap().is_empty());
    assert!(snapshot.degrees(&[EntityId(far)]).await.unwrap().is_empty());
    assert!(snapshot.aliases(EntityId(far)).await.unwrap().is_empty());
    assert!(snapshot.list_entities(None, page).await.unwrap().entities.is_empty());
    assert!(snapshot.get_texts(&[ArtifactId(far)]).await.unwrap().is_empty());
    for filter in [EventFilter::Edge(EdgeId(1)), EventFilter::Seq(1)] {
        assert!(snapshot.list_events(filter, page).await.unwrap().events.is_empty());
    }
    for filter in [EventFilter::Edge(EdgeId(far)), EventFilter::Cause(EdgeId(far)), EventFilter::Seq(far)] {
        assert!(snapshot.list_events(filter, first(5)).await.unwrap().events.is_empty());
    }
    assert!(snapshot.last_events(&[EdgeId(far)], EdgeEventKind::ALL, None).await.unwrap().is_empty());
    assert!(snapshot.list_mentions(EntityId(far), None, first(5)).await.unwrap().artifacts.is_empty());
    assert!(snapshot.list_statements(EdgeId(far), None, first(5)).await.unwrap().statements.is_empty());
    let children = ArtifactFilter { parent: Some(ArtifactId(far)), ..ArtifactFilter::default() };
    assert!(snapshot.list_artifacts(&children, first(5)).await.unwrap().artifacts.is_empty());
    for filter in [
        EdgeFilter { entity: Some(EntityId(far)), ..any() },
        EdgeFilter { target: Some(TargetKey::Entity(EntityId(far))), ..any() },
    ] {
        let query = EdgeQuery { filter, order: EdgeOrder::OldestValid, page: first(5) };
        assert!(snapshot.find_edges(&[query]).await.unwrap()[0].edges.is_empty());
    }
    assert!(snapshot.list_mentions(EntityId(1), None, page).await.unwrap().artifacts.is_empty());
    let query = EdgeQuery { filter: any(), order: EdgeOrder::OldestValid, page };
    assert!(snapshot.find_edges(&[query]).await.unwrap()[0].edges.is_empty());
    let query = EdgeQuery { filter: any(), order: EdgeOrder::NewestTold, page };
    assert_eq!(snapshot.find_edges(&[query]).await.unwrap()[0].edges.len(), 1);
}

pub async fn a_list_goes_on_after_a_place_where_nothing_is(bench: Bench) {
    let mut draft = bench.draft().await;
    let (ana, bob) = (draft.entity("Ana"), draft.entity("Bob"));
    let texts: Vec<ArtifactId> = (0..4).map(|n| draft.artifact(&format!("text {n}"))).collect();
    let edge = draft.edge(ana, "knows", bob, from(10));
    draft.edge(ana, "knows", bob, from(20));
    draft.mention(ana, texts[0]);
    draft.mention(ana, texts[3]);
    draft.statement(edge, texts[1]);
    draft.statement(edge, texts[3]);
    bench.commit(draft).await;
    let snapshot = bench.latest().await;
    let after = |at, id| Page { limit: 9, after: Some(Position { at, id }) };
    assert_eq!(snapshot.list_mentions(ana, None, after(0, 2)).await.unwrap().artifacts, [texts[3]]);
    let stated = snapshot.list_statements(edge, None, after(0, 2)).await.unwrap().statements;
    assert_eq!(stated.iter().map(|statement| statement.artifact).collect::<Vec<_>>(), [texts[3]]);
    assert!(snapshot.list_entities(None, after(0, 77)).await.unwrap().entities.is_empty());
    let listed = snapshot.list_artifacts(&ArtifactFilter::default(), after(0, 77)).await.unwrap().artifacts;
    assert_eq!(listed.len(), 4);
    for (order, at, id, expected) in [
        (EdgeOrder::OldestValid, 15, 9, vec![2]),
        (EdgeOrder::OldestValid, 20, 0, vec![2]),
        (EdgeOrder::LatestValid, 15, 9, vec![1]),
        (EdgeOrder::LatestValid, 10, 0, vec![]),
        (EdgeOrder::NewestTold, 0, 77, vec![2, 1]),
    ] {
        let query = EdgeQuery { filter: any(), order, page: after(at, id) };
        let found = snapshot.find_edges(&[query]).await.unwrap().remove(0).edges;
        assert_eq!(found.iter().map(|edge| edge.id.0).collect::<Vec<_>>(), expected, "{order:?} {at} {id}");
    }
}
