//! What it costs to make a repository of a dataset, beside what it cost to tell it: so many texts of two facts each, and
//! a fifth as many about one person whom all of them name, whose facts the reference store finds one by one.
//!
//! `cargo bench -p gligabao-core --bench history [-- TEXTS]`

use std::error::Error;
use std::fs;
use std::time::{Duration, Instant};

use gligabao_core::git::{Format, PACK_LIMIT, Part, STATES};
use gligabao_core::history::{ExportRequest, Exporter, Layout, Resume};
use gligabao_core::llm::NoLlm;
use gligabao_core::model::Call;
use gligabao_core::reference::{ReferenceSnapshot, ReferenceStore};
use gligabao_core::remember::{Request, remember};
use gligabao_core::storage::{Dataset, Turn};
use gligabao_core::time::Micros;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments = std::env::args().skip(1).find(|argument| argument != "--bench");
    let texts: u64 = arguments.map_or(Ok(10_000), |texts| texts.parse())?;
    println!("Exported sharded as packs; then a hundredth more, and the update\n");
    println!("| texts | people | telling s | export s | slowest step ms | MB out | peak MB | update s | MB out |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for (texts, people) in [(texts, texts / 5), (texts / 5, 1)] {
        let store = ReferenceStore::new(Micros(1_700_000_000_000_000));
        let clock = Instant::now();
        tell(&store, 0..texts, people)?;
        let told = clock.elapsed();
        let first = export(&store.latest(Turn::Race)?, None)?;
        tell(&store, texts..texts + texts / 100, people)?;
        let update = export(&store.latest(Turn::Race)?, Some(first.resume))?;
        println!(
            "| {texts} | {people} | {:.2} | {:.2} | {} | {:.1} | {} | {:.2} | {:.1} |",
            told.as_secs_f64(),
            first.took.as_secs_f64(),
            first.slowest.as_millis(),
            first.bytes as f64 / 1e6,
            first.memory,
            update.took.as_secs_f64(),
            update.bytes as f64 / 1e6,
        );
    }
    Ok(())
}

/// Tells texts of so many people, each with a company and a town.
fn tell(store: &ReferenceStore, numbers: std::ops::Range<u64>, people: u64) -> Result<()> {
    for number in numbers {
        let (person, firm, town) = (number % people.max(1), number * 7 % 997, number * 13 % 499);
        let text = format!(
            "Ana{person} works at Firm{firm} since {}. Firm{firm} is located in Town{town}.",
            1990 + number % 35
        );
        remember(store, &NoLlm, &Call { now: Micros(1_800_000_000_000_000) }, Request::new(text))?;
    }
    Ok(())
}

/// What an export took.
struct Took {
    took: Duration,
    slowest: Duration,
    bytes: usize,
    /// Most memory beside the dataset, in MB.
    memory: u64,
    resume: Resume,
}

fn export(snapshot: &ReferenceSnapshot, resume: Option<Resume>) -> Result<Took> {
    let pack_limit = u32::try_from(PACK_LIMIT)?;
    let request = ExportRequest { layout: Layout::Sharded, series: true, format: Format::Pack, pack_limit, resume };
    // Where the system allows it the peak is forgotten. Source: `proc_pid_clear_refs(5)`.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let before = memory("VmRSS:");
    let (mut took, mut slowest, mut bytes) = (Duration::ZERO, Duration::ZERO, 0);
    let (mut state, mut head) = ((String::new(), Vec::new()), String::new());
    let mut exporter = Exporter::new(request);
    loop {
        let clock = Instant::now();
        let step = exporter.next(snapshot)?;
        took += clock.elapsed();
        slowest = slowest.max(clock.elapsed());
        let Some(parts) = step else { break };
        for Part { path, bytes: piece, .. } in parts {
            bytes += piece.len();
            if path.starts_with(STATES) {
                if path != state.0 {
                    state = (path, Vec::new());
                }
                state.1.extend(piece);
            } else if path == "refs/heads/main" {
                head = String::from_utf8(piece)?.trim().to_owned();
            }
        }
    }
    let memory = memory("VmHWM:").saturating_sub(before + state.1.len() as u64 / 1_000_000);
    Ok(Took { took, slowest, bytes, memory, resume: Resume { head, state: Some(state.1), packs: Vec::new() } })
}

/// Memory of this process in MB, where the system tells.
fn memory(what: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what)?.trim().strip_suffix(" kB"));
    line.and_then(|peak| peak.parse::<u64>().ok()).unwrap_or(0) / 1024
}
