//! `gligabao remember`: a text, standard input, or files.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

use comfy_table::{Attribute, Cell, Color};
use gligabao_core::remember::Outcome;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::client::{Client, Reply};
use super::error::CliError;
use super::models::Models;
use super::note::{self, Note};
use super::runs::usage;
use super::target::{Access, Target};
use super::{screen, show};
use crate::wire::remember::{Remembered, ToldFact};

/// What to remember, and how.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gligabao remember \"Anna Weber joined Acme in March 2022\"
  gligabao remember examples/notes
  pbpaste | gligabao remember - --title Clipboard

A file may begin with a header between two lines ---, with lines such as
`reference_time: 2022-03-14` and `title: Anna joins`. The options here go before it.")]
pub(crate) struct Args {
    /// A text, `-` for standard input, or files and directories of .md and .txt files
    #[arg(value_name = "TEXT | - | FILE")]
    what: Vec<String>,
    /// What "now" means in the text: a time; now when absent
    #[arg(long, visible_alias = "valid-at", value_name = "TIME")]
    reference_time: Option<String>,
    /// A heading
    #[arg(long)]
    title: Option<String>,
    /// knowledge (default) or episode
    #[arg(long)]
    kind: Option<String>,
    /// Your session
    #[arg(long, alias = "session", value_name = "ID")]
    session_id: Option<String>,
    /// The wing of its facts
    #[arg(long)]
    wing: Option<String>,
    /// Who finds the facts: off, pattern, llm or both
    #[arg(long)]
    extractor: Option<String>,
    /// Zone in which "yesterday" is meant, such as Europe/Lisbon
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Who "I" is
    #[arg(long, value_name = "NAME")]
    speaker: Option<String>,
    /// The pattern set to read with, such as en or pt-br; all of them when absent
    #[arg(long, value_name = "SET")]
    language: Option<String>,
    #[command(flatten)]
    models: Models,
    /// Show what would be stored, and store nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the answers as JSON, one a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

/// Something to remember.
enum Source {
    Text(String),
    Stdin,
    File(PathBuf),
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    let sources = sources(&args.what)?;
    let options = [
        ("reference_time", args.reference_time),
        ("title", args.title),
        ("kind", args.kind),
        ("session_id", args.session_id),
        ("wing", args.wing),
        ("extractor", args.extractor),
        ("timezone", args.timezone),
        ("speaker", args.speaker),
        ("language", args.language),
    ];
    let mut options: Vec<_> = options.map(|(name, value)| (name, value.map(Value::from))).into();
    options.push(("models", args.models.field()));
    options.push(("dry_run", args.dry_run.then_some(true.into())));
    let client = args.target.client(if args.dry_run { Access::Preview } else { Access::Write }).await?;
    if let [source] = sources.as_slice() {
        let reply = tell(&client, read(source)?, &options).await?;
        return if args.json { screen::print_line(&reply.json()) } else { told(&reply.read()?) };
    }
    many(&client, &sources, &options, args.json).await
}

/// Sends one note. An option goes before the header.
pub(crate) async fn tell(
    client: &Client,
    note: Note,
    options: &[(&'static str, Option<Value>)],
) -> Result<Reply, CliError> {
    let header = note.header.into_iter().map(|(name, value)| (name, Value::from(value)));
    let mut fields: BTreeMap<&str, Value> = header.collect();
    fields.extend(options.iter().filter_map(|(name, value)| Some((*name, value.clone()?))));
    fields.insert("text", note.text.into());
    client.post("/v1/gb/remember", fields.into_iter().map(|(name, value)| (name, Some(value))).collect()).await
}

fn sources(what: &[String]) -> Result<Vec<Source>, CliError> {
    match what {
        [] if std::io::stdin().is_terminal() => {
            Err(CliError::start("nothing to remember; give a text, files, or - for standard input"))
        }
        [] => Ok(vec![Source::Stdin]),
        [only] if only == "-" => Ok(vec![Source::Stdin]),
        [only] if !Path::new(only).exists() && !looks_like_a_file(only) => Ok(vec![Source::Text(only.clone())]),
        many => {
            let mut files = Vec::new();
            for name in many {
                add_files(Path::new(name), &mut files)?;
            }
            Ok(files.into_iter().map(Source::File).collect())
        }
    }
}

/// A single word with a slash or the ending of a text file is a file that isn't there rather than a text.
fn looks_like_a_file(text: &str) -> bool {
    !text.contains(char::is_whitespace) && (text.contains('/') || is_text_file(Path::new(text)))
}

fn is_text_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md" || ending == "txt")
}

fn add_files(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let unreadable = |error| CliError::start(format!("can't read {}: {error}", path.display()));
    if !path.exists() {
        let name = path.display();
        return Err(CliError::start(format!("there is no file {name}; put a text of several words in quotes")));
    }
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut inside = Vec::new();
    for entry in path.read_dir().map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.is_file() && is_text_file(&file) {
            inside.push(file);
        }
    }
    if inside.is_empty() {
        return Err(CliError::start(format!("{} has no .md or .txt files", path.display())));
    }
    inside.sort();
    files.append(&mut inside);
    Ok(())
}

fn read(source: &Source) -> Result<Note, CliError> {
    let (name, bytes) = match source {
        Source::Text(text) => return Ok(Note { header: Vec::new(), text: text.clone() }),
        Source::Stdin => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().read_to_end(&mut bytes).map(|_| bytes);
            ("standard input".to_owned(), read)
        }
        Source::File(path) => (path.display().to_string(), std::fs::read(path)),
    };
    let bytes = bytes.map_err(|error| CliError::failed(format!("can't read {name}: {error}")))?;
    let content = String::from_utf8(bytes).map_err(|_| CliError::failed(format!("{name} is no text in UTF-8")))?;
    note::parse(&content).map_err(|problem| CliError::failed(format!("{name}: {problem}")))
}

