//! What a call costs besides the work itself: `make bench`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gligabao::memory::{Limits, Memory, Scope};
use gligabao::store::memory::MemoryStore;
use gligabao::store::{DatasetName, UserId};
use gligabao_artifact::{HOSTILE, MEMORY};
use gligabao_core::recall::FactsRequest;
use gligabao_core::remember::{Extractor, Request};

const CALLS: u32 = 2_000;

fn main() {
    println!("\n## What a call costs besides the work itself\n");
    println!("Means, of a component of {} KiB.\n", MEMORY.len() >> 10);
    println!("| | µs |\n|---|---:|");
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
        cross(&cached()).await;
        let one = time_all(CALLS, async |_| drop(memory.list_entities(&ana, None, 1, None).await.expect("an answer")));
        report("trivial read, one by one", CALLS, one.await);
        let texts = time_all(CALLS, async |call| {
            memory.remember(&ana, request(call + 1)).await.expect("a text is stored");
        });
        report("remember as it is", CALLS, texts.await);

        read_by_patterns(&memory, &ana).await;

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

/// What an instance costs that asks the host once, and what one that asks it a thousand times costs more.
async fn cross(cache: &Option<std::path::PathBuf>) {
    let builder = Memory::builder().store(Arc::new(MemoryStore::default())).cache_dir(cache.clone());
    let guest = builder.component(HOSTILE).build().expect("the component of the tests fits the host");
    let ana = Scope { user: UserId::new("ana").expect("a valid name"), dataset: DatasetName::default() };
    guest.remember(&ana, request(0)).await.expect("a text is stored");
    let asking = |entity: &str| FactsRequest { entity: Some(entity.to_owned()), ..FactsRequest::new() };
    let facts = async |entity| drop(guest.facts(&ana, asking(entity)).await.expect("an answer"));
    let once = time_all(CALLS, async |_| facts("once").await).await;
    report("instance that asks the host once, with its snapshot", CALLS, once);
    let often = time_all(CALLS / 10, async |_| facts("ask storage a thousand times").await).await;
    report("one question to the host", CALLS / 10 * 1_000, often.saturating_sub(once / 10));
}

/// What reading a text costs in an instance that has just been made: getting the built-in sets ready, and a mebibyte.
async fn read_by_patterns(memory: &Memory, ana: &Scope) {
    let told = async |request: Request| {
        let start = Instant::now();
        let told = memory.remember(ana, request).await.expect("a text is stored");
        (start.elapsed(), told.answer.edges.len())
    };
    let word = |extractor| Request { extractor: Some(extractor), ..Request::new("Hello.") };
    let mut ready = Vec::new();
    for _ in 0..200 {
        let (unread, _) = told(word(Extractor::Off)).await;
        let (read, _) = told(word(Extractor::Pattern)).await;
        ready.push(read.as_secs_f64() - unread.as_secs_f64());
    }
    ready.sort_by(f64::total_cmp);
    report("built-in sets ready", 1, Duration::from_secs_f64(ready[ready.len() / 2].max(0.0)));
    let prose = "The river rose again in the night, and the men who kept the mill stood on the bank until the rain had \
                 passed. Nobody said much. Lena works at the mill and likes tea, but her brother, who left in 2019, \
                 would not have stayed. ";
    for (what, unit) in [("prose", prose), ("a a a …", "a "), ("nested quotes", "\"'“‘«")] {
        let text = unit.repeat((1 << 20) / unit.len());
        let extractor = Some(Extractor::Pattern);
        let (off, _) = told(Request { extractor: Some(Extractor::Off), ..Request::new(text.clone()) }).await;
        let (on, facts) = told(Request { extractor, ..Request::new(text) }).await;
        report(&format!("1 MiB of {what}, {facts} facts"), 1, on.saturating_sub(off));
    }
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
    println!("| {what} | {:.1} |", time.as_secs_f64() * 1e6 / f64::from(count));
}
