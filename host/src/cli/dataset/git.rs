//! `gligabao dataset git`: the history as a git repository.
//!
//! A database is exported by this process, which writes into the directory; a server is asked for an archive.

use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use gligabao_core::history::{Format, Layout, Progress};
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use serde_json::json;

use super::path;
use crate::cli::client::Client;
use crate::cli::error::CliError;
use crate::cli::target::{Access, Location, Place};
use crate::cli::{open, screen, settings::Settings};
use crate::memory::{CallError, ExportError, GitExport, GitRequest, Scope};
use crate::repository::{RepositoryError, archive};
use crate::store::{DatasetName, UserId};
use crate::wire::word::{Word, Words};

/// Loose objects from which on git itself would pack a repository.
const MANY: usize = 6_700;

/// What to write, and where.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gligabao dataset git main
  git clone main.git story && cd story && git log --stat

Run it again to add what is new. A server gives the same to plain git:
  git clone http://me@127.0.0.1:7878/v1/gb/datasets/main.git")]
pub(super) struct Args {
    /// The dataset
    name: String,
    /// Directory of the bare repository [default: NAME.git]
    directory: Option<PathBuf>,
    /// How new objects are stored: loose or pack [default: loose while they are few]
    #[arg(long, value_name = "FORMAT", value_parser = word::<Format>)]
    format: Option<Format>,
    /// How files are spread over directories: flat or sharded. The first export fixes it [default: flat]
    #[arg(long, value_name = "LAYOUT", value_parser = word::<Layout>)]
    layout: Option<Layout>,
    /// The points of series are files too. The first export fixes it
    #[arg(long)]
    series: bool,
    /// Let git check all of it
    #[arg(long)]
    check: bool,
}

/// What a command line says as one of some words.
fn word<T: Words>(text: &str) -> Result<T, String> {
    let read: Result<Word<T>, serde_json::Error> = serde_json::from_value(json!(text));
    read.map(|word| word.0).map_err(|error| error.to_string())
}

pub(super) async fn run(args: Args, place: &Place, json: bool) -> Result<(), CliError> {
    let directory = args.directory.clone().unwrap_or_else(|| PathBuf::from(format!("{}.git", args.name)));
    let start = Instant::now();
    let done = match place.locate()? {
        Location::File(file, settings) => {
            Done::Written(write(&args, &file, &settings, place.user(), &directory).await?)
        }
        Location::Server(url) => Done::Fetched(fetch(&args, &url, place.user(), &directory).await?),
    };
    if args.check {
        check(&directory)?;
    }
    if json {
        screen::print_line(&done.json(&directory))
    } else {
        screen::print(&done.tell(&directory, start.elapsed()))
    }
}

/// What became of the directory.
enum Done {
    Written(GitExport),
    /// Bytes of the archive.
    Fetched(u64),
}

async fn write(
    args: &Args,
    file: &Path,
    settings: &Settings,
    user: &str,
    directory: &Path,
) -> Result<GitExport, CliError> {
    let memory = open::memory(file, Access::Read, settings).await?;
    let user = UserId::new(user).map_err(|error| CliError::failed(format!("user_id: {error}")))?;
    let dataset = DatasetName::new(&args.name).map_err(|error| CliError::failed(format!("name: {error}")))?;
    let request = GitRequest { format: args.format, layout: args.layout, series: args.series.then_some(true) };
    let bar = bar();
    let progress = |progress: Progress| {
        bar.set_length(progress.until);
        bar.set_position(progress.seq);
    };
    let export = memory.export_git(&Scope { user, dataset }, directory, request, progress).await;
    bar.finish_and_clear();
    export.map_err(|error| match error {
        ExportError::Call(CallError::Storage(error)) => CliError::failed(format!("{}: {error}", file.display())),
        other => CliError::failed(other.to_string()),
    })
}

/// A bar on standard error; nothing where that is no terminal.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30.cyan/dim} {pos}/{len} calls").expect("the template is constant");
    ProgressBar::new(0).with_style(style.progress_chars("━━─"))
}

