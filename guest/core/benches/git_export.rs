//! Writes a history of so many commits of five files, in the two layouts and at two levels of compression, beside
//! `git fast-import` of the same history; then checks and clones what came out. All in one run: only the ratios carry
//! over to another machine.
//!
//! `cargo bench -p gligabao-core --bench git_export [-- COMMITS]`

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use gligabao_core::git::{
    CommitTime, Id, Level, Message, Options, STATES, Subject, Summary, Trailer, TreePath, Writer,
};
use gligabao_core::model::ArtifactId;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const RELATIONS: [&str; 3] = ["works_at", "lives_in", "knows"];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [command, commits, layout, level, directory] = arguments.as_slice() {
        assert_eq!(command, "write");
        return write(commits.parse()?, layout == "sharded", level.parse()?, Path::new(directory));
    }
    if let [command, layout, directory] = arguments.as_slice() {
        assert_eq!(command, "million");
        return million(layout == "sharded", Path::new(directory));
    }
    let commits = arguments.first().map_or(Ok(10_000), |commits| commits.parse())?;
    println!("{commits} commits of 5 files\n");
    println!("| layout | writer | seconds | CPU s | pack MB | peak MB | fsck CPU s | clone CPU s |");
    println!("|---|---|---|---|---|---|---|---|");
    for layout in ["sharded", "flat"] {
        let scratch = tempfile::tempdir()?;
        let mut heads = Vec::new();
        let stream = scratch.path().join("stream");
        write_stream(commits, layout == "sharded", &stream)?;
        let peer = scratch.path().join("fast-import.git");
        git(&["init", "-q", "--bare", "-b", "main"], &peer)?;
        let clock = Clock::start();
        let status = Command::new("git")
            .arg("-C")
            .arg(&peer)
            .args(["fast-import", "--quiet"])
            .stdin(File::open(&stream)?)
            .status()?;
        assert!(status.success());
        heads.push(report(layout, "git fast-import", &clock.stop(), "", &peer)?);
        for level in ["1", "6"] {
            let ours = scratch.path().join(format!("level-{level}.git"));
            let arguments = ["write", &commits.to_string(), layout, level];
            let clock = Clock::start();
            let output = Command::new(std::env::current_exe()?).args(arguments).arg(&ours).output()?;
            let spent = clock.stop();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let printed = String::from_utf8(output.stdout)?;
            heads.push(report(layout, &format!("this, level {level}"), &spent, printed.trim(), &ours)?);
        }
        assert!(heads.windows(2).all(|pair| pair[0] == pair[1]), "the same history has the same commits: {heads:?}");
    }
    println!("\nA million files, in 200 commits; then resumed for ten more commits of 5 files\n");
    println!("| layout | seconds | peak MB | saved state MB | resume s | peak MB |\n|---|---|---|---|---|---|");
    for layout in ["sharded", "flat"] {
        let scratch = tempfile::tempdir()?;
        let run = || Command::new(std::env::current_exe()?).args(["million", layout]).arg(scratch.path()).output();
        let (first, second) = (run()?, run()?);
        assert!(first.status.success() && second.status.success());
        let (first, second) = (String::from_utf8(first.stdout)?, String::from_utf8(second.stdout)?);
        println!("| {layout} | {} | {} |", first.trim(), second.trim());
    }
    Ok(())
}

/// Prints a line; the newest commit.
fn report(layout: &str, writer: &str, spent: &str, peak: &str, repository: &Path) -> Result<String> {
    let packs = fs::read_dir(repository.join("objects/pack"))?;
    let bytes: u64 = packs
        .flatten()
        .filter(|file| file.path().extension().is_some_and(|end| end == "pack"))
        .map(|file| file.metadata().map_or(0, |file| file.len()))
        .sum();
    let before = children_cpu();
    git(&["fsck", "--full", "--strict"], repository)?;
    let fsck = children_cpu() - before;
    let clone = repository.with_extension("clone");
    git(&["clone", "-q", "--bare", "--no-local", ".", &clone.to_string_lossy()], repository)?;
    let cloned = children_cpu() - before - fsck;
    fs::remove_dir_all(clone)?;
    println!("| {layout} | {writer} | {spent} | {:.1} | {peak} | {fsck:.1} | {cloned:.1} |", bytes as f64 / 1e6);
    git(&["rev-parse", "main"], repository)
}

/// Measures what a process that is waited for takes.
struct Clock {
    started: Instant,
    cpu: f64,
}

impl Clock {
    fn start() -> Self {
        Self { started: Instant::now(), cpu: children_cpu() }
    }

