//! Plans that break a rule: refused with what is wrong, and nothing changes.

use gligabao_core::model::{
    Artifact, ArtifactId, Bounds, Edge, EdgeEventKind, EdgeId, Entity, EntityEventKind, EntityId, Moment, Predicate,
    StartSource, Target,
};
use gligabao_core::storage::{
    AddArtifact, AddEdge, AddEntity, AddEntityEvent, AddEvent, Change, EventFilter, Mention, SetDataset, Statement,
    StorageError,
};
use gligabao_core::time::{Instant, Micros};

use super::plans::{Draft, any, artifact, closed, during, edge, entity, from, retracted, second};
use super::{Bench, refusal};

pub async fn a_plan_from_another_version_conflicts(bench: Bench) {
    let stale = bench.draft().await;
    for version in 1..=2 {
        let mut draft = bench.draft().await;
        draft.entity("Ana");
        bench.commit(draft).await;
        assert_eq!(bench.try_commit(stale.clone()).await, Err(StorageError::Conflict(2 * version - 1)));
        let run = bench.store.begin_run(bench.dataset, crate::store::RunKind::Query.into()).await.unwrap();
        bench
            .store
            .end_run(bench.dataset, run, crate::store::RunEnd::Done, crate::store::RunLog::default())
            .await
            .unwrap();
    }
    let mut early = bench.draft().await;
    early.plan.version += 1;
    assert_eq!(bench.try_commit(early).await, Err(StorageError::Conflict(3)));
}

/// One entity, one artifact, one edge, told in one commit.
pub(super) async fn told(bench: &Bench) -> Draft {
    let mut draft = bench.draft().await;
    let ana = draft.entity("Ana");
    draft.artifact("told");
    draft.edge(ana, "knows", ana, from(10));
    bench.commit(draft).await;
    bench.draft().await
}

fn add_edge(edge: Edge) -> Change {
    let normalized_target = match &edge.target {
        Target::Text(text) => Some(text.clone()),
        Target::Entity(_) => None,
    };
    Change::AddEdge(AddEdge { edge: Edge { id: EdgeId(2), ..edge }, normalized_target })
}

fn plain_edge() -> Edge {
    edge(EntityId(1), "knows", Target::Entity(EntityId(1)))
}

fn with_bounds(bounds: Bounds) -> Change {
    add_edge(Edge { bounds, ..plain_edge() })
}

fn add_event(kind: EdgeEventKind, after: Bounds) -> AddEvent {
    AddEvent { edge: EdgeId(1), kind, artifact: None, cause: None, after }
}

fn named(id: u64) -> Change {
    Change::AddEntity(AddEntity { entity: Entity { id: EntityId(id), ..entity("B") }, normalized_name: "b".to_owned() })
}

/// An artifact under this ID, whose text is empty.
pub(super) fn text(id: u64) -> Artifact {
    Artifact { id: ArtifactId(id), ..artifact() }
}

fn add_artifact(artifact: Artifact) -> Change {
    Change::AddArtifact(AddArtifact { artifact, text: String::new() })
}

