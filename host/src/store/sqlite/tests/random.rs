//! Random histories, told to the reference and to a file: every read must be the same.

use std::collections::BTreeMap;

use gligabao_core::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, ArtifactKind, Bounds, Direction, Edge, EdgeEventKind, EdgeId, Entity,
    EntityEventKind, EntityId, Moment, Page, Predicate, Series, SeriesId, StartSource, Target,
};
use gligabao_core::series::points::{FIRST_TIME, LAST_TIME};
use gligabao_core::storage::{
    AddEntityEvent, AddEvent, ArtifactFilter, Change, DeleteAnchor, DeletePoints, EdgeFilter, EdgeOrder, EdgeQuery,
    PutSeries, SetDataset, Standing, TargetKey, Validity,
};
use gligabao_core::time::{Date, Instant, Micros, Precision, UNKNOWN_START};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::open_small;
use crate::store::conformance::Bench;
use crate::store::conformance::compare::{Questions, assert_same};
use crate::store::conformance::past;
use crate::store::conformance::plans::{Draft, artifact, edge, entity, series};
use crate::store::memory::MemoryStore;

const WORDS: [&str; 4] = ["ana", "Tea", "knows", ""];

/// One change with IDs from a small range, so that some of them are wrong.
#[derive(Debug, Clone)]
enum Op {
    Artifact(String, Artifact),
    Entity(Entity),
    EntityEvent(AddEntityEvent),
    Mention(EntityId, ArtifactId),
    Edge(Edge),
    Statement(EdgeId, ArtifactId),
    /// With the times that its edge has, where they are repeated.
    Event(AddEvent, bool),
    Predicate(Predicate),
    Dataset(SetDataset),
    Parent(ArtifactId, ArtifactId),
    Series(Series, Vec<u8>),
    /// The labels and state of a stored one.
    Label(SeriesId, String),
    Points(SeriesId, Vec<(i64, f64)>),
    NoPoints(DeletePoints),
    Anchor(Anchor),
    NoAnchor(DeleteAnchor),
    NoSeries(SeriesId),
    /// Something under an ID that is not the next free one.
    Gap,
}

fn word() -> impl Strategy<Value = String> {
    select(&WORDS[..]).prop_map(str::to_owned)
}

fn id() -> impl Strategy<Value = u64> {
    prop_oneof![20 => 1..6_u64, 1 => 0..20_u64]
}

fn instant() -> impl Strategy<Value = Instant> {
    (-3..4_i64).prop_map(|n| Instant(n * 10))
}

fn date() -> impl Strategy<Value = Date> {
    let precision = select(&[Precision::Year, Precision::Month, Precision::Day, Precision::Second][..]);
    (instant(), precision).prop_map(|(at, precision)| Date { at, precision })
}

/// Mostly bounds that keep the rules.
fn bounds() -> impl Strategy<Value = Bounds> {
    let source = select(StartSource::ALL);
    let parts = (
        date(),
        source,
        option::of(date()),
        (option::of(date()), option::weighted(0.3, date())),
        option::weighted(0.2, Just(Moment::Now)),
        any::<bool>(),
    );
    parts.prop_map(|(valid_at, start_source, stated_end, (limit, cut), retracted_at, contested)| {
        // A contradiction ends it like a limit does, and may lie after either end.
        let limit = [limit, cut].into_iter().flatten().min_by_key(|limit| limit.at);
        let limit = limit.filter(|limit| stated_end.is_none_or(|end| limit.at < end.at));
        let at = if start_source == StartSource::Unknown { UNKNOWN_START } else { valid_at.at };
        Bounds {
            valid_at: Date { at, ..valid_at },
            start_source,
            stated_end,
            contradicted_at: cut,
            invalid_at: limit.or(stated_end),
            expired_at: limit.map(|_| Moment::Now),
            retracted_at,
            contested,
        }
    })
}

fn some_edge() -> impl Strategy<Value = Edge> {
    let target = prop_oneof![id().prop_map(|id| Target::Entity(EntityId(id))), word().prop_map(Target::Text)];
    let sources = (option::weighted(0.3, id()), option::of(word()), option::of(word()));
    (id(), word(), target, bounds(), 0.0..1.0_f64, sources).prop_map(
        |(source, relation, target, bounds, confidence, (artifact, wing, raw_text))| Edge {
            bounds,
            confidence,
            artifact: artifact.map(ArtifactId),
            wing,
            raw_text,
            ..edge(EntityId(source), &relation, target)
        },
    )
}