/// What became of one text.
fn told(answer: &Remembered) -> Result<(), CliError> {
    let verb = if answer.dry_run { "Nothing is stored. It would be" } else { "Remembered as" };
    let mut text = format!("{verb} text {} of {}", answer.artifact_id, answer.dataset);
    text += if answer.edges.is_empty() { ", which states no facts that I can read.\n" } else { ".\n" };
    if !answer.edges.is_empty() {
        let mut titles = vec![""];
        titles.extend(show::TITLES);
        let mut table = show::table(&titles);
        for edge in &answer.edges {
            let mut cells = vec![outcome(edge)];
            cells.extend(show::cells(&edge.fact));
            table.add_row(cells);
        }
        text += &format!("{table}\n");
    }
    let new: Vec<_> = answer.edges.iter().map(|edge| edge.fact.id).collect();
    let closed = answer.invalidated_edges.iter().filter(|id| !new.contains(id));
    let closed: Vec<_> = closed.map(|id| format!("#{id}")).collect();
    if !closed.is_empty() {
        let verb = if answer.dry_run { "It would close" } else { "It closed" };
        text += &format!("{verb} what was known before: {}\n", closed.join(", "));
    }
    if answer.dropped.pii > 0 {
        text += &format!("Left out because it is private: {}\n", answer.dropped.pii);
    }
    if let Some(llm) = &answer.llm {
        text += &format!("{}\n", screen::paint(screen::FAINT, &usage(llm)));
    }
    screen::print(&text)
}

fn outcome(edge: &ToldFact) -> Cell {
    let cell = Cell::new(edge.outcome);
    match edge.outcome.0 {
        Outcome::Created => cell.fg(Color::Green),
        Outcome::Confirmed => cell.add_attribute(Attribute::Dim),
        Outcome::Revised | Outcome::Ended | Outcome::Superseded => cell.fg(Color::Yellow),
    }
}

/// Sends many, with a bar, and goes on where one fails.
async fn many(
    client: &Client,
    sources: &[Source],
    options: &[(&'static str, Option<Value>)],
    json: bool,
) -> Result<(), CliError> {
    let bar = progress(sources.len());
    let mut summary = Summary::default();
    let mut failed = 0;
    for source in sources {
        if let Source::File(path) = source {
            bar.set_message(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        let reply = match read(source) {
            Ok(note) => tell(client, note, options).await,
            Err(error) => Err(error),
        };
        match reply {
            Ok(reply) => {
                if json {
                    bar.suspend(|| screen::print_line(&reply.json()))?;
                }
                summary.add(&reply.read()?);
            }
            Err(CliError::Failed(message)) => {
                failed += 1;
                let name = if let Source::File(path) = source { path.display().to_string() } else { String::new() };
                let message = if message.contains(&name) { message } else { format!("{name}: {message}") };
                bar.suspend(|| anstream::eprintln!("{}", screen::paint(screen::BAD, &screen::harmless(&message))));
            }
            Err(error) => return Err(error),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if !json {
        screen::print(&summary.to_string())?;
    }
    match failed {
        0 => Ok(()),
        _ => Err(CliError::failed(format!("{failed} of {} could not be remembered", sources.len()))),
    }
}

/// A bar on standard error; nothing where that is no terminal.
pub(crate) fn progress(length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30.cyan/dim} {pos}/{len}  {msg}").expect("the template is constant");
    ProgressBar::new(length as u64).with_style(style.progress_chars("━━─"))
}

/// What became of many texts.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    texts: usize,
    /// Texts that were only tried.
    tried: usize,
    outcomes: BTreeMap<&'static str, usize>,
    closed: usize,
}

impl Summary {
    pub(crate) fn add(&mut self, answer: &Remembered) {
        self.texts += 1;
        self.tried += usize::from(answer.dry_run);
        self.closed += answer.invalidated_edges.len();
        for edge in &answer.edges {
            *self.outcomes.entry(edge.outcome.0.as_str()).or_default() += 1;
        }
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let facts: usize = self.outcomes.values().sum();
        let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        write!(f, "{}, {}", plural(self.texts, "text"), plural(facts, "fact"))?;
        for (index, (outcome, count)) in self.outcomes.iter().enumerate() {
            write!(f, "{} {count} {outcome}", if index == 0 { ":" } else { "," })?;
        }
        match self.closed {
            0 => writeln!(f, ".")?,
            closed => writeln!(f, "; {closed} closed by newer ones.")?,
        }
        match self.tried {
            0 => Ok(()),
            _ => writeln!(f, "Nothing is stored: each text was tried alone."),
        }
    }
}
