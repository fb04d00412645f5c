//! What a call costs besides the work itself: `make bench`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gligabao::memory::{Limits, Memory, Scope};
use gligabao::store::memory::MemoryStore;
use gligabao::store::{DatasetName, UserId};
use gligabao_artifact::MEMORY;
use gligabao_core::remember::{Extractor, Request};

const CALLS: u32 = 2_000;

fn main() {
    println!("component                    {:>9} KiB", MEMORY.len() >> 10);
    let cache = tempfile::tempdir().expect("a temporary directory can be made");
    let build = |cache| {
        let builder = Memory::builder().store(Arc::new(MemoryStore::default())).cache_dir(cache);
        builder.limits(Limits::default()).build().expect("the component of the build fits the host")
    };
    let cached = || Some(cache.path().join("components"));
    report("compile and start", 1, time(|| drop(black_box(build(None)))));
    drop(build(cached()));
    report("start from the cache", 1, time(|| drop(black_box(build(cached())))));

    let memory = build(cached());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime can be made");
    let ana = Scope { user: UserId::new("ana").expect("a valid name"), dataset: DatasetName::default() };
    runtime.block_on(async {
        memory.remember(&ana, request(0)).await.expect("a text is stored");
        let one = time_all(CALLS, async |_| drop(memory.list_entities(&ana, None, 1, None).await.expect("an answer")));
        report("trivial read, one by one", CALLS, one.await);
        let texts = time_all(CALLS, async |call| {
            memory.remember(&ana, request(call + 1)).await.expect("a text is stored");
        });
        report("remember as it is", CALLS, texts.await);

        let start = Instant::now();
        let side_by_side = (0..8).map(|_| {
            let (memory, ana) = (memory.clone(), ana.clone());
            tokio::spawn(async move {
                for _ in 0..CALLS {
                    memory.list_entities(&ana, None, 1, None).await.expect("an answer");
                }
            })
        });
        for task in side_by_side.collect::<Vec<_>>() {
            task.await.expect("no call panics");
        }
        report("trivial read, 8 side by side", 8 * CALLS, start.elapsed());
    });
}

fn request(number: u32) -> Request {
    Request { extractor: Some(Extractor::Off), ..Request::new(format!("Text number {number}.")) }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

async fn time_all(calls: u32, work: impl AsyncFn(u32)) -> Duration {
    let start = Instant::now();
    for call in 0..calls {
        work(call).await;
    }
    start.elapsed()
}

fn report(what: &str, count: u32, time: Duration) {
    println!("{what:<28} {:>9.1} µs", time.as_secs_f64() * 1e6 / f64::from(count));
}
