//! What a remember and a read cost as a dataset grows, over HTTP and inside: `make bench`.
//!
//! Each dataset is filled through the store, in plans of ten thousand edges; then texts of two facts are told by
//! patterns and by a model that answers at once, one after the other. The store is SQLite on a disk: a commit that survives a crash of the machine waits for
//! it, which the row of `fdatasync` shows alone.

mod model;

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use gligabao::http::router::router;
use gligabao::http::server::Server;
use gligabao::memory::{Memory, Scope};
use gligabao::store::sqlite::{Durability, Sqlite, SqliteOptions};
use gligabao::store::{DatasetName, RunKind, SharedStore, Store, UserId};
use gligabao_core::model::{Bounds, Direction, Edge, EdgeId, Entity, EntityId, Moment, Predicate, StartSource, Target};
use gligabao_core::recall::{FactsRequest, Known, When};
use gligabao_core::remember::{Extractor, Request};
use gligabao_core::storage::{AddEdge, AddEntity, Change, Plan};
use gligabao_core::time::{Date, Instant as ValidTime};
use gligabao_tests::times::Times;

use self::model::AtOnce;

const SIZES: [u64; 3] = [100, 10_000, 1_000_000];
const CALLS: u64 = 300;
const EDGES_A_PLAN: u64 = 10_000;
/// Facts of one subject.
const FACTS: u64 = 10;
/// Facts of a subject with a long history.
const LONG: u64 = 10_000;

fn main() {
    // `cargo test` only wants to know that it runs.
    let sizes = if std::env::args().any(|arg| arg == "--bench") { &SIZES[..] } else { &SIZES[..1] };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime can be made");
    runtime.block_on(async {
        println!("\n## What grows with a dataset\n");
        println!("Milliseconds, median and 99th percentile of {CALLS} calls; a text has two facts.\n");
        println!("| facts | a commit survives | remember by patterns, HTTP | inside | by a model, HTTP | facts as of, HTTP | facts as of, inside |");
        println!("|---:|---|---:|---:|---:|---:|---:|");
        for &facts in sizes {
            for durability in [Durability::Machine, Durability::Process] {
                Bench::new(facts / FACTS, FACTS, durability).await.report().await;
            }
        }
        Bench::new(1, LONG, Durability::Machine).await.report().await;
        println!("\nA flush alone, {} KiB appended to a file on the same disk: {} ms.", FLUSHED >> 10, flush().await);
    });
}

/// Bytes that a flush is measured with; about what a text of two facts writes.
const FLUSHED: usize = 48 << 10;

async fn flush() -> Times {
    let mut file = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary file can be made");
    let mut appended = Vec::new();
    for _ in 0..CALLS {
        file.write_all(&[7; FLUSHED]).expect("the disk has room");
        let start = Instant::now();
        file.sync_data().expect("the disk is sound");
        appended.push(start.elapsed());
    }
    Times::new(appended)
}

struct Bench {
    memory: Memory,
    scope: Scope,
    subjects: u64,
    facts: u64,
    durability: Durability,
    /// A time at which every subject has an employer.
    then: ValidTime,
    /// The version before any text was told.
    filled: u64,
    url: String,
    client: reqwest::Client,
    _directory: tempfile::TempDir,
}

impl Bench {
    /// A dataset of subjects that changed their employer so many times.
    async fn new(subjects: u64, facts: u64, durability: Durability) -> Self {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory can be made");
        let path = directory.path().join("bench.db");
        let store: SharedStore = Arc::new(
            Sqlite::open(path, SqliteOptions { durability, ..SqliteOptions::default() }).expect("a new database opens"),
        );
        let scope = Scope { user: UserId::new("bench").expect("a valid name"), dataset: DatasetName::default() };
        let filled = fill(&*store, &scope, subjects, facts).await;
        let cache = Some(directory.path().join("cache"));
        let memory = Memory::builder()
            .store(store)
            .cache_dir(cache)
            .llm(Arc::new(AtOnce))
            .build()
            .expect("the component fits the host");
        let server = Server::bind(([127, 0, 0, 1], 0).into(), false).await.expect("a port is free");
        let url = format!("http://{}/v1/gb", server.address());
        tokio::spawn(server.serve(router(memory.clone()), std::future::pending()));
        let then = started(facts / 2).at;
        Self {
            memory,
            scope,
            subjects,
            facts,
            durability,
            then,
            filled,
            url,
            client: reqwest::Client::new(),
            _directory: directory,
        }
    }

    async fn report(&self) {
        let survives = match self.durability {
            Durability::Machine => "the machine",
            Durability::Process => "the process",
        };
        let facts = self.subjects * self.facts;
        let of_one = if self.subjects == 1 { " of one subject" } else { "" };
        let (told, told_inside) = (self.remember_over_http("pattern").await, self.remember_inside().await);
        let asked = self.remember_over_http("llm").await;
        let (read, read_inside) = (self.facts_over_http().await, self.facts_inside().await);
        println!("| {facts}{of_one} | {survives} | {told} | {told_inside} | {asked} | {read} | {read_inside} |");
    }

