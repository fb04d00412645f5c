//! Points in a file: what a store in memory can't show.

use gligabao_core::model::{AnchorTarget, SeriesId};
use gligabao_core::storage::{Change, DeletePoints, PointFilter, StorageError};
use gligabao_core::time::Micros;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rusqlite::Connection;
use tempfile::TempDir;

use super::super::chunk::Sizes;
use super::super::open::{open_reader, open_writer};
use super::super::{apply, points as stored};
use super::{bench_in, file, open_small};
use crate::store::conformance::plans::{Draft, from, points};
use crate::store::conformance::{Bench, first};
use crate::store::memory::MemoryStore;
use crate::store::{RunKind, Snapshot};

const ALL: PointFilter = PointFilter { from: None, to: None, known_at: None };
const ID: SeriesId = SeriesId(1);

/// A change of one series.
#[derive(Debug, Clone)]
enum Op {
    /// Points after all others, so many.
    Append(usize, f64),
    /// Points from a time on, so many in steps of so much.
    Put(i64, usize, i64, f64),
    /// No point of a stretch any more.
    Delete(i64, i64),
}

fn op() -> impl Strategy<Value = Op> {
    let value = || select(vec![0.0, -0.0, 1.0, 2.5]);
    prop_oneof![
        6 => (1..4_usize, value()).prop_map(|(points, value)| Op::Append(points, value)),
        1 => (20..60_usize, value()).prop_map(|(points, value)| Op::Append(points, value)),
        4 => (-20..400_i64, 1..30_usize, 1..20_i64, value()).prop_map(|(at, n, step, value)| Op::Put(at, n, step, value)),
        1 => (-20..400_i64, 0..200_i64).prop_map(|(from, length)| Op::Delete(from, from + length)),
    ]
}

fn tell(draft: &mut Draft, ops: &[Op], end: &mut i64) {
    for op in ops {
        match *op {
            Op::Append(points, value) => {
                let sent: Vec<(i64, f64)> = (*end + 1..).zip(std::iter::repeat_n(value, points)).collect();
                draft.points(ID, &sent);
                *end += points as i64;
            }
            Op::Put(at, points, step, value) => {
                let sent: Vec<(i64, f64)> = (0..points as i64).map(|n| (at + n * step, value)).collect();
                *end = (*end).max(sent[sent.len() - 1].0);
                draft.points(ID, &sent);
            }
            Op::Delete(from, to) => {
                let (from, to) = (Some(Micros(from)), Some(Micros(to)));
                draft.change(Change::DeletePoints(DeletePoints { series: ID, from, to }));
            }
        }
    }
}

/// What both say of the series, as it is now and as it was known at these times.
async fn assert_same(one: &Bench, other: &Bench, times: &[Micros]) {
    let (one, other) = (one.latest().await, other.latest().await);
    assert_eq!(one.get_series(&[ID]).await.unwrap(), other.get_series(&[ID]).await.unwrap());
    for known_at in times.iter().copied().map(Some).chain([None]) {
        for (from, to, limit) in [(None, None, 100_000), (Some(30), None, 7), (Some(90), Some(150), 20)] {
            let filter = PointFilter { from: from.map(Micros), to: to.map(Micros), known_at };
            let list = async |snapshot: &dyn Snapshot| {
                let page = snapshot.list_points(ID, filter, limit).await.unwrap();
                (page.points.iter().map(|p| (p.at, p.value.to_bits())).collect::<Vec<_>>(), page.more)
            };
            assert_eq!(list(&*one).await, list(&*other).await, "{filter:?}");
        }
    }
}

/// Chunks don't meet, loose points come after them, and both have as many as they may.
fn check_layout(directory: &TempDir, sizes: Sizes) {
    let conn = Connection::open(file(directory)).unwrap();
    let mut chunks = conn.prepare(include_str!("sql/chunks.sql")).unwrap();
    let chunks = chunks.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let chunks: Vec<(i64, i64, usize)> = chunks.unwrap().map(Result::unwrap).collect();
    assert!(chunks.is_sorted_by(|one, next| one.1 < next.0), "{chunks:?}");
    assert!(chunks.iter().all(|(first, last, points)| first <= last && (1..=sizes.chunk).contains(points)));
    let mut loose = conn.prepare(include_str!("sql/loose.sql")).unwrap();
    let loose: Vec<i64> = loose.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(loose.len() < sizes.loose, "{loose:?}");
    let end = chunks.last().map_or(i64::MIN, |last| last.1);
    assert!(loose.iter().all(|at| *at > end), "{loose:?} {end}");
    let counted: usize = conn.query_row(include_str!("sql/count_loose.sql"), [], |row| row.get(0)).unwrap();
    assert_eq!(counted, loose.len());
}

async fn check(history: Vec<Vec<Op>>) {
    let reference = Bench::new(|clock| (MemoryStore::new(clock), ())).await;
    let directory = tempfile::tempdir().unwrap();
    let stored = Bench::new(|clock| (open_small(&directory, clock), ())).await;
    let mut ends = [0, 0];
    let mut times = Vec::new();
    for (n, ops) in history.into_iter().enumerate() {
        let mut committed = Vec::new();
        for (bench, end) in [&reference, &stored].into_iter().zip(&mut ends) {
            let mut draft = bench.draft().await;
            if n == 0 {
                draft.series("cpi");
            }
            tell(&mut draft, &ops, end);
            committed.push(bench.commit(draft).await);
        }
        assert_eq!(committed[0], committed[1]);
        times.push(committed[0].at);
        assert_same(&reference, &stored, &[]).await;
        check_layout(&directory, Sizes { chunk: 8, loose: 4 });
    }
    assert_same(&reference, &stored, &times).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn chunks_hold_what_a_list_of_points_would(history in vec(vec(op(), 1..4), 1..25)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(check(history));
    }
}

