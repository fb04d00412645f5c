//! Opening files, sharing them, and what is left in them.

use std::path::Path;
use std::sync::Arc;

use gligabao_core::model::{Edge, Target};
use gligabao_core::storage::{ArtifactFilter, Change, CommitLog, EdgeFilter, EdgeOrder, EdgeQuery, StorageError};
use gligabao_core::time::Micros;

use super::super::Durability;
use super::super::{datasets, open as opening};
use super::{file, open};
use crate::store::conformance::compare::{Questions, assert_same};
use crate::store::conformance::plans::{Draft, any, edge, from};
use crate::store::conformance::{TestClock, first, name, user};
use crate::store::sqlite::{OpenError, Sqlite, SqliteOptions};
use crate::store::{DatasetId, RunEnd, RunFilter, RunKind, RunLog, RunRecord, RunStatus, Store, SystemClock, too_busy};

/// Tells one fact about Ana in a dataset.
async fn tell(store: &Sqlite, dataset: DatasetId, text: &str) {
    let head = store.snapshot(dataset).await.unwrap().head().await.unwrap();
    let mut draft = Draft::on(&head);
    let told = draft.artifact(text);
    let ana = draft.entity("Ana");
    let edge = draft.edge(ana, "knows", ana, from(1));
    draft.statement(edge, told);
    draft.mention(ana, told);
    let run = store.begin_run(dataset, RunKind::Remember.into()).await.unwrap();
    store.commit(dataset, run, draft.plan, Vec::new()).await.unwrap();
}

fn refused(path: &Path) -> String {
    let told = Sqlite::open(path, SqliteOptions::default()).err().expect("the file can't be used").to_string();
    assert!(!told.contains('\n'), "{told}");
    told.replace(path.parent().unwrap().to_str().unwrap(), "DIR")
}

#[test]
fn a_file_that_cannot_be_used_says_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("text"), "no database, but a text that is long enough to be looked at\n".repeat(99)).unwrap();
    let other = rusqlite::Connection::open(path("other")).unwrap();
    other.pragma_update(None, "application_id", 7).unwrap();
    let tables = rusqlite::Connection::open(path("tables")).unwrap();
    tables.execute_batch("CREATE VIEW v AS VALUES (1)").unwrap();
    let newer = opening::open_writer(&path("newer"), std::time::Duration::ZERO).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    std::fs::create_dir(path("directory")).unwrap();
    for (file, expected) in [
        ("missing/memory.db", "DIR: there is no such directory; make it, or name another file"),
        ("text", "DIR/text: is not a gligabao database; name another file"),
        ("other", "DIR/other: is a database of another application; name another file"),
        ("tables", "DIR/tables: is a database of another application; name another file"),
        ("newer", "DIR/newer: was written by a newer version (schema 99, this one knows 3); update gligabao"),
        (
            "directory",
            "DIR/directory: can't be opened: unable to open database file: DIR/directory; check its owner and permissions",
        ),
    ] {
        assert_eq!(refused(&path(file)), expected);
    }
    let version: i64 = newer.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 99);
}

#[test]
fn a_file_that_another_process_locks_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let conn = opening::open_writer(&file(&directory), std::time::Duration::ZERO).unwrap();
    conn.execute_batch("BEGIN IMMEDIATE").unwrap();
    let options = SqliteOptions { patience: std::time::Duration::ZERO, ..SqliteOptions::default() };
    let error = Sqlite::open(file(&directory), options).err().unwrap();
    assert!(matches!(error, OpenError::Locked(_)), "{error}");
}

#[test]
fn an_empty_file_is_brought_to_the_newest_version() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(file(&directory), "").unwrap();
    let conn = opening::open_writer(&file(&directory), std::time::Duration::ZERO).unwrap();
    let pragma = |name: &str| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!((pragma("user_version"), pragma("application_id")), (3, 0x6762_616f));
    assert_eq!((pragma("foreign_keys"), pragma("secure_delete")), (1, 1));
    let mode: String = conn.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}

#[tokio::test]
async fn a_file_that_is_opened_again_holds_everything() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory, Arc::new(SystemClock));
    let dataset = store.create_dataset(&user("ana"), &name("main")).await.unwrap();
    tell(&store, dataset, "told").await;
    tell(&store, dataset, "told again").await;
    let before = store.snapshot(dataset).await.unwrap();
    let again = open(&directory, Arc::new(SystemClock));
    let after = again.snapshot(dataset).await.unwrap();
    let questions = Questions {
        names: vec!["ana".to_owned()],
        types: Vec::new(),
        artifacts: vec![ArtifactFilter::default()],
        edges: vec![EdgeQuery { filter: any(), order: EdgeOrder::OldestValid, page: first(1) }],
        known_at: vec![Micros(i64::MAX)],
        limit: 1,
        runs: true,
    };
    assert_same(&*before, &*after, &questions).await;
    drop((before, store, after, again));
    let third = open(&directory, Arc::new(SystemClock));
    assert_eq!(third.summarize_dataset(dataset).await.unwrap().head.seq, 2);
    let conn = rusqlite::Connection::open(file(&directory)).unwrap();
    let check: String = conn.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

