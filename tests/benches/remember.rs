//! What a remember and a read cost as a dataset grows, over HTTP and inside: `make bench`.
//!
//! Each dataset is filled through the store, in plans of ten thousand edges; then texts of two facts are told by
//! patterns, one after the other. The store is SQLite on a disk, so a commit waits for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gligabao::http::router::router;
use gligabao::http::server::Server;
use gligabao::memory::{Memory, Scope};
use gligabao::store::sqlite::{Sqlite, SqliteOptions};
use gligabao::store::{DatasetName, RunKind, SharedStore, Store, UserId};
use gligabao_core::model::{Bounds, Direction, Edge, EdgeId, Entity, EntityId, Moment, Predicate, StartSource, Target};
use gligabao_core::recall::{FactsRequest, Known, When};
use gligabao_core::remember::Request;
use gligabao_core::storage::{AddEdge, AddEntity, Change, Plan};
use gligabao_core::time::Date;

const SIZES: [u64; 3] = [100, 10_000, 200_000];
const CALLS: u64 = 300;
const EDGES_A_PLAN: u64 = 10_000;
/// Facts of one subject.
const FACTS: u64 = 10;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime can be made");
    runtime.block_on(async {
        println!(
            "{:>9}  {:>22}  {:>22}  {:>22}  {:>22}",
            "facts", "remember, HTTP", "remember, inside", "facts as of, HTTP", "facts as of, inside"
        );
        for facts in SIZES {
            let bench = Bench::new(facts).await;
            let remember_http = bench.remember_over_http().await;
            let remember = bench.remember_inside().await;
            let facts_http = bench.facts_over_http().await;
            let facts_inside = bench.facts_inside().await;
            println!("{facts:>9}  {remember_http:>22}  {remember:>22}  {facts_http:>22}  {facts_inside:>22}");
        }
    });
}

struct Bench {
    memory: Memory,
    scope: Scope,
    subjects: u64,
    url: String,
    client: reqwest::Client,
    _directory: tempfile::TempDir,
}

impl Bench {
    async fn new(facts: u64) -> Self {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory can be made");
        let path = directory.path().join("bench.db");
        let store: SharedStore = Arc::new(Sqlite::open(path, SqliteOptions::default()).expect("a new database opens"));
        let scope = Scope { user: UserId::new("bench").expect("a valid name"), dataset: DatasetName::default() };
        let subjects = fill(&*store, &scope, facts).await;
        let cache = Some(directory.path().join("cache"));
        let memory = Memory::builder().store(store).cache_dir(cache).build().expect("the component fits the host");
        let server = Server::bind(([127, 0, 0, 1], 0).into(), false).await.expect("a port is free");
        let url = format!("http://{}/v1/gb", server.address());
        tokio::spawn(server.serve(router(memory.clone()), std::future::pending()));
        Self { memory, scope, subjects, url, client: reqwest::Client::new(), _directory: directory }
    }

    /// A text of two facts about a stored subject and a new employer.
    fn text(&self, call: u64) -> String {
        let subject = call * 7_919 % self.subjects;
        format!("Subject {subject} joined Company {call} in June 2024 and lives in Town {call}.")
    }

    async fn remember_over_http(&self) -> Times {
        let url = format!("{}/remember", self.url);
        Times::of(CALLS, async |call| {
            let body = serde_json::json!({ "user_id": "bench", "text": self.text(call) });
            let answer = self.client.post(&url).json(&body).send().await.expect("the server answers");
            assert!(answer.status().is_success(), "{}", answer.text().await.unwrap_or_default());
            answer.bytes().await.expect("the answer arrives");
        })
        .await
    }

    async fn remember_inside(&self) -> Times {
        Times::of(CALLS, async |call| {
            let request = Request::new(self.text(call + CALLS));
            let told = self.memory.remember(&self.scope, request).await.expect("the text is stored");
            assert_eq!(told.answer.edges.len(), 2, "two facts a text");
        })
        .await
    }

    async fn facts_over_http(&self) -> Times {
        Times::of(CALLS, async |call| {
            let subject = call * 104_729 % self.subjects;
            let url = format!("{}/facts?user_id=bench&entity=Subject%20{subject}&at=2021-06-01&known_at=1", self.url);
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
                relation: None,
                at: When::At(Date::day(2021, 6, 1).expect("a day").at),
                known_at: Known::Version(1),
                wing: None,
                limit: 100,
                cursor: None,
            };
            self.memory.facts(&self.scope, request).await.expect("facts are read");
        })
        .await
    }
}

/// Fills a dataset with facts of subjects that changed their employer year by year; how many subjects.
async fn fill(store: &dyn Store, scope: &Scope, facts: u64) -> u64 {
    let dataset = store.create_dataset(&scope.user, &scope.dataset).await.expect("a dataset is made");
    let subjects = facts / FACTS;
    let mut version = 0;
    let mut next = 1;
    for first in (0..subjects).step_by((EDGES_A_PLAN / FACTS) as usize) {
        let mut changes = vec![Change::PutPredicate(Predicate {
            name: "works_at".to_owned(),
            functional: true,
            description: String::new(),
        })];
        for subject in first..subjects.min(first + EDGES_A_PLAN / FACTS) {
            changes.extend(career(subject, &mut next));
        }
        let run = store.begin_run(dataset, RunKind::Edit.into()).await.expect("a run opens");
        let plan = Plan { version, changes, stages: Vec::new() };
        version = store.commit(dataset, run, plan, Vec::new()).await.expect("the plan is sound").seq;
    }
    subjects
}

/// One subject and its employers, one a year.
fn career(subject: u64, next: &mut u64) -> Vec<Change> {
    let source = EntityId(subject * (FACTS + 1) + 1);
    let mut changes = vec![entity(source, &format!("Subject {subject}"))];
    for year in 0..FACTS {
        let employer = EntityId(source.0 + year + 1);
        changes.push(entity(employer, &format!("Employer {subject} {year}")));
        let starts = |year: u64| Date::year(2010 + i32::try_from(year).expect("ten years")).expect("a year");
        let closed = (year + 1 < FACTS).then(|| starts(year + 1));
        let stated = Bounds::stated(starts(year), StartSource::Stated, None);
        let bounds = Bounds { invalid_at: closed, expired_at: closed.map(|_| Moment::Now), ..stated };
        let edge = Edge {
            id: EdgeId(*next),
            source,
            relation: "works_at".to_owned(),
            target: Target::Entity(employer),
            description: format!("Subject {subject} works at Employer {subject} {year}."),
            bounds,
            created_at: Moment::Now,
            artifact: None,
            model: None,
            confidence: 0.5,
            wing: None,
            raw_text: None,
        };
        *next += 1;
        changes.push(Change::AddEdge(AddEdge { edge, normalized_target: None }));
    }
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

/// How long each of many calls took.
struct Times(Vec<Duration>);

impl Times {
    async fn of(calls: u64, work: impl AsyncFn(u64)) -> Self {
        let mut times = Vec::new();
        for call in 0..calls {
            let start = Instant::now();
            work(call).await;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        Self(times)
    }

    fn at(&self, share: f64) -> f64 {
        let place = (self.0.len() as f64 * share) as usize;
        self.0[place.min(self.0.len() - 1)].as_secs_f64() * 1e3
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{:.2} ms, p99 {:.2}", self.at(0.5), self.at(0.99)))
    }
}