fn some_artifact() -> impl Strategy<Value = Op> {
    let kind = select(ArtifactKind::ALL);
    let labels = (option::of(word()), option::of(word()), option::of(word()));
    (option::weighted(0.3, id()), kind, instant(), word(), labels).prop_map(
        |(parent, kind, valid_at, text, (title, session_id, wing))| {
            let parent = parent.map(ArtifactId);
            Op::Artifact(text, Artifact { parent, kind, valid_at, title, session_id, wing, ..artifact() })
        },
    )
}

fn op() -> impl Strategy<Value = Op> {
    let event = (id(), select(EdgeEventKind::ALL), option::weighted(0.3, id()), option::weighted(0.3, id()), bounds());
    let entity_event = (id(), select(EntityEventKind::ALL), option::weighted(0.3, id()), word(), word());
    prop_oneof![
        6 => some_artifact(),
        8 => (word(), word()).prop_map(|(name, r#type)| Op::Entity(Entity { r#type, ..entity(&name) })),
        2 => entity_event.prop_map(|(entity, kind, artifact, r#type, description)| Op::EntityEvent(AddEntityEvent {
            entity: EntityId(entity),
            kind,
            artifact: artifact.map(ArtifactId),
            r#type,
            description,
        })),
        3 => (id(), id()).prop_map(|(entity, artifact)| Op::Mention(EntityId(entity), ArtifactId(artifact))),
        12 => some_edge().prop_map(Op::Edge),
        3 => (id(), id()).prop_map(|(edge, artifact)| Op::Statement(EdgeId(edge), ArtifactId(artifact))),
        12 => (event, prop::bool::weighted(0.95)).prop_map(|((edge, kind, artifact, cause, after), repeats)| {
            let (artifact, cause) = (artifact.map(ArtifactId), cause.map(EdgeId));
            Op::Event(AddEvent { edge: EdgeId(edge), kind, artifact, cause, after }, repeats)
        }),
        1 => (word(), any::<bool>(), word()).prop_map(|(name, functional, description)| {
            Op::Predicate(Predicate { name, functional, description })
        }),
        1 => (option::of(word()), option::of(vec(word(), 0..3)))
            .prop_map(|(description, tags)| Op::Dataset(SetDataset { description, tags })),
        2 => (id(), id()).prop_map(|(artifact, parent)| Op::Parent(ArtifactId(artifact), ArtifactId(parent))),
        12 => series_op(),
        1 => Just(Op::Gap),
    ]
}

fn target() -> impl Strategy<Value = AnchorTarget> {
    prop_oneof![
        id().prop_map(|id| AnchorTarget::Artifact(ArtifactId(id))),
        id().prop_map(|id| AnchorTarget::Entity(EntityId(id))),
        id().prop_map(|id| AnchorTarget::Edge(EdgeId(id))),
    ]
}

fn time() -> impl Strategy<Value = i64> {
    prop_oneof![20 => -10..300_i64, 1 => select(vec![FIRST_TIME.0, LAST_TIME.0, i64::MIN])]
}

/// Ascending, and mostly in a row.
fn some_points() -> impl Strategy<Value = Vec<(i64, f64)>> {
    let value = || select(vec![0.0, -0.0, 1.0, f64::MIN_POSITIVE, f64::MAX]);
    let row = (time(), 1..5_i64, vec(value(), 0..40)).prop_map(|(start, step, values)| {
        (0..).zip(values).map(|(n, value)| (start.saturating_add(n * step), value)).collect()
    });
    let anywhere =
        proptest::collection::btree_map(time(), value(), 1..6).prop_map(|points| points.into_iter().collect());
    prop_oneof![3 => row, 2 => anywhere, 2 => (time(), value()).prop_map(|point| vec![point])]
}

fn series_op() -> impl Strategy<Value = Op> {
    let number = || prop_oneof![20 => 1..4_u64, 1 => 0..20_u64].prop_map(SeriesId);
    let new = (word(), option::weighted(0.3, word()), option::weighted(0.3, word()), vec(any::<u8>(), 0..4));
    let bound = || option::of(time().prop_map(Micros));
    let window = option::of((time(), time()).prop_map(|(start, end)| (Micros(start), Micros(end))));
    let anchor = (number(), target(), option::of(word()), window);
    prop_oneof![
        3 => new.prop_map(|(key, provider, unit, state)| Op::Series(Series { provider, unit, ..series(&key) }, state)),
        1 => (number(), word()).prop_map(|(id, name)| Op::Label(id, name)),
        12 => (number(), some_points()).prop_map(|(id, points)| Op::Points(id, points)),
        2 => (number(), bound(), bound())
            .prop_map(|(series, from, to)| Op::NoPoints(DeletePoints { series, from, to })),
        3 => anchor.prop_map(|(series, target, role, window)| Op::Anchor(Anchor { series, target, role, window })),
        1 => (number(), target()).prop_map(|(series, target)| Op::NoAnchor(DeleteAnchor { series, target })),
        1 => number().prop_map(Op::NoSeries),
    ]
}

/// Bounds by edge, as the plan so far leaves them.
type Current = BTreeMap<EdgeId, Bounds>;

fn tell(draft: &mut Draft, current: &mut Current, op: Op) {
    match op {
        Op::Artifact(text, artifact) => drop(draft.add_artifact(&text, artifact)),
        Op::Entity(entity) => drop(draft.add_entity(entity)),
        Op::EntityEvent(event) => draft.change(Change::AddEntityEvent(event)),
        Op::Mention(entity, artifact) => draft.mention(entity, artifact),
        Op::Edge(edge) => {
            let bounds = edge.bounds;
            current.insert(draft.add_edge(edge), bounds);
        }
        Op::Statement(edge, artifact) => draft.statement(edge, artifact),
        Op::Event(mut event, repeats) => {
            if let Some(current) = current.get(&event.edge).filter(|_| repeats) {
                let repeat = |after: Option<Moment>, before: Option<Moment>| after.map(|after| before.unwrap_or(after));
                event.after.expired_at = repeat(event.after.expired_at, current.expired_at);
                event.after.retracted_at = repeat(event.after.retracted_at, current.retracted_at);
            }
            current.insert(event.edge, event.after);
            draft.change(Change::AddEvent(event));
        }
        Op::Predicate(predicate) => draft.change(Change::PutPredicate(predicate)),
        Op::Dataset(set) => draft.change(Change::SetDataset(set)),
        Op::Parent(artifact, parent) => draft.parent(artifact, parent),
        Op::Series(series, state) => drop(draft.add_series(series, &state)),
        Op::Label(id, name) => {
            let series = Series { id, name: Some(name), ..series("ana") };
            draft.change(Change::PutSeries(PutSeries { series, state: vec![1] }));
        }
        Op::Points(series, points) => draft.points(series, &points),
        Op::NoPoints(delete) => draft.change(Change::DeletePoints(delete)),
        Op::Anchor(anchor) => draft.change(Change::PutAnchor(anchor)),
        Op::NoAnchor(delete) => draft.change(Change::DeleteAnchor(delete)),
        Op::NoSeries(id) => draft.change(Change::DeleteSeries(id)),
        Op::Gap => draft.next.entity.0 += 1,
    }
}

fn validity() -> impl Strategy<Value = Validity> {
    prop_oneof![
        Just(Validity::Any),
        instant().prop_map(Validity::At),
        (option::of(instant()), option::of(instant())).prop_map(Validity::Meets),
    ]
}

fn query() -> impl Strategy<Value = EdgeQuery> {
    let key = prop_oneof![
        id().prop_map(|id| TargetKey::Entity(EntityId(id))),
        word().prop_map(|word| TargetKey::Text(word.to_lowercase())),
    ];
    let anchors = (option::of(id()), select(Direction::ALL), option::weighted(0.3, word()), option::weighted(0.2, key));
    let standing = select(&[Standing::Live, Standing::Believed, Standing::Any][..]);
    let flags = (standing, any::<bool>(), option::weighted(0.2, word()));
    let known_at = option::of((0..40_i64).prop_map(|n| Micros(995 + n)));
    let order = select(&[EdgeOrder::OldestValid, EdgeOrder::LatestValid, EdgeOrder::NewestTold][..]);
    (anchors, validity(), known_at, flags, order, 1..5_u32).prop_map(
        |((entity, direction, relation, target), validity, known_at, (standing, unknown_start, wing), order, limit)| {
            let entity = entity.map(EntityId);
            let filter =
                EdgeFilter { entity, direction, relation, target, validity, known_at, standing, unknown_start, wing };
            EdgeQuery { filter, order, page: Page { limit, after: None } }
        },
    )
}

fn questions() -> impl Strategy<Value = Questions> {
    let filter = (option::of(id()), option::of(word()), option::of(word())).prop_map(|(parent, session_id, wing)| {
        ArtifactFilter { parent: parent.map(ArtifactId), session_id, wing, ..ArtifactFilter::default() }
    });
    (vec(filter, 4), vec(query(), 24), 1..4_u32).prop_map(|(artifacts, edges, limit)| Questions {
        names: WORDS.iter().flat_map(|word| [(*word).to_owned(), word.to_lowercase()]).collect(),
        types: WORDS.map(str::to_owned).to_vec(),
        artifacts,
        edges,
        known_at: (0..8).map(|n| Micros(999 + 3 * n)).collect(),
        limit,
        runs: true,
    })
}

/// Tells one plan to both; both take it, or refuse it with the same words.
async fn tell_both(one: &Bench, other: &Bench, ops: Vec<Op>, clock: Micros) {
    let mut drafts = [one.draft().await, other.draft().await];
    let edges: Vec<EdgeId> = (1..20).map(EdgeId).collect();
    for (draft, bench) in drafts.iter_mut().zip([one, other]) {
        let edges = bench.latest().await.get_edges(&edges).await.unwrap();
        let mut current = edges.into_iter().map(|edge| (edge.id, edge.bounds)).collect();
        ops.iter().for_each(|op| tell(draft, &mut current, op.clone()));
    }
    let [draft, other_draft] = drafts;
    assert_eq!(draft.plan, other_draft.plan);
    one.clock.set(clock);
    other.clock.set(clock);
    assert_eq!(one.try_commit(draft).await, other.try_commit(other_draft).await);
}

/// Told again from its commits, a dataset says the same of all but series, which have no place there.
async fn check_replay(bench: &Bench) {
    let again = past::replay(bench).await;
    let mut logs = past::commits(bench, 3).await;
    for log in &mut logs {
        log.series.clear();
        for change in &mut log.changes {
            if let Change::AddArtifact(add) = change {
                add.artifact.series = None;
            }
        }
    }
    assert_eq!(past::commits(&again, 100).await, logs);
    let (one, other) = (bench.latest().await, again.latest().await);
    let (entities, edges): (Vec<_>, Vec<_>) = (1..20).map(|id| (EntityId(id), EdgeId(id))).unzip();
    assert_eq!(one.get_entities(&entities).await.unwrap(), other.get_entities(&entities).await.unwrap());
    assert_eq!(one.get_edges(&edges).await.unwrap(), other.get_edges(&edges).await.unwrap());
    assert_eq!(one.list_predicates(None, 9).await.unwrap(), other.list_predicates(None, 9).await.unwrap());
}

async fn check(history: Vec<(Vec<Op>, i64)>, questions: Questions) {
    let reference = Bench::new(|clock| (MemoryStore::new(clock), ())).await;
    let directory = tempfile::tempdir().unwrap();
    let file = Bench::new(|clock| (open_small(&directory, clock), directory)).await;
    let mut middle = None;
    for (n, (ops, clock)) in history.into_iter().enumerate() {
        tell_both(&reference, &file, ops, Micros(1_000 + clock)).await;
        if n == 4 {
            middle = Some((reference.latest().await, file.latest().await));
        }
    }
    assert_same(&*reference.latest().await, &*file.latest().await, &questions).await;
    if let Some((reference, file)) = middle {
        assert_same(&*reference, &*file, &questions).await;
    }
    check_replay(&file).await;
    let summaries =
        (reference.store.summarize_dataset(reference.dataset).await, file.store.summarize_dataset(file.dataset).await);
    assert_eq!(summaries.0, summaries.1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_random_history_reads_the_same_in_a_file_and_in_memory(
        // The first commit makes enough that most of what follows refers to something.
        first in vec(some_artifact(), 2),
        entities in vec((word(), word()).prop_map(|(name, r#type)| Op::Entity(Entity { r#type, ..entity(&name) })), 5),
        history in vec((vec(op(), 0..6), 0..40_i64), 4..16),
        questions in questions(),
    ) {
        let start = (first.into_iter().chain(entities).collect(), 0);
        let history = std::iter::once(start).chain(history).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(check(history, questions));
    }
}