#[tokio::test]
async fn two_processes_share_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let server = open(&directory, Arc::new(SystemClock));
    let cli = open(&directory, Arc::new(SystemClock));
    let dataset = server.create_dataset(&user("ana"), &name("main")).await.unwrap();
    assert_eq!(cli.find_dataset(&user("ana"), &name("main")).await.unwrap(), Some(dataset));
    let plan = Draft::on(&cli.snapshot(dataset).await.unwrap().head().await.unwrap()).plan;
    let late = cli.begin_run(dataset, RunKind::Edit.into()).await.unwrap();
    tell(&server, dataset, "told").await;
    assert_eq!(cli.commit(dataset, late, plan, Vec::new()).await, Err(StorageError::Conflict(1)));
    assert_eq!(cli.end_run(dataset, late, RunEnd::Done, RunLog::default()).await.unwrap(), 2);
    tell(&cli, dataset, "told again").await;
    let head = server.summarize_dataset(dataset).await.unwrap().head;
    assert_eq!((head.seq, head.version), (3, 3));
    assert_eq!(server.begin_run(dataset, RunKind::Query.into()).await.unwrap().0, 4);
    cli.delete_dataset(dataset).await.unwrap();
    assert_eq!(server.begin_run(dataset, RunKind::Query.into()).await, Err(StorageError::NoDataset));
}

#[tokio::test]
async fn a_start_closes_the_runs_of_a_crash_and_none_of_a_living_process() {
    let directory = tempfile::tempdir().unwrap();
    let crashed = open(&directory, Arc::new(SystemClock));
    let dataset = crashed.create_dataset(&user("ana"), &name("main")).await.unwrap();
    crashed.begin_run(dataset, RunKind::Remember.into()).await.unwrap();
    crashed.begin_run(dataset, RunKind::Query.into()).await.unwrap();
    let other = open(&directory, Arc::new(SystemClock));
    assert_eq!(other.close_open_runs().await.unwrap(), 0);
    drop((crashed, other));
    let next = open(&directory, Arc::new(SystemClock));
    assert_eq!(next.close_open_runs().await.unwrap(), 2);
    let found = next.list_runs(dataset, &RunFilter::default(), None, 10).await.unwrap().runs;
    let left = |run: &RunRecord| (run.id.0, run.status, run.seq, run.error.clone());
    let why = || Some("the process ended before the call did".to_owned());
    let closed = |id, seq| (id, RunStatus::Failed, Some(seq), why());
    assert_eq!(found.iter().map(left).collect::<Vec<_>>(), [closed(2, 2), closed(1, 1)]);
    let run = next.begin_run(dataset, RunKind::Query.into()).await.unwrap();
    assert_eq!(next.end_run(dataset, run, RunEnd::Done, RunLog::default()).await.unwrap(), 3);
    let head = next.summarize_dataset(dataset).await.unwrap().head;
    assert_eq!((head.seq, head.version), (3, 0));
}

#[tokio::test]
async fn a_database_of_the_first_version_keeps_its_data() {
    let directory = tempfile::tempdir().unwrap();
    let old = rusqlite::Connection::open(file(&directory)).unwrap();
    old.execute_batch(include_str!("../migrations/0001_initial.sql")).unwrap();
    old.execute_batch(include_str!("sql/first_version.sql")).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    old.pragma_update(None, "application_id", 0x6762_616f).unwrap();
    drop(old);
    let store = open(&directory, Arc::new(SystemClock));
    let dataset = store.find_dataset(&user("ana"), &name("main")).await.unwrap().unwrap();
    assert_eq!(store.close_open_runs().await.unwrap(), 1);
    let runs = store.list_runs(dataset, &RunFilter::default(), None, 10).await.unwrap().runs;
    let seen = |run: &RunRecord| (run.id.0, run.kind.as_str(), run.status.as_str(), run.seq, run.params.clone());
    let params = || "{}".to_owned();
    assert_eq!(
        runs.iter().map(seen).collect::<Vec<_>>(),
        [
            (4, "remember", "failed", Some(4), params()),
            (3, "edit", "failed", Some(3), params()),
            (2, "query", "done", Some(2), params()),
            (1, "remember", "done", Some(1), params()),
        ]
    );
    let snapshot = store.snapshot(dataset).await.unwrap();
    assert_eq!(snapshot.find_names(&["ana".to_owned()]).await.unwrap().len(), 1);
    assert_eq!(snapshot.changed_at(9).await.unwrap(), Some(Micros(10)));
    tell(&store, dataset, "told anew").await;
    let told = store.snapshot(dataset).await.unwrap().list_commits(0, 10).await.unwrap().commits;
    let texts = |log: &CommitLog| -> Vec<(String, String)> {
        let of = |change: &Change| match change {
            Change::AddArtifact(add) => Some(("text".to_owned(), add.text.clone())),
            Change::AddEntity(add) => Some((add.entity.r#type.clone(), add.normalized_name.clone())),
            _ => None,
        };
        log.changes.iter().filter_map(of).collect()
    };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
    };
    assert_eq!(texts(&told[0]), pairs(&[("text", "told"), ("text", "more"), ("unknown", "ana")]));
    assert_eq!(texts(&told[1]), pairs(&[("text", "told anew"), ("unknown", "ana")]));
    let failed = RunFilter { status: Some(RunStatus::Failed), ..RunFilter::default() };
    assert_eq!(store.list_runs(dataset, &failed, None, 10).await.unwrap().runs.len(), 2);
    drop((snapshot, store));
    let conn = rusqlite::Connection::open(file(&directory)).unwrap();
    let check: String = conn.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

/// Whether any file of the database holds these bytes.
fn holds(directory: &Path, bytes: &[u8]) -> bool {
    std::fs::read_dir(directory).unwrap().any(|file| {
        let content = std::fs::read(file.unwrap().path()).unwrap();
        content.windows(bytes.len()).any(|window| window == bytes)
    })
}

#[tokio::test]
async fn the_file_holds_no_byte_of_a_deleted_dataset() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory, Arc::new(SystemClock));
    let dataset = store.create_dataset(&user("ana"), &name("main")).await.unwrap();
    tell(&store, dataset, "the secret of Ana").await;
    assert!(holds(directory.path(), b"the secret of Ana"));
    store.delete_dataset(dataset).await.unwrap();
    assert!(!holds(directory.path(), b"the secret of Ana"));
    assert!(!holds(directory.path(), b"knows"));
}