pub(super) fn entity_event(kind: EntityEventKind) -> AddEntityEvent {
    let (r#type, description) = ("person".to_owned(), String::new());
    AddEntityEvent { entity: EntityId(1), kind, artifact: None, r#type, description }
}

/// A change that breaks a rule, and what the store says.
fn broken() -> Vec<(Change, &'static str)> {
    use EntityEventKind::{Described, Retyped};
    let past = Moment::At(Micros(1));
    let far = Moment::At(Micros(i64::MAX));
    let text_edge = |normalized: Option<&str>, target| {
        let edge = Edge { id: EdgeId(2), ..edge(EntityId(1), "likes", target) };
        Change::AddEdge(AddEdge { edge, normalized_target: normalized.map(ToOwned::to_owned) })
    };
    let mention = |entity, artifact| {
        let description = String::new();
        Change::AddMention(Mention { entity: EntityId(entity), artifact: ArtifactId(artifact), description })
    };
    let statement = |edge, artifact| {
        let (edge, artifact) = (EdgeId(edge), ArtifactId(artifact));
        Change::AddStatement(Statement { edge, artifact, description: String::new(), raw_text: None })
    };
    let event = |add: AddEvent| Change::AddEvent(add);
    let confirmed = |after| event(add_event(EdgeEventKind::Confirmed, after));
    let tags = |tags: &[&str]| {
        let tags = Some(tags.iter().map(|tag| (*tag).to_owned()).collect());
        Change::SetDataset(SetDataset { description: None, tags })
    };
    let retyped = |event: AddEntityEvent| Change::AddEntityEvent(event);
    let unlimited = "expired_at: set exactly while a rule's limit lies before the stated end";
    vec![
        (named(1), "entity 1: the next free ID is 2"),
        (named(3), "entity 3: the next free ID is 2"),
        (named(0), "entity 0: the next free ID is 2"),
        (add_artifact(text(1)), "artifact 1: the next free ID is 2"),
        (add_artifact(text(u64::MAX)), "artifact 18446744073709551615: the next free ID is 2"),
        (
            text_edge(None, Target::Text("tea".to_owned())),
            "edge 2: a literal object needs its normalized form, and an entity has none",
        ),
        (
            text_edge(Some("tea"), Target::Entity(EntityId(1))),
            "edge 2: a literal object needs its normalized form, and an entity has none",
        ),
        (
            Change::AddEdge(AddEdge { edge: Edge { id: EdgeId(1), ..plain_edge() }, normalized_target: None }),
            "edge 1: the next free ID is 2",
        ),
        (
            add_artifact(Artifact { created_at: past, ..text(2) }),
            "created_at: what a plan adds is created now, not at 1970-01-01T00:00:00.000001Z",
        ),
        (add_artifact(Artifact { parent: Some(ArtifactId(2)), ..text(2) }), "there is no artifact 2"),
        (
            add_artifact(Artifact { valid_at: Instant(i64::MIN), ..text(2) }),
            "valid_at: -9223372036854775808 s is not in the years 1 to 9999",
        ),
        (add_artifact(Artifact { bytes: 1, ..text(2) }), "artifact 2: bytes is 1, its text has 0"),
        (retyped(AddEntityEvent { entity: EntityId(2), ..entity_event(Retyped) }), "there is no entity 2"),
        (
            retyped(AddEntityEvent { entity: EntityId(u64::MAX), ..entity_event(Retyped) }),
            "there is no entity 18446744073709551615",
        ),
        (
            retyped(AddEntityEvent { artifact: Some(ArtifactId(2)), ..entity_event(Described) }),
            "there is no artifact 2",
        ),
        (
            retyped(entity_event(EntityEventKind::Created)),
            "entity 1: storage writes the event `created` with the entity",
        ),
        (mention(2, 1), "there is no entity 2"),
        (mention(1, 0), "there is no artifact 0"),
        (statement(2, 1), "there is no edge 2"),
        (statement(1, u64::MAX), "there is no artifact 18446744073709551615"),
        (add_edge(Edge { source: EntityId(2), ..plain_edge() }), "there is no entity 2"),
        (add_edge(Edge { target: Target::Entity(EntityId(2)), ..plain_edge() }), "there is no entity 2"),
        (add_edge(Edge { artifact: Some(ArtifactId(2)), ..plain_edge() }), "there is no artifact 2"),
        (
            add_edge(Edge { created_at: past, ..plain_edge() }),
            "created_at: what a plan adds is created now, not at 1970-01-01T00:00:00.000001Z",
        ),
        (add_edge(Edge { confidence: f64::NAN, ..plain_edge() }), "edge 2: confidence NaN is not in 0 to 1"),
        (add_edge(Edge { confidence: -0.1, ..plain_edge() }), "edge 2: confidence -0.1 is not in 0 to 1"),
        (add_edge(Edge { confidence: 1.1, ..plain_edge() }), "edge 2: confidence 1.1 is not in 0 to 1"),
        (with_bounds(from(i64::MAX)), "valid_at: 9223372036854775807 s is not in the years 1 to 9999"),
        (with_bounds(during(0, 253_402_300_800)), "stated_end: 253402300800 s is not in the years 1 to 9999"),
        (
            with_bounds(Bounds { start_source: StartSource::Unknown, ..from(0) }),
            "valid_at: an unknown start is stored as 0001-01-01T00:00:00Z, not 1970-01-01T00:00:00Z",
        ),
        (
            with_bounds(Bounds { invalid_at: None, ..during(0, 5) }),
            "invalid_at: a stated end holds unless a rule ends it earlier",
        ),
        (
            with_bounds(Bounds { invalid_at: Some(second(6)), ..during(0, 5) }),
            "invalid_at: 1970-01-01T00:00:06Z is after the stated end 1970-01-01T00:00:05Z",
        ),
        (with_bounds(Bounds { expired_at: Some(Moment::Now), ..from(0) }), unlimited),
        (with_bounds(Bounds { expired_at: Some(Moment::Now), ..during(0, 5) }), unlimited),
        (with_bounds(Bounds { invalid_at: Some(second(5)), ..from(0) }), unlimited),
        (with_bounds(Bounds { invalid_at: Some(second(4)), ..during(0, 5) }), unlimited),
        (with_bounds(Bounds { contradicted_at: Some(second(5)), ..from(0) }), "invalid_at: after contradicted_at"),
        (
            with_bounds(Bounds { contradicted_at: Some(second(4)), ..closed(from(0), 5) }),
            "invalid_at: after contradicted_at",
        ),
        (
            with_bounds(Bounds { contradicted_at: Some(second(i64::MIN)), ..closed(from(0), 5) }),
            "contradicted_at: -9223372036854775808 s is not in the years 1 to 9999",
        ),
        (
            with_bounds(Bounds { expired_at: Some(far), ..closed(from(0), 5) }),
            "expired_at: it is not set yet, so say NOW and not 9223372036854775807us",
        ),
        (
            event(add_event(EdgeEventKind::Created, from(10))),
            "edge 1: storage writes the event `created` with the edge",
        ),
        (event(AddEvent { edge: EdgeId(2), ..add_event(EdgeEventKind::Confirmed, from(10)) }), "there is no edge 2"),
        (
            event(AddEvent { artifact: Some(ArtifactId(2)), ..add_event(EdgeEventKind::Confirmed, from(10)) }),
            "there is no artifact 2",
        ),
        (
            event(AddEvent { cause: Some(EdgeId(2)), ..add_event(EdgeEventKind::Confirmed, from(10)) }),
            "there is no edge 2",
        ),
        (
            confirmed(Bounds { retracted_at: Some(far), ..from(10) }),
            "retracted_at: it is not set yet, so say NOW and not 9223372036854775807us",
        ),
        (confirmed(Bounds { expired_at: Some(past), ..from(10) }), unlimited),
        (
            Change::PutPredicate(Predicate { name: String::new(), functional: true, description: String::new() }),
            "the name of a predicate is empty",
        ),
        (tags(&["b", "a"]), "tags are not sorted, or not once each"),
        (tags(&["a", "a"]), "tags are not sorted, or not once each"),
    ]
}

pub async fn each_broken_rule_is_refused_and_nothing_changes(bench: Bench) {
    let draft = told(&bench).await;
    let before = bench.store.summarize_dataset(bench.dataset).await.unwrap();
    for (change, what) in broken() {
        let mut draft = draft.clone();
        draft.change(change.clone());
        let said = refusal(bench.try_commit(draft).await);
        assert_eq!(said, format!("change 0 of the plan: {what}"), "{change:?}");
    }
    assert_eq!(bench.store.summarize_dataset(bench.dataset).await.unwrap(), before);
    assert_eq!(bench.latest().await.head().await.unwrap(), before.head);
}

pub async fn a_plan_repeats_when_an_edge_was_closed_and_retracted(bench: Bench) {
    use EdgeEventKind::{Confirmed, Invalidated, Retracted};
    told(&bench).await;
    let edge = EdgeId(1);
    let mut draft = bench.draft().await;
    draft.event(edge, Invalidated, closed(from(10), 20));
    let cut = bench.commit(draft).await.at;
    let mut draft = bench.draft().await;
    let held = Bounds { expired_at: Some(Moment::At(cut)), ..closed(from(10), 20) };
    draft.event(edge, Retracted, retracted(held));
    let gone = bench.commit(draft).await.at;
    let held = Bounds { retracted_at: Some(Moment::At(gone)), ..held };
    let other = Moment::At(Micros(cut.0 - 1));
    for (after, what) in [
        (
            Bounds { expired_at: Some(Moment::Now), ..held },
            format!("expired_at: it is {cut} already, so repeat that and not NOW"),
        ),
        (
            Bounds { expired_at: Some(other), ..held },
            format!("expired_at: it is {cut} already, so repeat that and not {other}"),
        ),
        (
            Bounds { retracted_at: Some(Moment::Now), ..held },
            format!("retracted_at: it is {gone} already, so repeat that and not NOW"),
        ),
        (
            Bounds { retracted_at: Some(Moment::At(cut)), ..held },
            format!("retracted_at: it is {gone} already, so repeat that and not {cut}"),
        ),
    ] {
        let mut draft = bench.draft().await;
        draft.event(edge, Confirmed, after);
        assert_eq!(refusal(bench.try_commit(draft).await), format!("change 0 of the plan: {what}"));
    }
    // What is repeated stays, what is left out is over, and what comes again comes now.
    let mut draft = bench.draft().await;
    draft.event(edge, Confirmed, held);
    draft.event(edge, EdgeEventKind::Reopened, from(10));
    draft.event(edge, Invalidated, closed(from(10), 30));
    let again = bench.commit(draft).await.at;
    let bounds = bench.latest().await.get_edges(&[edge]).await.unwrap()[0].bounds;
    assert_eq!(bounds, Bounds { expired_at: Some(Moment::At(again)), ..closed(from(10), 30) });
    let log = bench.latest().await.list_events(EventFilter::Edge(edge), super::first(9)).await.unwrap().events;
    assert_eq!(log[3].after, held);
}

pub async fn times_of_one_plan_are_said_as_now(bench: Bench) {
    use EdgeEventKind::{Confirmed, Superseded};
    let mut draft = told(&bench).await;
    let at = bench.latest().await.head().await.unwrap().last_at;
    let new = draft.edge(EntityId(1), "knows", EntityId(1), from(1));
    draft.event(new, Superseded, closed(from(1), 5));
    let cut = |expired_at| Bounds { expired_at, ..closed(from(1), 5) };
    for (after, what) in [
        (cut(Some(Moment::At(at))), Some(format!("expired_at: it is NOW already, so repeat that and not {at}"))),
        (
            Bounds { retracted_at: Some(Moment::At(at)), ..cut(Some(Moment::Now)) },
            Some(format!("retracted_at: it is not set yet, so say NOW and not {at}")),
        ),
        (cut(Some(Moment::Now)), None),
    ] {
        let mut draft = draft.clone();
        draft.event(new, Confirmed, after);
        match what {
            Some(what) => {
                assert_eq!(refusal(bench.try_commit(draft).await), format!("change 2 of the plan: {what}"));
            }
            None => drop(bench.commit(draft).await),
        }
    }
    // An edge that is told has no past either.
    let mut draft = bench.draft().await;
    draft.edge(EntityId(1), "knows", EntityId(1), cut(Some(Moment::At(at))));
    let what = format!("change 0 of the plan: expired_at: it is not set yet, so say NOW and not {at}");
    assert_eq!(refusal(bench.try_commit(draft).await), what);
}

pub async fn a_plan_refers_only_backwards(bench: Bench) {
    let mut draft = told(&bench).await;
    let bob = draft.entity("Bob");
    let told = draft.artifact("told again");
    let edge = draft.edge(bob, "knows", bob, from(1));
    draft.statement(edge, told);
    draft.mention(bob, told);
    draft.event(edge, EdgeEventKind::Retracted, retracted(from(1)));
    for (later, earlier) in [(2, 0), (3, 1), (3, 2), (4, 1), (5, 2)] {
        let mut turned = draft.clone();
        let change = turned.plan.changes.remove(later);
        turned.plan.changes.insert(earlier, change);
        assert!(refusal(bench.try_commit(turned).await).starts_with(&format!("change {earlier} of the plan: ")));
    }
    bench.commit(draft).await;
}

pub async fn a_later_change_that_breaks_a_rule_undoes_the_earlier_ones(bench: Bench) {
    let mut draft = told(&bench).await;
    let before = bench.store.summarize_dataset(bench.dataset).await.unwrap();
    let bob = draft.entity("Bob");
    draft.artifact("told again");
    draft.edge(bob, "knows", bob, from(1));
    draft.event(EdgeId(1), EdgeEventKind::Retracted, retracted(from(10)));
    draft.change(named(9));
    let what = "change 4 of the plan: entity 9: the next free ID is 3";
    assert_eq!(refusal(bench.try_commit(draft).await), what);
    assert_eq!(bench.store.summarize_dataset(bench.dataset).await.unwrap(), before);
    assert!(bench.latest().await.find_names(&["bob".to_owned()]).await.unwrap().is_empty());
    assert_eq!(bench.find_ids(&any()).await, [EdgeId(1)]);
    let log = bench.latest().await.list_events(EventFilter::Edge(EdgeId(1)), super::first(9)).await.unwrap();
    assert_eq!(log.events.len(), 1);
}
