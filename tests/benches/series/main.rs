//! What time series cost, beside what others need for the same: `make bench`; `make bench-peers` installs the others.

mod peers;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gligabao::http::router::router;
use gligabao::http::server::Server;
use gligabao::memory::{Memory, Scope};
use gligabao::store::sqlite::{Sqlite, SqliteOptions};
use gligabao::store::{DatasetName, SharedStore, UserId};
use gligabao_artifact::HOSTILE;
use gligabao_core::knowledge::DatasetRequest;
use gligabao_core::model::SeriesId;
use gligabao_core::recall::FactsRequest;
use gligabao_core::remember::SeriesPut;
use gligabao_core::series::Point;
use gligabao_core::series::bucket::{Aggregate, Bucket};
use gligabao_core::series::reading::ReadRequest;
use gligabao_core::series::request::SeriesRequest;
use gligabao_core::time::Micros;
use gligabao_tests::times::Times;

use self::peers::Peers;

/// Points of a large request.
const MANY: usize = 100_000;
/// Points of a long series.
const LONG: usize = 1_000_000;
const ROUNDS: u64 = 21;
const CALLS: u64 = 200;
const MINUTE: i64 = 60_000_000;
/// 2020-01-01.
const START: i64 = 1_577_836_800_000_000;

fn main() {
    // `cargo test` only wants to know that it runs.
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let (many, long, rounds, calls) = if is_bench { (MANY, LONG, ROUNDS, CALLS) } else { (500, 1_000, 1, 1) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime can be made");
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory can be made");
    runtime.block_on(async {
        println!("\n## What time series cost\n");
        println!(
            "A price every minute, in cents. Milliseconds, median and 99th percentile; a commit survives the machine.\n"
        );
        let peers = if is_bench { Peers::run(directory.path()) } else { None };
        println!("| | this | others |\n|---|---:|---:|");
        let bench = Bench::new(directory.path(), many).await;
        bench.large_requests(rounds, peers.as_ref()).await;
        bench.long_series(long, calls).await;
        stats(many, rounds, peers.as_ref()).await;
        if peers.is_none() {
            println!("\nOthers are not installed: `make bench-peers`.");
        }
    });
}

struct Bench {
    memory: Memory,
    scope: Scope,
    points: Vec<Point>,
    database: PathBuf,
    url: String,
    client: reqwest::Client,
}

impl Bench {
    async fn new(directory: &Path, many: usize) -> Self {
        let database = directory.join("bench.db");
        let store = Sqlite::open(&database, SqliteOptions::default()).expect("a new database opens");
        let store: SharedStore = Arc::new(store);
        let memory = Memory::builder().store(store).cache_dir(Some(directory.join("cache"))).build();
        let memory = memory.expect("the component fits the host");
        let scope = Scope { user: UserId::new("bench").expect("a valid name"), dataset: DatasetName::default() };
        let server = Server::bind(([127, 0, 0, 1], 0).into(), false).await.expect("a port is free");
        let url = format!("http://{}/v1/gb/timeseries", server.address());
        tokio::spawn(server.serve(router(memory.clone()), std::future::pending()));
        memory.put_dataset(&scope, DatasetRequest { description: None, tags: None }).await.expect("a dataset");
        Self { memory, scope, points: points(many), database, url, client: reqwest::Client::new() }
    }

    async fn put(&self, key: &str, points: Vec<Point>) -> SeriesId {
        let request = SeriesRequest { key: key.to_owned(), points: Some(points), ..SeriesRequest::default() };
        let put = self.memory.put_series(&self.scope, SeriesPut::new(vec![request])).await;
        put.expect("the series is stored").answer.series[0].id
    }

    async fn large_requests(&self, rounds: u64, peers: Option<&Peers>) {
        let before = self.size();
        let put = Times::of(rounds, async |round| {
            self.put(&format!("inside {round}"), self.points.clone()).await;
        });
        let put = put.await;
        let bytes = (self.size() - before) as f64 / (rounds * self.points.len() as u64) as f64;
        let executemany = peers.map(|peers| {
            format!("{:.0} (executemany), {:.1} B a point", peers.executemany_ms, peers.executemany_bytes_a_point)
        });
        row(&format!("put {} points, inside", self.points.len()), &format!("{put}, {bytes:.2} B a point"), executemany);

        let bodies: Vec<String> = (0..rounds).map(|round| body(&format!("http {round}"), &self.points)).collect();
        let sent = Times::of(rounds, async |round| {
            let body = bodies[round as usize].clone();
            let sent = self.client.post(&self.url).header("content-type", "application/json").body(body).send();
            let answer = sent.await.expect("the server answers");
            assert!(answer.status().is_success(), "{}", answer.text().await.unwrap_or_default());
        });
        let kib = bodies[0].len() >> 10;
        row(&format!("the same over HTTP, {kib} KiB of JSON"), &sent.await.to_string(), None);

        let id = self.put("inside 0", Vec::from([self.points[0]])).await;
        let read = Times::of(rounds, async |_| {
            let read = self.read(id, ReadRequest { limit: Some(100_000), ..ReadRequest::default() }).await;
            assert_eq!(read, self.points.len());
        });
        row("read them back, inside", &read.await.to_string(), None);
        let url = format!("{}/{id}?user_id=bench&limit=100000", self.url);
        let read = Times::of(rounds, async |_| {
            let answer = self.client.get(&url).send().await.expect("the server answers");
            assert!(answer.status().is_success(), "{}", answer.text().await.unwrap_or_default());
            answer.bytes().await.expect("the answer arrives");
        });
        row("read them back, HTTP", &read.await.to_string(), None);
    }

    async fn long_series(&self, long: usize, calls: u64) {
        let all = points(long);
        let mut id = SeriesId(0);
        for part in all.chunks(MANY) {
            id = self.put("long", part.to_vec()).await;
        }
        let last = all[long - 1].at.0;
        let at = |minute: i64, value: f64| vec![Point::new(Micros(minute), value)];
        let append = Times::of(calls, async |call| {
            self.put("long", at(last + MINUTE * (call as i64 + 1), 1.5)).await;
        });
        row(&format!("append a point to {long}, inside"), &append.await.to_string(), None);
        let append = Times::of(calls, async |call| {
            let body = body("long", &at(last + MINUTE * (calls + call + 1) as i64, 2.5));
            let sent = self.client.post(&self.url).header("content-type", "application/json").body(body).send();
            assert!(sent.await.expect("the server answers").status().is_success());
        });
        row("the same over HTTP", &append.await.to_string(), None);
        let overwrite = Times::of(calls.min(21), async |call| {
            self.put("long", at(all[long / 2 + call as usize].at.0, -1.0)).await;
        });
        row("overwrite a point in its middle, inside", &overwrite.await.to_string(), None);

        let range = |call: u64| {
            let first = (call as usize * 104_729) % (long - 1_000.min(long / 2));
            (all[first].at, all[first + 1_000.min(long / 2) - 1].at)
        };
        let read = Times::of(calls, async |call| {
            let (from, to) = range(call);
            self.read(id, ReadRequest { from: Some(from), to: Some(to), ..ReadRequest::default() }).await;
        });
        row("read 1000 points of it, inside", &read.await.to_string(), None);
        let read = Times::of(calls, async |call| {
            let (from, to) = range(call);
            let url = format!("{}/{id}?user_id=bench&from={from}&to={to}", self.url);
            let answer = self.client.get(&url).send().await.expect("the server answers");
            assert!(answer.status().is_success(), "{}", answer.text().await.unwrap_or_default());
            answer.bytes().await.expect("the answer arrives");
        });
        row("the same over HTTP", &read.await.to_string(), None);
        let days = Times::of(calls.min(21), async |_| {
            let request =
                ReadRequest { bucket: Some(Bucket::Day), aggregate: Some(Aggregate::Mean), ..ReadRequest::default() };
            self.read(id, request).await;
        });
        row("its means by day, inside", &days.await.to_string(), None);
    }

    /// Reads a series; how many points or buckets came.
    async fn read(&self, id: SeriesId, request: ReadRequest) -> usize {
        use gligabao_core::series::reading::Rows;
        match self.memory.get_series(&self.scope, id, request).await.expect("it is read").rows {
            Rows::Points(points) => points.len(),
            Rows::Buckets(buckets) => buckets.len(),
        }
    }

    /// Bytes of the database, once its log was moved into it.
    fn size(&self) -> u64 {
        let connection = rusqlite::Connection::open(&self.database).expect("the database opens");
        connection.pragma_query(None, "wal_checkpoint", |_| Ok(())).expect("nobody reads");
        std::fs::metadata(&self.database).expect("there is a database").len()
    }
}

/// Stats in the component: what a thousand passes take, less what none does.
async fn stats(many: usize, rounds: u64, peers: Option<&Peers>) {
    let store = Arc::new(gligabao::store::memory::MemoryStore::default());
    let memory = Memory::builder().store(store).component(HOSTILE.to_vec()).build().expect("it fits the host");
    let scope = Scope { user: UserId::new("bench").expect("a valid name"), dataset: DatasetName::default() };
    memory.put_dataset(&scope, DatasetRequest { description: None, tags: None }).await.expect("a dataset");
    let pass = async |passes: u64| {
        let entity = Some(format!("sum up {many} points {passes} times"));
        let start = Instant::now();
        memory.facts(&scope, FactsRequest { entity, ..FactsRequest::new() }).await.expect("it sums up");
        start.elapsed()
    };
    let mut times = Vec::new();
    for _ in 0..rounds {
        let (none, some): (Duration, Duration) = (pass(0).await, pass(100).await);
        times.push(some.saturating_sub(none) / 100);
    }
    let polars = peers.map(|peers| format!("{:.2} (polars {})", peers.polars_stats_ms, peers.polars));
    row(&format!("stats of {many} points, in the component"), &Times::new(times).to_string(), polars);
}

fn row(what: &str, ours: &str, others: Option<String>) {
    println!("| {what} | {ours} | {} |", others.unwrap_or_default());
}

/// A price every minute, in cents: those that the peers get.
fn points(count: usize) -> Vec<Point> {
    let (mut state, mut value) = (42_u64, 10_000_i64);
    let next = |number: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        value += (state >> 33) as i64 % 21 - 10;
        Point::new(Micros(START + number as i64 * MINUTE), value as f64 / 100.0)
    };
    (0..count).map(next).collect()
}

fn body(key: &str, points: &[Point]) -> String {
    let pairs: Vec<String> = points.iter().map(|point| format!("[\"{}\",{}]", point.at, point.value)).collect();
    let points = pairs.join(",");
    format!(r#"{{"user_id":"bench","dataset":"main","series":[{{"key":"{key}","points":[{points}]}}]}}"#)
}