#[tokio::test]
async fn a_removal_that_a_crash_interrupted_is_finished() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory, Arc::new(SystemClock));
    let dataset = store.create_dataset(&user("ana"), &name("main")).await.unwrap();
    tell(&store, dataset, "the secret of Ana").await;
    let mark = move |conn: &rusqlite::Connection| datasets::mark_deleted(conn, dataset.number(), Micros(1));
    store.writer.run(Durability::Machine, mark).await.unwrap();
    drop(store);
    let next = open(&directory, Arc::new(SystemClock));
    // The writer takes what was left behind before it takes this.
    next.writer.remove(0).await.unwrap();
    assert!(next.read(datasets::list_deleted).await.unwrap().is_empty());
    assert!(!holds(directory.path(), b"the secret of Ana"));
}

#[tokio::test]
async fn a_defect_in_one_call_spares_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory, Arc::new(TestClock::default()));
    let dataset = store.create_dataset(&user("ana"), &name("main")).await.unwrap();
    let defect = store.writer.run(Durability::Process, |conn| -> super::Outcome<()> {
        datasets::create(conn, "eve", "main", Micros(1))?;
        panic!("a defect, on purpose")
    });
    let (defect, begun) = tokio::join!(defect, store.begin_run(dataset, RunKind::Query.into()));
    assert_eq!(defect, Err(StorageError::Unavailable("a defect of the store ended this call".to_owned())));
    assert_eq!(begun.unwrap().0, 1);
    assert_eq!(store.find_dataset(&user("eve"), &name("main")).await.unwrap(), None);
    store.ping().await.unwrap();
}

#[tokio::test]
async fn a_read_that_looks_at_too_much_is_refused_and_says_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions { read_time: std::time::Duration::ZERO, ..SqliteOptions::default() };
    let store = Sqlite::open(file(&directory), options).unwrap();
    let dataset = store.create_dataset(&user("ana"), &name("main")).await.unwrap();
    let mut draft = Draft::on(&store.snapshot(dataset).await.unwrap().head().await.unwrap());
    let ana = draft.entity("Ana");
    for _ in 0..2_000 {
        draft.add_edge(Edge { wing: Some("home".to_owned()), ..edge(ana, "knows", Target::Entity(ana)) });
    }
    let run = store.begin_run(dataset, RunKind::Remember.into()).await.unwrap();
    store.commit(dataset, run, draft.plan, Vec::new()).await.unwrap();
    let snapshot = store.snapshot(dataset).await.unwrap();
    let rare = EdgeFilter { wing: Some("rare".to_owned()), ..any() };
    let query = EdgeQuery { filter: rare, order: EdgeOrder::OldestValid, page: first(1) };
    let refused = snapshot.find_edges(&[query]).await;
    assert!(matches!(&refused, Err(StorageError::TooLarge(why)) if why.contains("name an entity")), "{refused:?}");
    // The snapshot goes on.
    assert_eq!(snapshot.get_entities(&[ana]).await.unwrap().len(), 1);
}

#[tokio::test]
async fn more_snapshots_than_readers_wait_and_then_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let patience = std::time::Duration::from_millis(10);
    let options = SqliteOptions { readers: 1, patience, ..SqliteOptions::default() };
    let store = Sqlite::open(file(&directory), options).unwrap();
    let dataset = store.create_dataset(&user("ana"), &name("main")).await.unwrap();
    let held = store.snapshot(dataset).await.unwrap();
    let refused = store.snapshot(dataset).await.err();
    assert_eq!(refused, Some(too_busy()));
    store.ping().await.expect("a health check needs no reader");
    drop(held);
    store.snapshot(dataset).await.unwrap();
}