    /// Seconds by the wall and of the CPU, as two cells. On a busy machine only the latter can be compared.
    fn stop(self) -> String {
        format!("{:.2} | {:.2}", self.started.elapsed().as_secs_f64(), children_cpu() - self.cpu)
    }
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

fn git(arguments: &[&str], repository: &Path) -> Result<String> {
    fs::create_dir_all(repository)?;
    let output = Command::new("git").arg("-C").arg(repository).args(arguments).stderr(Stdio::piped()).output()?;
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// Writes the history with the core, and prints the peak of memory in MB.
fn write(commits: u64, sharded: bool, level: u8, directory: &Path) -> Result<()> {
    let options = Options { level: Level::new(level), ..Options::default() };
    let mut writer = Writer::new(options, "bench");
    for number in 1..=commits {
        for (path, content) in files(number, sharded) {
            writer.put(TreePath::new(path)?, content.into_bytes())?;
        }
        writer.commit(time(number), message(number));
        save(&mut writer, directory)?;
    }
    writer.publish()?;
    save(&mut writer, directory)?;
    println!("{}", peak());
    Ok(())
}

/// Most memory that this process had, in MB, where the system tells.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    line.and_then(|peak| peak.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Writes a repository of a million files, or goes on with it where it is there.
fn million(sharded: bool, directory: &Path) -> Result<()> {
    let started = Instant::now();
    if let Ok(head) = fs::read_to_string(directory.join("refs/heads/main")) {
        let head = Id::from_hex(head.trim()).ok_or("an ID")?;
        let state = fs::read(directory.join(STATES).join(head.to_string()))?;
        let mut writer = Writer::resume(Options::default(), head, &state)?;
        drop(state);
        for number in 1..=10 {
            for (path, content) in files(number, sharded) {
                writer.put(TreePath::new(path)?, content.into_bytes())?;
            }
            writer.commit(time(number), message(number));
        }
        writer.publish()?;
        save(&mut writer, directory)?;
        println!("{:.2} | {}", started.elapsed().as_secs_f64(), peak());
        return Ok(());
    }
    let mut writer = Writer::new(Options::default(), "million");
    for number in 1..=200u64 {
        for id in (number - 1) * 5_000..number * 5_000 {
            let name = if sharded { format!("{:04}/{id}.md", id / 1000) } else { format!("{id}.md") };
            let content = format!("id: {id}\n{}\n", sentence(id));
            writer.put(TreePath::new(format!("edges/knows/{name}"))?, content.into_bytes())?;
        }
        writer.commit(time(number), message(number));
        save(&mut writer, directory)?;
    }
    let head = writer.head().ok_or("a commit")?;
    writer.publish()?;
    save(&mut writer, directory)?;
    let state = fs::metadata(directory.join(STATES).join(head.to_string()))?.len();
    println!("{:.2} | {} | {}", started.elapsed().as_secs_f64(), peak(), state / 1_000_000);
    Ok(())
}

fn save(writer: &mut Writer, directory: &Path) -> Result<()> {
    while let Some(part) = writer.next_part() {
        let path = directory.join(&part.path);
        if part.path.ends_with('/') {
            fs::create_dir_all(path)?;
            continue;
        }
        fs::create_dir_all(path.parent().ok_or("a path has a parent")?)?;
        fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(&part.bytes)?;
    }
    Ok(())
}

/// Writes the history as `git fast-import` reads it.
fn write_stream(commits: u64, sharded: bool, path: &Path) -> Result<()> {
    let mut stream = std::io::BufWriter::new(File::create(path)?);
    for number in 1..=commits {
        let mut text = Vec::new();
        message(number).write_to(&mut text);
        let seconds = time(number).seconds();
        writeln!(stream, "commit refs/heads/main\ncommitter {} {seconds} +0000", gligabao_core::git::IDENTITY)?;
        writeln!(stream, "data {}", text.len())?;
        stream.write_all(&text)?;
        for (path, content) in files(number, sharded) {
            write!(stream, "M 100644 inline {path}\ndata {}\n{content}\n", content.len())?;
        }
    }
    Ok(stream.flush()?)
}

fn time(number: u64) -> CommitTime {
    CommitTime::new(1_700_000_000 + 61 * i64::try_from(number).unwrap_or(0))
}

fn message(number: u64) -> Message {
    Message::new(Subject::Remember { artifact: ArtifactId(number), text: &sentence(number) })
        .summary(Summary { entities: number % 2, edges: 1, confirmed: 1, changed: 0 })
        .trailer(Trailer::ArtifactId, number)
        .trailer(Trailer::Kind, "knowledge")
        .trailer(Trailer::ValidAt, "2025-03-01T00:00:00Z")
        .trailer(Trailer::RememberRunId, number)
}

/// A text, a run, a new fact, a fact told again, and an entity that is new or mentioned again.
fn files(number: u64, sharded: bool) -> Vec<(String, String)> {
    let place = |directory: &str, id: u64, name: String| {
        if sharded { format!("{directory}/{:04}/{name}", id / 1000) } else { format!("{directory}/{name}") }
    };
    let edge = |id: u64, artifacts: u64| {
        let relation = RELATIONS[(id % 3) as usize];
        let mut content = format!(
            "---\nid: {id}\nsource: \"{}\"\nsource_id: {}\nrelation: \"{relation}\"\ntarget: \"{}\"\ntarget_id: {}\nvalid_at: \"2024-{:02}-01T00:00:00Z\"\nvalid_at_precision: \"month\"\nstart_known: true\ncreated_at: \"2025-03-01T{:02}:{:02}:11.{:06}Z\"\nconfidence: 0.7\nmodel: \"small\"\nartifacts:\n",
            name(id),
            id / 2 + 1,
            name(id * 7),
            id / 3 + 1,
            id % 12 + 1,
            id % 24,
            id % 60,
            id * 7919 % 1_000_000,
        );
        for artifact in 0..artifacts {
            let _ = writeln!(content, "  - {}", id + artifact * 3);
        }
        let _ = write!(content, "---\n{} {relation} {} since then.\n", name(id), name(id * 7));
        (place(&format!("edges/{relation}"), id, format!("{id}.md")), content)
    };
    let entity = number / 2 + 1;
    let slug = name(entity).to_lowercase().replace(' ', "-");
    let mentions: String = (0..=number % 2).map(|mention| format!("  - {}\n", entity * 2 - 1 + mention)).collect();
    vec![
        (
            place("artifacts", number, format!("{number}.md")),
            format!(
                "---\nid: {number}\nkind: \"knowledge\"\nvalid_at: \"2025-03-01T00:00:00Z\"\ncreated_at: \"2025-03-02T10:{:02}:00Z\"\n---\n{}",
                number % 60,
                (0..3).map(|i| sentence(number + i * 31)).collect::<Vec<_>>().join(" ")
            ),
        ),
        (
            place("runs/remember", number, format!("{number}.json")),
            format!(
                "{{\n  \"kind\": \"remember\",\n  \"status\": \"ok\",\n  \"params\": {{\"kind\": \"knowledge\", \"extractor\": \"both\"}},\n  \"started_at\": \"2025-03-02T10:{:02}:00.{:06}Z\",\n  \"ended_at\": \"2025-03-02T10:{:02}:01.{:06}Z\",\n  \"stages\": [\n    {{\"name\": \"extract_graph\", \"calls\": [{{\"model\": \"small\", \"provider\": \"local\", \"input_tokens\": {}, \"output_tokens\": {}, \"cost_usd\": 0.000{}}}], \"output\": {{\"entities\": [\"{}\", \"{}\"], \"edges\": 2}}}},\n    {{\"name\": \"load_candidates\", \"output\": {{\"candidates\": {}}}}},\n    {{\"name\": \"store_artifact\", \"output\": {{\"artifact\": {number}}}}}\n  ]\n}}\n",
                number % 60,
                number * 7717 % 1_000_000,
                number % 60,
                number * 3571 % 1_000_000,
                300 + number % 90,
                40 + number % 37,
                number % 97,
                name(number),
                name(number * 7),
                number % 23,
            ),
        ),
        edge(number, 1),
        edge((number * 2_654_435_761 % number).max(1), 2 + number % 3),
        (
            place("entities/person", entity, format!("{slug}-{entity}.md")),
            format!(
                "---\nid: {entity}\nname: \"{}\"\ntype: \"person\"\nmodel: \"small\"\nartifacts:\n{mentions}---\n{} of note {}.\n",
                name(entity),
                name(entity),
                number
            ),
        ),
    ]
}

fn name(number: u64) -> String {
    const FIRST: [&str; 12] =
        ["Alice", "Bruno", "Camila", "Dora", "Emil", "Fatima", "Gao", "Hana", "Ingrid", "Jonas", "Kofi", "Lena"];
    const LAST: [&str; 11] =
        ["Okafor", "Silva", "Tanaka", "Novak", "Haddad", "Berg", "Costa", "Dubois", "Evans", "Fischer", "Garcia"];
    format!(
        "{} {} {}",
        FIRST[(number % 12) as usize],
        LAST[(number / 12 % 11) as usize],
        number * 2_654_435_761 % 10_007
    )
}

fn sentence(number: u64) -> String {
    const WHAT: [&str; 9] = [
        "left",
        "joined",
        "met the people of",
        "wrote about",
        "moved near",
        "sold a boat to",
        "works with",
        "was asked by",
        "thanked",
    ];
    const HOW: [&str; 7] = [
        "in a hurry",
        "after the summer",
        "for the second time",
        "with some regret",
        "on a Monday",
        "because of the rain",
        "as planned",
    ];
    format!(
        "{} {} {} {}.",
        name(number),
        WHAT[(number % 9) as usize],
        name(number * 31 + 5),
        HOW[(number % 7) as usize]
    )
}