    /// A text of two facts about a stored subject and a new employer.
    fn text(&self, call: u64) -> String {
        let subject = call * 7_919 % self.subjects;
        format!("Subject {subject} joined Company {call} in June 2024 and lives in Town {call}.")
    }

    async fn remember_over_http(&self, extractor: &str) -> Times {
        let url = format!("{}/remember", self.url);
        let first = if extractor == "llm" { 2 * CALLS } else { 0 };
        Times::of(CALLS, async |call| {
            let text = self.text(first + call);
            let body = serde_json::json!({ "user_id": "bench", "text": text, "extractor": extractor });
            let answer = self.client.post(&url).json(&body).send().await.expect("the server answers");
            assert!(answer.status().is_success(), "{}", answer.text().await.unwrap_or_default());
            answer.bytes().await.expect("the answer arrives");
        })
        .await
    }

    async fn remember_inside(&self) -> Times {
        Times::of(CALLS, async |call| {
            let extractor = Some(Extractor::Pattern);
            let request = Request { extractor, ..Request::new(self.text(call + CALLS)) };
            let told = self.memory.remember(&self.scope, request).await.expect("the text is stored");
            assert_eq!(told.answer.edges.len(), 2, "two facts a text");
        })
        .await
    }

    async fn facts_over_http(&self) -> Times {
        Times::of(CALLS, async |call| {
            let subject = call * 104_729 % self.subjects;
            let url = format!(
                "{}/facts?user_id=bench&entity=Subject%20{subject}&at={}&known_at={}",
                self.url, self.then, self.filled
            );
            let answer = self.client.get(&url).send().await.expect("the server answers");
            assert!(answer.status().is_success(), "{}", answer.text().await.unwrap_or_default());
            answer.bytes().await.expect("the answer arrives");
        })
        .await
    }

    async fn facts_inside(&self) -> Times {
        Times::of(CALLS, async |call| {
            let request = FactsRequest {
                entity: Some(format!("Subject {}", call * 104_729 % self.subjects)),
                direction: Direction::Outgoing,
                at: When::At(self.then),
                known_at: Known::Version(self.filled),
                ..FactsRequest::new()
            };
            self.memory.facts(&self.scope, request).await.expect("facts are read");
        })
        .await
    }
}

/// When the employer of this number began, every hundredth of a year.
fn started(number: u64) -> Date {
    const STEP: i64 = 315_576;
    let first = Date::year(1900).expect("a year").at.0;
    Date::second(ValidTime(first + STEP * i64::try_from(number).expect("a small number")))
}

/// Fills a dataset with facts of subjects that changed their employer time and again; its version then.
async fn fill(store: &dyn Store, scope: &Scope, subjects: u64, facts: u64) -> u64 {
    let dataset = store.create_dataset(&scope.user, &scope.dataset).await.expect("a dataset is made");
    let (mut version, mut edge, mut employer) = (0, 1, 1);
    for first in (0..subjects).step_by((EDGES_A_PLAN / facts) as usize) {
        let mut changes = vec![Change::PutPredicate(Predicate {
            name: "works_at".to_owned(),
            functional: true,
            description: String::new(),
        })];
        for subject in first..subjects.min(first + EDGES_A_PLAN / facts) {
            changes.extend(career(subject, facts, &mut edge, &mut employer));
        }
        let run = store.begin_run(dataset, RunKind::Edit.into()).await.expect("a run opens");
        let plan = Plan { version, changes, stages: Vec::new() };
        version = store.commit(dataset, run, plan, Vec::new()).await.expect("the plan is sound").seq;
    }
    version
}

/// One subject and its employers.
fn career(subject: u64, facts: u64, next_edge: &mut u64, next_entity: &mut u64) -> Vec<Change> {
    let source = EntityId(*next_entity);
    let mut changes = vec![entity(source, &format!("Subject {subject}"))];
    for number in 0..facts {
        let employer = EntityId(source.0 + number + 1);
        changes.push(entity(employer, &format!("Employer {subject} {number}")));
        let closed = (number + 1 < facts).then(|| started(number + 1));
        let stated = Bounds::stated(started(number), StartSource::Stated, None);
        let bounds = Bounds { invalid_at: closed, expired_at: closed.map(|_| Moment::Now), ..stated };
        let edge = Edge {
            id: EdgeId(*next_edge),
            source,
            relation: "works_at".to_owned(),
            target: Target::Entity(employer),
            description: format!("Subject {subject} works at Employer {subject} {number}."),
            bounds,
            created_at: Moment::Now,
            artifact: None,
            model: None,
            confidence: 0.5,
            wing: None,
            raw_text: None,
        };
        *next_edge += 1;
        changes.push(Change::AddEdge(AddEdge { edge, normalized_target: None }));
    }
    *next_entity += facts + 1;
    changes
}

fn entity(id: EntityId, name: &str) -> Change {
    let entity = Entity {
        id,
        name: name.to_owned(),
        r#type: "unknown".to_owned(),
        description: String::new(),
        model: None,
        created_at: Moment::Now,
    };
    Change::AddEntity(AddEntity { entity, normalized_name: name.to_lowercase() })
}
