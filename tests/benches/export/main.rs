//! What the export of a dataset costs, through the component, beside `git fast-import` of the same history: `make bench`.
//!
//! Each text makes a commit of about five files: its own, that of its call, two entities, a fact. Writers run as
//! processes of their own, so that each has a peak of memory of its own.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gligabao::memory::{GitRequest, Memory, Scope};
use gligabao::store::sqlite::{Durability, Sqlite, SqliteOptions};
use gligabao::store::{DatasetName, UserId};
use gligabao_core::history::{Format, Layout};
use gligabao_core::remember::{Extractor, Request};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const TEXTS: u64 = 10_000;
/// Texts that are told before a repository is brought up to date.
const MORE: u64 = 10;
const LAYOUTS: [Layout; 2] = [Layout::Sharded, Layout::Flat];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tell", directory, first, count] => tell(Path::new(directory), first.parse()?, count.parse()?),
        ["export", directory, layout, format, repository] => {
            export(Path::new(directory), layout, format, Path::new(repository))
        }
        _ => compare(if arguments.iter().any(|argument| argument == "--bench") { TEXTS } else { 20 }),
    }
}

fn compare(texts: u64) -> Result<()> {
    println!("\n## What an export costs\n");
    println!("A history of {texts} texts, each a commit of about five files.\n");
    println!("| layout | writer | seconds | CPU s | MB | peak MB | fsck s | clone s |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    let scratch = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let mut updates = Vec::new();
    for layout in LAYOUTS {
        let directory = scratch.path().join(layout.as_str());
        fs::create_dir(&directory)?;
        myself(&["tell", path(&directory), "0", &texts.to_string()])?;
        let mut heads = Vec::new();
        let mut packed = PathBuf::new();
        // Loose objects of a flat directory would take gigabytes.
        let formats: &[Format] =
            if layout == Layout::Sharded { &[Format::Pack, Format::Loose] } else { &[Format::Pack] };
        for &format in formats {
            let repository = directory.join(format!("{}.git", format.as_str()));
            let spent = myself(&["export", path(&directory), layout.as_str(), format.as_str(), path(&repository)])?;
            heads.push(report(layout, &format!("this, {}", format.as_str()), &spent, &repository)?);
            if format == Format::Pack {
                packed = repository;
            }
        }
        let stream = directory.join("stream");
        let exported = git(&packed).args(["fast-export", "--all"]).stdout(File::create(&stream)?).status()?;
        assert!(exported.success());
        let peer = directory.join("peer.git");
        assert!(Command::new("git").args(["init", "-q", "--bare", "-b", "main"]).arg(&peer).status()?.success());
        let mut import = git(&peer);
        import.args(["fast-import", "--quiet"]).stdin(File::open(&stream)?);
        let spent = measured(import)?;
        heads.push(report(layout, "git fast-import", &spent, &peer)?);
        assert!(heads.windows(2).all(|pair| pair[0] == pair[1]), "one history has one head: {heads:?}");

        myself(&["tell", path(&directory), &texts.to_string(), &MORE.to_string()])?;
        let spent = myself(&["export", path(&directory), layout.as_str(), "loose", path(&packed)])?;
        updates.push(format!("| {layout} | {:.2} | {} |", spent.seconds, spent.peak));
    }
    println!("\nThe same repositories after {MORE} more texts, brought up to date:\n");
    println!("| layout | seconds | peak MB |\n|---|---:|---:|");
    updates.iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn open(directory: &Path) -> Result<(Memory, Scope)> {
    let options = SqliteOptions { durability: Durability::Process, ..SqliteOptions::default() };
    let store = Sqlite::open(directory.join("bench.db"), options)?;
    let memory = Memory::builder().store(Arc::new(store)).cache_dir(Some(directory.join("cache"))).build()?;
    Ok((memory, Scope { user: UserId::new("bench")?, dataset: DatasetName::default() }))
}

fn tell(directory: &Path, first: u64, count: u64) -> Result<()> {
    let (memory, scope) = open(directory)?;
    tokio::runtime::Runtime::new()?.block_on(async {
        for number in first..first + count {
            let text = format!("Subject {} works at Company {number}.", number % 997);
            let request = Request { extractor: Some(Extractor::Pattern), ..Request::new(text) };
            memory.remember(&scope, request).await?;
        }
        Ok(())
    })
}

fn export(directory: &Path, layout: &str, format: &str, repository: &Path) -> Result<()> {
    let (memory, scope) = open(directory)?;
    let request = GitRequest { layout: Layout::from_word(layout), format: Format::from_word(format), series: None };
    tokio::runtime::Runtime::new()?.block_on(memory.export_git(&scope, repository, request, |_| ()))?;
    Ok(())
}

/// What a process took.
struct Spent {
    seconds: f64,
    cpu: f64,
    /// In MB.
    peak: u64,
}

fn myself(arguments: &[&str]) -> Result<Spent> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments);
    measured(command)
}

/// Runs a command to its end, and looks at its memory meanwhile.
fn measured(mut command: Command) -> Result<Spent> {
    let (start, before) = (Instant::now(), children_cpu());
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let (mut peak, status) = (0, PathBuf::from(format!("/proc/{}/status", child.id())));
    let exit = loop {
        peak = peak_of(&status).unwrap_or(0).max(peak);
        match child.try_wait()? {
            Some(exit) => break exit,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    assert!(exit.success(), "{command:?}");
    Ok(Spent { seconds: start.elapsed().as_secs_f64(), cpu: children_cpu() - before, peak })
}

/// Most memory that a process had so far, in MB, where the system tells.
fn peak_of(status: &Path) -> Option<u64> {
    let status = fs::read_to_string(status).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"))?;
    Some(line.parse::<u64>().ok()? / 1024)
}

/// CPU time of the processes that were waited for, in seconds: fields 16 and 17 of `proc_pid_stat(5)`; 0 where there is
/// no such file.
fn children_cpu() -> f64 {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / TICKS
}

fn report(layout: Layout, writer: &str, spent: &Spent, repository: &Path) -> Result<String> {
    let mut fsck = git(repository);
    fsck.args(["fsck", "--full", "--strict", "--no-progress"]).stderr(Stdio::null());
    let fsck = measured(fsck)?;
    let copy = repository.with_extension("clone");
    let mut clone = Command::new("git");
    clone.args(["clone", "-q", "--no-local", "--bare"]).arg(repository).arg(&copy);
    let clone = measured(clone)?;
    fs::remove_dir_all(copy)?;
    let Spent { seconds, cpu, peak } = spent;
    println!(
        "| {layout} | {writer} | {seconds:.1} | {cpu:.1} | {} | {peak} | {:.1} | {:.1} |",
        size(&repository.join("objects"))? / 1_000_000,
        fsck.seconds,
        clone.seconds
    );
    let head = git(repository).args(["rev-parse", "main"]).output()?;
    Ok(String::from_utf8(head.stdout)?)
}

fn git(repository: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(repository);
    command
}

fn size(path: &Path) -> Result<u64> {
    if path.is_file() {
        return Ok(path.metadata()?.len());
    }
    fs::read_dir(path)?.map(|entry| size(&entry?.path())).sum()
}

fn path(path: &Path) -> &str {
    path.to_str().expect("paths of the bench are UTF-8")
}
