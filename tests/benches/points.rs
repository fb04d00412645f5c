//! What the points of a series cost in a file, without the component: `make bench`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gligabao::store::sqlite::{Durability, Sqlite, SqliteOptions};
use gligabao::store::{DatasetId, DatasetName, RunKind, Store, SystemClock, UserId};
use gligabao_core::model::{Moment, Series, SeriesId, SeriesSource};
use gligabao_core::series::Point;
use gligabao_core::storage::{Change, Plan, PointFilter, PutPoints, PutSeries};
use gligabao_core::time::Micros;

const POINTS: i64 = 100_000;
const MINUTE: i64 = 60_000_000;
const ALL: PointFilter = PointFilter { from: None, to: None, known_at: None };

fn main() {
    // `cargo test` only wants to know that it runs.
    let (puts, calls) = if std::env::args().any(|arg| arg == "--bench") { (10, 50) } else { (2, 1) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime can be made");
    runtime.block_on(measure(puts, calls));
}

async fn measure(puts: i64, calls: i64) {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory can be made");
    let path = directory.path().join("memory.db");
    println!("\n## Points of a series\n");
    println!("Milliseconds, median; every minute a price in cents, {} points in all.\n", puts * POINTS);
    println!("| work | ms |\n|---|---:|");
    let bench = Bench::open(&path).await;
    let series = Series {
        id: SeriesId(1),
        provider: None,
        key: "price".to_owned(),
        field: "value".to_owned(),
        name: None,
        unit: None,
        frequency: None,
        source: SeriesSource::Supplied,
        definition: None,
        created_at: Moment::Now,
    };
    bench.commit(vec![Change::PutSeries(PutSeries { series, state: vec![0; 176] })]).await;
    let mut times = Vec::new();
    for n in 0..puts {
        times.push(timed(bench.put((n * POINTS..(n + 1) * POINTS).map(price).collect())).await);
    }
    row("put 100,000 after all others", times);
    row("read 100,000", each(calls, async |_| bench.read(ALL, 100_000).await).await);
    let within = |n: i64| PointFilter { from: Some(Micros(n * 7_919 % POINTS * MINUTE)), ..ALL };
    row("read 1,000", each(calls, async |n| bench.read(within(n), 1_000).await).await);
    let end = puts * POINTS;
    row("put one after all others", each(calls * 10, async |n| bench.put(vec![price(end + n)]).await).await);
    let other = |n: i64| Point::new(price(n).at, -1.0);
    row("put one over another", each(calls, async |n| bench.put(vec![other(n * 7_919 % POINTS)]).await).await);
    let known = PointFilter { known_at: Some(Micros(i64::MAX)), ..ALL };
    row("read 100,000 as known", each(calls, async |_| bench.read(known, 100_000).await).await);
    drop(bench);
    let bytes = std::fs::metadata(&path).expect("the file is there").len();
    println!("\nThe file has {:.2} bytes a point.", bytes as f64 / end as f64);
}

/// A price that goes up and down by cents.
fn price(n: i64) -> Point {
    let noise = (n.wrapping_mul(6_364_136_223_846_793_005) >> 60) as f64;
    Point::new(Micros(n * MINUTE), ((n as f64 / 500.0).sin() * 2_000.0 + 10_000.0 + noise).round() / 100.0)
}

struct Bench {
    store: Sqlite,
    dataset: DatasetId,
}

impl Bench {
    async fn open(path: &std::path::Path) -> Self {
        let options =
            SqliteOptions { clock: Arc::new(SystemClock), durability: Durability::Process, ..SqliteOptions::default() };
        let store = Sqlite::open(path, options).expect("a new file can be made");
        let user = UserId::new("bench").expect("it is a name");
        let dataset = store.create_dataset(&user, &DatasetName::default()).await.expect("a dataset can be made");
        Self { store, dataset }
    }

    async fn put(&self, points: Vec<Point>) {
        self.commit(vec![Change::PutPoints(PutPoints { series: SeriesId(1), points })]).await;
    }

    async fn commit(&self, changes: Vec<Change>) {
        let head = self.store.summarize_dataset(self.dataset).await.expect("the dataset is there").head;
        let plan = Plan { version: head.version, changes, stages: Vec::new() };
        let run = self.store.begin_run(self.dataset, RunKind::Edit.into()).await.expect("a run can begin");
        self.store.commit(self.dataset, run, plan, Vec::new()).await.expect("the plan keeps the rules");
    }

    async fn read(&self, filter: PointFilter, limit: u32) {
        let snapshot = self.store.snapshot(self.dataset).await.expect("the dataset is there");
        let page = snapshot.list_points(SeriesId(1), filter, limit).await.expect("the points are sound");
        assert_eq!(page.points.len(), limit as usize);
    }
}

async fn timed(work: impl Future<Output = ()>) -> Duration {
    let start = Instant::now();
    work.await;
    start.elapsed()
}

async fn each(calls: i64, work: impl AsyncFn(i64)) -> Vec<Duration> {
    let mut times = Vec::new();
    for call in 0..calls {
        times.push(timed(work(call)).await);
    }
    times
}

fn row(work: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    println!("| {work} | {:.2} |", times[times.len() / 2].as_secs_f64() * 1e3);
}
