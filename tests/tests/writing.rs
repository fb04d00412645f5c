//! How calls that write share a dataset, and what they leave behind.

use std::time::Duration;

use gligabao::memory::{CallError, Limits, Memory};
use gligabao::store::UserId;
use gligabao_artifact::{HOSTILE, MEMORY};
use gligabao_core::knowledge::DatasetRequest;
use gligabao_core::model::{EdgeId, FailureCode};

use crate::support::{facts_of, memory, scope, store, text};

fn limits() -> Limits {
    Limits { instances: 32, ..Limits::default() }
}

async fn datasets(memory: &Memory, user: &str) -> usize {
    memory.list_datasets(&UserId::new(user).unwrap(), None, 10).await.unwrap().len()
}

#[tokio::test]
async fn a_malformed_request_leaves_no_trace() {
    let memory = memory(MEMORY, store(), limits());
    let refused = memory.remember(&scope("ana"), text("")).await;
    let Err(CallError::Failure(failure)) = refused else { panic!("{refused:?}") };
    assert_eq!((failure.code, failure.field.as_deref()), (FailureCode::Invalid, Some("text")));

    let description = Some("x".repeat(5_000));
    let refused = memory.put_dataset(&scope("ana"), DatasetRequest { description, tags: None }).await;
    assert!(matches!(refused, Err(CallError::Failure(_))), "{refused:?}");
    assert_eq!(datasets(&memory, "ana").await, 0);
}

#[tokio::test]
async fn remembering_makes_the_dataset_and_everything_else_asks_for_it() {
    let memory = memory(MEMORY, store(), limits());
    let ana = scope("ana");
    assert_eq!(memory.facts(&ana, facts_of("Ana")).await, Err(CallError::NoDataset));
    assert_eq!(memory.retract(&ana, EdgeId(1)).await, Err(CallError::NoDataset));
    assert_eq!(memory.delete_dataset(&ana).await, Err(CallError::NoDataset));
    assert_eq!(datasets(&memory, "ana").await, 0);

    let told = memory.remember(&ana, text("Ana likes tea.")).await.unwrap();
    assert_eq!((told.run_id.0, told.answer.artifact_id.0), (1, 1));
    assert_eq!(memory.get_artifact(&ana, told.answer.artifact_id).await.unwrap().text, "Ana likes tea.");
    assert!(memory.facts(&ana, facts_of("nobody")).await.unwrap().facts.is_empty());

    memory.delete_dataset(&ana).await.unwrap();
    assert_eq!(memory.get_dataset(&ana).await, Err(CallError::NoDataset));
}

#[tokio::test]
async fn putting_a_dataset_makes_it_even_if_nothing_is_said_of_it() {
    let memory = memory(MEMORY, store(), limits());
    let nothing = DatasetRequest { description: None, tags: None };
    assert_eq!(memory.put_dataset(&scope("ana"), nothing).await.unwrap().head.name, "main");

    let tags = Some(vec!["b".to_owned(), "a".to_owned()]);
    let request = DatasetRequest { description: Some("Notes".to_owned()), tags };
    let summary = memory.put_dataset(&scope("ana"), request).await.unwrap();
    assert_eq!((summary.head.description.as_str(), summary.head.tags.len()), ("Notes", 2));
}

