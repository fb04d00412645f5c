//! What a guest does wrong ends its own call, within the limits, and touches nobody else.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gligabao::memory::{Asking, CallError, ExportError, GitRequest, Limits, Memory, Scope};
use gligabao::repository::RepositoryError;
use gligabao::store::DatasetSummary;
use gligabao_artifact::{HOSTILE, MEMORY};
use gligabao_core::model::{Artifact, EntityId};
use gligabao_core::recall::QueryRequest;
use gligabao_core::remember::{Extractor, Request};

use crate::support::{facts_of, memory, scope, store, text};

const MIB: usize = 1 << 20;

fn limits() -> Limits {
    Limits {
        memory: 128 * MIB,
        cpu_ticks: 60,
        call: Duration::from_secs(20),
        instances: 4,
        lease: Duration::from_millis(50),
        handover: 8 * MIB,
        changes: 5_000,
        text: 64 << 10,
        ..Limits::default()
    }
}

/// A hostile component and the real one on the same store, a user who attacks and one who should not notice.
struct World {
    hostile: Memory,
    real: Memory,
    attacker: Scope,
    victim: Scope,
    before: (DatasetSummary, Vec<Artifact>),
}

impl World {
    async fn new() -> Self {
        let store = store();
        let hostile = memory(HOSTILE, Arc::clone(&store), limits());
        let real = memory(MEMORY, store, limits());
        let (attacker, victim) = (scope("attacker"), scope("victim"));
        real.remember(&victim, text("Mine alone.")).await.unwrap();
        hostile.remember(&attacker, text("a start")).await.unwrap();
        let before = dataset(&real, &victim).await;
        Self { hostile, real, attacker, victim, before }
    }

    /// What the guest makes of this text.
    async fn remember(&self, deed: &str) -> Result<(), CallError> {
        self.hostile.remember(&self.attacker, text(deed)).await.map(drop)
    }

    /// What the guest makes of a question for the facts of this entity.
    async fn facts(&self, deed: &str) -> Result<(), CallError> {
        self.hostile.facts(&self.attacker, facts_of(deed)).await.map(drop)
    }

    /// The next calls are served, by either component, and nothing has changed for others.
    async fn goes_on(&self) {
        let kept = dataset(&self.real, &self.attacker).await;
        self.hostile.remember(&self.attacker, text("polite again")).await.unwrap();
        self.hostile.facts(&self.attacker, facts_of("anything")).await.unwrap();
        self.real.remember(&self.attacker, text("The real one works.")).await.unwrap();
        let (summary, _) = dataset(&self.real, &self.attacker).await;
        assert_eq!(summary.artifacts, kept.0.artifacts + 2);
        assert_eq!(dataset(&self.real, &self.victim).await, self.before);
    }
}

async fn dataset(memory: &Memory, scope: &Scope) -> (DatasetSummary, Vec<Artifact>) {
    let summary = memory.get_dataset(scope).await.unwrap();
    let listed = memory.list_artifacts(scope, None, None, 1_000, None).await.unwrap();
    (summary, listed.artifacts)
}

#[track_caller]
fn assert_trapped<T: std::fmt::Debug>(result: &Result<T, CallError>) {
    assert!(matches!(result, Err(CallError::Trapped { .. })), "{result:?}");
}

