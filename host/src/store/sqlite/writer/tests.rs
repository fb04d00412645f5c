//! The writer's log: how long it gets, and when it is emptied.

use std::path::Path;
use std::sync::Mutex;

use gligabao_core::time::Micros;

use super::super::open::{open_reader, open_writer};
use super::*;

const PATIENCE: Duration = Duration::from_secs(10);

/// A job that writes four pages or so, after it has looked at how long the log is.
fn job(log: std::path::PathBuf, longest: Arc<Mutex<u64>>) -> Task {
    let work: Work = Box::new(move |transaction| {
        let mut longest = longest.lock().unwrap();
        *longest = std::fs::metadata(log).unwrap().len().max(*longest);
        transaction.unwrap().execute_batch(include_str!("../tests/sql/insert_pages.sql")).unwrap();
        Box::new(|held| held.unwrap())
    });
    Task::Write(Job { work, durability: Durability::Process })
}

#[test]
fn the_log_stays_short_though_jobs_always_wait() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    let conn = open_writer(&path, PATIENCE).unwrap();
    conn.execute_batch(include_str!("../tests/sql/create_pages.sql")).unwrap();
    let (tasks, queue) = mpsc::channel(QUEUE);
    let longest = Arc::default();
    for _ in 0..QUEUE {
        let log = directory.path().join("memory.db-wal");
        assert!(tasks.try_send(job(log, Arc::clone(&longest))).is_ok());
    }
    drop(tasks);
    Thread::new(conn, queue, PATIENCE, 500).serve();
    let longest = *longest.lock().unwrap() / 4096;
    assert!((300..1_500).contains(&longest), "{longest} pages, and all jobs write over 4,000");
}

/// A writer that tries again at once, and a deleted dataset in its file.
fn writer(path: &Path) -> (Writer, i64) {
    let conn = open_writer(path, Duration::ZERO).unwrap();
    let dataset = datasets::create(&conn, "ana", "main", Micros(1)).unwrap();
    datasets::mark_deleted(&conn, dataset, Micros(2)).unwrap();
    let (tasks, queue) = mpsc::channel(QUEUE);
    let retry = Duration::from_millis(1);
    let thread = Thread { retry, ..Thread::new(conn, queue, Duration::ZERO, MAX_LOG_PAGES) };
    (Writer { tasks: Some(tasks), thread: Some(std::thread::spawn(|| thread.serve())) }, dataset)
}

/// Asks until it is so; 10 s are enough for anything.
async fn comes_true(mut is_so: impl AsyncFnMut() -> bool) {
    let asking = async {
        while !is_so().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), asking).await.expect("it comes true");
}

#[tokio::test]
async fn a_removal_that_failed_is_tried_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    let (writer, dataset) = writer(&path);
    let other = open_writer(&path, Duration::ZERO).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(writer.remove(dataset).await, Err(StorageError::Unavailable(_))));
    assert_eq!(datasets::list_deleted(&other).unwrap(), [dataset]);
    other.execute_batch("ROLLBACK").unwrap();
    comes_true(async || datasets::list_deleted(&other).unwrap().is_empty()).await;
    drop(writer);
}

#[tokio::test]
async fn a_log_that_a_reader_kept_is_emptied_when_that_ends_though_nobody_writes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.db");
    let (writer, dataset) = writer(&path);
    let reader = open_reader(&path, Duration::ZERO).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    datasets::ping(&reader).unwrap();
    writer.remove(dataset).await.unwrap();
    let log = || std::fs::metadata(directory.path().join("memory.db-wal")).unwrap().len();
    assert!(log() > 0);
    reader.execute_batch("ROLLBACK").unwrap();
    comes_true(async || log() == 0).await;
    drop(writer);
}