#[tokio::test]
async fn a_caller_that_goes_away_does_not_cancel_its_write() {
    let memory = memory(MEMORY, store(), limits());
    let ana = scope("ana");
    {
        let call = memory.remember(&ana, text("Kept all the same."));
        tokio::pin!(call);
        tokio::select! {
            biased;
            _ = &mut call => panic!("it was done before it could be left"),
            () = std::future::ready(()) => {}
        }
    }
    let stored = async {
        while !memory.get_dataset(&ana).await.is_ok_and(|summary| summary.artifacts == 1) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), stored).await.expect("the write is stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_queue_get_through_however_many_race() {
    let memory = memory(HOSTILE, store(), limits());
    memory.remember(&scope("ana"), text("a start")).await.unwrap();
    let call = |number: usize, wing: Option<&str>| {
        let memory = memory.clone();
        let mut request = text(&format!("text {number}"));
        request.wing = wing.map(str::to_owned);
        tokio::spawn(async move { memory.remember(&scope("ana"), request).await })
    };
    let racing: Vec<_> = (0..30).map(|number| call(number, None)).collect();
    let queued: Vec<_> = (30..40).map(|number| call(number, Some("queue"))).collect();
    for queued in queued {
        queued.await.unwrap().unwrap();
    }
    let mut stored = 11;
    for racing in racing {
        stored += u64::from(racing.await.unwrap().is_ok());
    }
    assert_eq!(memory.get_dataset(&scope("ana")).await.unwrap().artifacts, stored);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_writes_are_refused_and_reads_still_find_a_place() {
    let limits =
        Limits { instances: 2, writers: 1, admission: Duration::from_millis(50), cpu_ticks: 100, ..Limits::default() };
    let memory = memory(HOSTILE, store(), limits);
    memory.remember(&scope("ana"), text("a start")).await.unwrap();
    let looping = tokio::spawn({
        let memory = memory.clone();
        async move { memory.remember(&scope("ana"), text("loop")).await }
    });
    let mut refused = 0;
    while !looping.is_finished() {
        refused += usize::from(memory.remember(&scope("ana"), text("polite")).await == Err(CallError::Busy));
        memory.facts(&scope("ana"), facts_of("anything")).await.unwrap();
    }
    assert!(refused > 0);
    assert_eq!(looping.await.unwrap(), Err(CallError::TimedOut));
    memory.remember(&scope("ana"), text("polite")).await.unwrap();
}

#[test]
fn a_memory_says_why_it_can_not_be_made() {
    let error = Memory::builder().build().unwrap_err().to_string();
    assert!(error.contains("needs a store"), "{error}");
    let error = Memory::builder().store(store()).component(b"no component".as_slice()).build().unwrap_err().to_string();
    assert!(error.contains("gligabao:memory/memory"), "{error}");
}

#[tokio::test]
async fn a_damaged_cache_is_written_anew() {
    let directory = tempfile::tempdir().unwrap();
    let build = || {
        let builder = Memory::builder().store(store()).component(HOSTILE);
        builder.cache_dir(Some(directory.path().join("cache"))).build().unwrap()
    };
    let cached = || std::fs::read_dir(directory.path().join("cache")).unwrap().next().unwrap().unwrap().path();
    build();
    let intact = std::fs::read(cached()).unwrap();
    for damaged in [&intact[..intact.len() / 2], b"", &[&intact[..1_000], b"!", &intact[1_001..]].concat()] {
        std::fs::write(cached(), damaged).unwrap();
        let memory = build();
        memory.remember(&scope("ana"), text("works")).await.unwrap();
        assert!(std::fs::read(cached()).unwrap() == intact);
    }
    // A cache that can't be is no reason not to start.
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    let memory = Memory::builder().store(store()).component(HOSTILE).cache_dir(Some(file)).build().unwrap();
    memory.remember(&scope("ana"), text("works")).await.unwrap();
}

#[cfg(unix)]
#[test]
fn a_cache_that_others_could_write_is_not_used() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("cache");
    let build = || Memory::builder().store(store()).component(HOSTILE).cache_dir(Some(cache.clone())).build().unwrap();
    build();
    let file = std::fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
    let metadata = std::fs::metadata(&file).unwrap();
    assert_eq!((metadata.mode() & 0o777, std::fs::metadata(&cache).unwrap().mode() & 0o777), (0o600, 0o700));

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    build();
    let replaced = std::fs::metadata(&file).unwrap();
    assert_eq!(replaced.mode() & 0o777, 0o600);
    assert_ne!(replaced.ino(), metadata.ino());
}