/// The guest went on, and its failure holds what storage told it.
#[track_caller]
fn assert_told<T: std::fmt::Debug>(result: &Result<T, CallError>, told: &str) {
    match result {
        Err(CallError::Failure(failure)) => assert!(failure.message.contains(told), "{failure:?}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn handles_that_nobody_gave_are_traps() {
    let world = World::new().await;
    for deed in [
        "reach for other datasets",
        "reach for other snapshots",
        "use a snapshot after its end",
        "drop a snapshot twice",
    ] {
        assert_trapped(&world.remember(deed).await);
    }
    assert_trapped(&world.facts("write through a snapshot").await);
    world.goes_on().await;
}

#[tokio::test]
async fn a_call_commits_at_most_once_and_what_it_committed_stays() {
    let world = World::new().await;
    let artifacts = dataset(&world.real, &world.attacker).await.0.artifacts;
    assert_told(&world.remember("commit twice").await, "at most once");
    assert_trapped(&world.remember("commit and trap").await);
    assert_eq!(dataset(&world.real, &world.attacker).await.0.artifacts, artifacts + 2);
    world.goes_on().await;
}

#[tokio::test]
async fn a_plan_that_breaks_the_rules_changes_nothing() {
    let world = World::new().await;
    let kept = dataset(&world.real, &world.attacker).await;
    assert_told(&world.remember("commit without a snapshot").await, "none was taken");
    assert_told(&world.remember("commit onto another version").await, "Conflict");
    assert_told(&world.remember("commit too much").await, "at most 5000 changes");
    let foreign = world.remember("commit foreign numbers").await;
    let Err(CallError::Failure(failure)) = foreign else { panic!("{foreign:?}") };
    assert!(!failure.message.contains("Ok("), "{failure}");
    let now = dataset(&world.real, &world.attacker).await;
    assert_eq!((now.0.head.version, now.1), (kept.0.head.version, kept.1));
    world.goes_on().await;
}

#[tokio::test]
async fn a_call_that_computes_for_ever_is_stopped_in_its_cpu_time() {
    let world = World::new().await;
    let start = Instant::now();
    assert_eq!(world.remember("loop").await, Err(CallError::TimedOut));
    assert_eq!(world.facts("loop").await, Err(CallError::TimedOut));
    assert_eq!(world.facts("ask storage without end").await, Err(CallError::TimedOut));
    assert!(start.elapsed() < limits().call, "stopped by the wall clock instead");
    world.goes_on().await;
}

#[tokio::test]
async fn a_call_that_waits_too_long_is_stopped_by_the_wall_clock() {
    let store = store();
    let patience = Duration::from_millis(200);
    let limits = Limits { call: patience, cpu_ticks: 10_000, lease: Duration::from_secs(60), ..limits() };
    let hostile = memory(HOSTILE, Arc::clone(&store), limits);
    let ana = scope("ana");
    hostile.remember(&ana, text("a start")).await.unwrap();
    let mut queued = text("queued");
    queued.wing = Some("queue".to_owned());
    let (kept, queued) = tokio::join!(hostile.remember(&ana, text("keep the turn")), hostile.remember(&ana, queued));
    assert_eq!((kept, queued), (Err(CallError::TimedOut), Err(CallError::TimedOut)));
    assert_eq!(hostile.get_dataset(&ana).await.unwrap().head.seq, 3, "both runs have ended");
    hostile.remember(&ana, text("after that")).await.unwrap();
}

#[tokio::test]
async fn others_are_served_while_a_call_computes_for_ever() {
    let world = World::new().await;
    // One thread: a guest that didn't yield would let nobody in before it is stopped.
    let looping = world.remember("loop");
    let served = async {
        world.real.facts(&world.victim, facts_of("anything")).await.unwrap();
        Instant::now()
    };
    let stopped = async {
        assert_eq!(looping.await, Err(CallError::TimedOut));
        Instant::now()
    };
    let (stopped, served) = tokio::join!(stopped, served);
    assert!(served < stopped);
}

#[tokio::test]
async fn memory_and_stack_end_at_their_limits() {
    let world = World::new().await;
    for deed in ["allocate", "recurse", "descend", "trap", "panic"] {
        assert_trapped(&world.remember(deed).await);
        assert_trapped(&world.facts(deed).await);
    }
    world.goes_on().await;
}

#[tokio::test]
async fn lists_and_answers_are_only_taken_up_to_a_size() {
    let world = World::new().await;
    assert_told(&world.facts("hand over too long a list").await, "at most 10000 items");
    assert_trapped(&world.facts("hand over too much").await);
    assert_trapped(&world.facts("hand over one text many times").await);
    assert_trapped(&world.remember("answer with a forged length").await);
    for multiplied_or_long in [2, 3] {
        assert_trapped(&world.hostile.get_entity(&world.attacker, EntityId(multiplied_or_long)).await);
    }
    assert_told(&world.remember("hoard snapshots").await, "at most 8 snapshots");
    let long = world.remember("fail at length").await;
    let Err(CallError::Failure(failure)) = long else { panic!("{long:?}") };
    assert!(failure.message.len() < 10_000);
    world.goes_on().await;
    assert!(peak_of_memory().is_none_or(|peak| peak < 2_048 * MIB), "the host grew to {:?}", peak_of_memory());
}

#[tokio::test]
async fn texts_come_as_many_at_once_as_one_answer_holds() {
    let world = World::new().await;
    world.real.remember(&world.attacker, text(&"long enough ".repeat(3_000))).await.unwrap();
    assert_told(&world.facts("read every text at once").await, "storage gave 2 texts");
    world.real.remember(&world.attacker, text(&"long enough ".repeat(3_000))).await.unwrap();
    assert_told(&world.facts("read every text at once").await, "72007 bytes of text, at most 65536 go at once");
    world.goes_on().await;
}

/// Most memory that this process ever had, in bytes, where the system tells.
fn peak_of_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok()? << 10)
}