#[tokio::test]
async fn a_damaged_chunk_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let bench = bench_in(&directory).await;
    let mut draft = bench.draft().await;
    draft.series("cpi");
    draft.points(ID, &(0..5_000).map(|n| (n, 1.0)).collect::<Vec<_>>());
    bench.commit(draft).await;
    let conn = Connection::open(file(&directory)).unwrap();
    conn.execute_batch(include_str!("sql/damage.sql")).unwrap();
    let what = "series 1: its points from 1970-01-01T00:00:00Z to 1970-01-01T00:00:00.004095Z are damaged; restore the \
                database from a backup, or delete them";
    let damaged = Err(StorageError::Unavailable(what.to_owned()));
    let snapshot = bench.latest().await;
    assert_eq!(snapshot.list_points(ID, ALL, 10).await, damaged);
    let known = PointFilter { known_at: Some(Micros(i64::MAX)), ..ALL };
    assert_eq!(snapshot.list_points(ID, known, 10).await, damaged);
    assert_eq!(snapshot.get_points(ID, &[Micros(7)]).await.map(drop), damaged.clone().map(drop));
    // The others are as they were.
    let rest = PointFilter { from: Some(Micros(4_096)), ..ALL };
    assert_eq!(snapshot.list_points(ID, rest, 1_000).await.unwrap().points.len(), 904);
    drop(snapshot);
    let mut draft = bench.draft().await;
    draft.points(ID, &[(7, 2.0)]);
    assert_eq!(bench.try_commit(draft).await.map(drop), damaged.map(drop));
    let mut draft = bench.draft().await;
    draft.change(Change::DeletePoints(DeletePoints { series: ID, from: None, to: Some(Micros(4_095)) }));
    bench.commit(draft).await;
    assert_eq!(bench.latest().await.list_points(ID, ALL, 1_000).await.unwrap().points.len(), 904);
}

#[tokio::test]
async fn a_write_of_points_that_is_not_committed_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let bench = bench_in(&directory).await;
    let mut draft = bench.draft().await;
    draft.series("cpi");
    draft.points(ID, &[(7, 1.0)]);
    bench.commit(draft).await;
    let mut draft = bench.draft().await;
    draft.points(ID, &(0..100_000).map(|n| (n, 2.0)).collect::<Vec<_>>());
    let run = bench.store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
    let conn = open_writer(&file(&directory), std::time::Duration::ZERO).unwrap();
    let transaction = conn.unchecked_transaction().unwrap();
    apply::commit(&conn, bench.dataset.0, run, &draft.plan, &[], Micros(9_000), Sizes::default()).unwrap();
    // A crash gets in between.
    drop(transaction);
    drop(conn);
    let stored = bench.latest().await.list_points(ID, ALL, 100_000).await.unwrap();
    assert_eq!(stored.points, points(&[(7, 1.0)]));
    assert_eq!(bench.latest().await.get_series(&[ID]).await.unwrap()[0].points, 1);
    bench.store.commit(bench.dataset, run, draft.plan, Vec::new()).await.unwrap();
    assert_eq!(bench.latest().await.list_points(ID, ALL, 100_000).await.unwrap().points.len(), 100_000);
}

#[tokio::test]
async fn an_append_touches_few_rows_and_a_range_few_chunks() {
    let directory = tempfile::tempdir().unwrap();
    let bench = bench_in(&directory).await;
    for n in 0..5 {
        let mut draft = bench.draft().await;
        if n == 0 {
            draft.series("cpi");
        }
        draft.points(ID, &(0..40_000).map(|at| (n * 40_000 + at, 1.0)).collect::<Vec<_>>());
        bench.commit(draft).await;
    }
    let mut draft = bench.draft().await;
    draft.points(ID, &[(1_000_000, 1.0)]);
    let run = bench.store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
    let conn = open_writer(&file(&directory), std::time::Duration::ZERO).unwrap();
    let before = conn.total_changes();
    apply::commit(&conn, bench.dataset.0, run, &draft.plan, &[], Micros(9_000), Sizes::default()).unwrap();
    // The point, the row of the series, that it was touched, the dataset and the run.
    assert_eq!(conn.total_changes() - before, 5);
    let reader = open_reader(&file(&directory), std::time::Duration::ZERO).unwrap();
    let range = stored::Stretch { from: 100_000, to: 101_000 };
    let read = stored::chunks(&reader, bench.dataset.0, ID, range).unwrap();
    assert!(read.len() <= 2, "{} chunks", read.len());
}

#[tokio::test]
async fn what_targets_leave_behind_goes_with_them() {
    let directory = tempfile::tempdir().unwrap();
    let bench = Bench::new(|clock| (open_small(&directory, clock), ())).await;
    let mut draft = bench.draft().await;
    let (ana, bob, told) = (draft.entity("Ana"), draft.entity("Bob"), draft.artifact("told"));
    let edge = draft.edge(ana, "knows", bob, from(1));
    draft.series("cpi");
    let targets =
        [AnchorTarget::Artifact(told), AnchorTarget::Entity(ana), AnchorTarget::Entity(bob), AnchorTarget::Edge(edge)];
    for target in targets {
        draft.anchor(ID, target);
    }
    bench.commit(draft).await;
    let conn = open_writer(&file(&directory), std::time::Duration::ZERO).unwrap();
    for (left, sql) in [
        (3, include_str!("sql/delete_an_edge.sql")),
        (2, include_str!("sql/delete_an_entity.sql")),
        (1, include_str!("sql/delete_an_artifact.sql")),
    ] {
        conn.execute_batch(sql).unwrap();
        assert_eq!(bench.latest().await.list_anchors(ID, first(9)).await.unwrap().anchors.len(), left);
    }
}