/// Gets all of it from a server. What is there already is brought up to date by git itself.
async fn fetch(args: &Args, url: &str, user: &str, directory: &Path) -> Result<u64, CliError> {
    let client = Client::of_server(url, user, &args.name)?;
    let is_free = match directory.read_dir() {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !directory.exists(),
    };
    if !is_free {
        let (name, directory) = (&args.name, directory.display());
        let rest = url.trim_end_matches('/').trim_start_matches("http://");
        return Err(CliError::failed(format!(
            "{directory}: is there already; bring it up to date with `git -C {directory} fetch \
             http://{user}@{rest}/v1/gb/datasets/{name}.git main:main`, or name another directory"
        )));
    }
    let unwritable = |error| CliError::failed(RepositoryError::Io { path: directory.to_owned(), error }.to_string());
    let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(unwritable)?;
    let mut file = tempfile::tempfile_in(parent).map_err(unwritable)?;
    let params = [
        ("format", args.format.map(|format| Word(format).to_string())),
        ("layout", args.layout.map(|layout| Word(layout).to_string())),
        ("series", args.series.then(|| "true".to_owned())),
    ];
    let length = client.download(&format!("{}/git", path(&args.name)), &params, &mut file).await?;
    file.seek(SeekFrom::Start(0)).map_err(unwritable)?;
    // It is for its owner alone until it is whole, and after.
    let whole = tempfile::Builder::new().prefix(".gligabao-").tempdir_in(parent).map_err(unwritable)?;
    archive::unpack(file, whole.path())
        .map_err(|error| CliError::failed(format!("the archive of {url} is not whole: {error}; try again")))?;
    std::fs::rename(whole.path(), directory).map_err(unwritable)?;
    // It has another name by now.
    let _ = whole.keep();
    Ok(length)
}

fn check(directory: &Path) -> Result<(), CliError> {
    let git = Command::new("git").arg("-C").arg(directory).args(["fsck", "--full", "--strict"]).output();
    let output = git.map_err(|error| CliError::failed(format!("can't run git: {error}; install it for --check")))?;
    if output.status.success() {
        return Ok(());
    }
    let words = [output.stdout, output.stderr].concat();
    let words = String::from_utf8_lossy(&words).trim().replace('\n', "; ");
    Err(CliError::failed(format!("git finds fault with {}: {words}; report this", directory.display())))
}

impl Done {
    fn json(&self, directory: &Path) -> String {
        let directory = directory.display().to_string();
        let value = match self {
            Self::Written(export) => json!({
                "directory": directory, "head": export.head, "is_new": export.is_new, "commits": export.commits,
                "files": export.written.files, "bytes": export.written.bytes,
            }),
            Self::Fetched(bytes) => json!({"directory": directory, "is_new": true, "bytes": bytes}),
        };
        value.to_string()
    }

    fn tell(&self, directory: &Path, time: Duration) -> String {
        let place = screen::paint(screen::STRONG, &directory.display().to_string());
        let took = format!("{}.{} s", time.as_secs(), time.subsec_millis() / 100);
        match self {
            Self::Written(export) if export.commits == 0 => format!("{place} is up to date.\n"),
            Self::Written(GitExport { head, is_new, commits, written, stored }) => {
                let verb = if *is_new { "made" } else { "brought up to date" };
                let plural = if *commits == 1 { "" } else { "s" };
                let size = HumanBytes(written.bytes);
                let mut text =
                    format!("{place} {verb}: {commits} commit{plural} up to {}, ", &head[..head.len().min(10)]);
                text += &format!("{} files of {size} in {took}\n", written.files);
                if stored.0 > MANY {
                    text += &format!("Many objects are a file each: git -C {} gc\n", directory.display());
                }
                text + &hint(directory, *is_new)
            }
            Self::Fetched(bytes) => {
                format!("{place} fetched: {} in {took}\n{}", HumanBytes(*bytes), hint(directory, true))
            }
        }
    }
}

/// What to do next.
fn hint(directory: &Path, is_new: bool) -> String {
    if is_new { format!("Read it: git clone {}\n", directory.display()) } else { String::new() }
}