#[tokio::test]
async fn an_export_that_breaks_writes_nothing_elsewhere_and_harms_nobody() {
    let world = World::new().await;
    let directory = tempfile::TempDir::new().unwrap();
    for (number, deed) in ["trap", "allocate", "recurse", "loop", "write outside", "write a hook"].iter().enumerate() {
        world.real.remember(&world.attacker, Request { extractor: Some(Extractor::Off), ..text(deed) }).await.unwrap();
        let repository = directory.path().join(number.to_string());
        let request = GitRequest::default();
        let error = world.hostile.export_git(&world.attacker, &repository, request, |_| ()).await.unwrap_err();
        match (deed, &error) {
            (&"loop", ExportError::Call(CallError::TimedOut))
            | (&("write outside" | "write a hook"), ExportError::Repository(RepositoryError::Damaged { .. }))
            | (_, ExportError::Call(CallError::Trapped { .. })) => {}
            other => panic!("{other:?}"),
        }
        let victim = directory.path().join(format!("victim-{number}"));
        world.real.export_git(&world.victim, &victim, request, |_| ()).await.unwrap();
        let written = std::fs::read_dir(&repository).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(written.collect::<Vec<_>>(), ["gligabao"], "{deed}");
    }
    assert!(!directory.path().join("outside").exists());
    world.goes_on().await;
}

#[tokio::test]
async fn a_turn_that_is_kept_is_lost() {
    let world = World::new().await;
    let kept = world.remember("keep the turn");
    let racing = world.hostile.remember(&world.attacker, text("racing"));
    let mut queued = text("queued");
    queued.wing = Some("queue".to_owned());
    let queued = world.hostile.remember(&world.attacker, queued);
    let (kept, queued, racing) = tokio::join!(kept, queued, racing);
    assert_eq!(kept, Err(CallError::TimedOut));
    assert!(queued.is_ok(), "{queued:?}");
    drop(racing);
    world.goes_on().await;
}

#[tokio::test]
async fn a_call_that_breaks_is_a_failed_run_and_no_change() {
    let world = World::new().await;
    let head = dataset(&world.real, &world.attacker).await.0.head;
    assert_trapped(&world.remember("use a snapshot after its end").await);
    let after = dataset(&world.real, &world.attacker).await.0.head;
    assert_eq!((after.seq, after.version), (head.seq + 1, head.version));

    // It broke before it touched the dataset: no run.
    assert_trapped(&world.remember("trap").await);
    assert_eq!(dataset(&world.real, &world.attacker).await.0.head, after);

    let question = |question: &str| QueryRequest::new(question);
    let asking = |log| Asking { log, ..Asking::default() };
    assert_trapped(&world.hostile.query(&world.attacker, question("trap"), asking(true)).await);
    assert_eq!(dataset(&world.real, &world.attacker).await.0.head.seq, after.seq + 1);
    assert_trapped(&world.hostile.query(&world.attacker, question("trap"), asking(false)).await);
    let answered = world.hostile.query(&world.attacker, question("touch nothing"), asking(true)).await.unwrap();
    assert!(answered.run_id.is_some());
    assert_eq!(dataset(&world.real, &world.attacker).await.0.head.seq, after.seq + 2);
    world.goes_on().await;
}

#[tokio::test]
async fn an_incident_is_logged_with_its_backtrace_and_without_the_text() {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let world = World::new().await;
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let result = world.remember("panic").await;
    drop(guard);

    let Err(CallError::Trapped { incident }) = result else { panic!("{result:?}") };
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains(&incident), "{log}");
    assert!(log.contains("exhausts"), "no backtrace: {log}");
    assert!(!log.contains("must not reach the log"), "{log}");
}
