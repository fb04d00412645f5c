//! `gligabao patterns`: check pattern sets, try them on a text, and load a directory of them.
//!
//! It runs the component's own reader natively, because it touches no memory: what it shows is what `remember` reads.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use gligabao_core::pattern::{PatternContext, PatternError, PatternSet, Patterns};
use gligabao_core::time::Instant;

use super::error::CliError;
use super::screen;

/// What to do with pattern sets.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Say what is wrong with pattern sets, and where
    Check {
        /// YAML files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Show what a set reads in a text, and what it holds back and why
    Try {
        /// A YAML file, or a built-in set: en, pt-br
        #[arg(value_name = "SET")]
        set: String,
        /// The text
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// What "now" means in the text; now unless given
        #[arg(long, value_name = "TIME")]
        reference_time: Option<String>,
        /// Zone in which relative dates are meant, such as Europe/Lisbon
        #[arg(long, value_name = "ZONE", default_value = "UTC", value_parser = zone)]
        timezone: chrono_tz::Tz,
        /// Who "I" is
        #[arg(long, value_name = "NAME")]
        speaker: Option<String>,
    },
}

pub(crate) fn run(verb: &Verb) -> Result<(), CliError> {
    match verb {
        Verb::Check { files } => check(files),
        Verb::Try { set, text, reference_time, timezone, speaker } => {
            let reference_time = match reference_time {
                None => Instant(chrono::Utc::now().timestamp()),
                Some(time) => Instant::parse_request(time).ok_or_else(|| {
                    CliError::failed(format!("--reference-time {time}: give YYYY-MM-DD or an RFC 3339 time"))
                })?,
            };
            let (timezone, speaker) = (*timezone, speaker.as_deref());
            attempt(set, text, &PatternContext { reference_time, timezone, speaker, language: None })
        }
    }
}

fn zone(name: &str) -> Result<chrono_tz::Tz, String> {
    name.parse().map_err(|_| "no IANA time zone; Europe/Lisbon would be one".to_owned())
}

fn check(files: &[PathBuf]) -> Result<(), CliError> {
    let mut problems = Vec::new();
    for file in files {
        match read(file).and_then(|set| Ok((add(Patterns::default(), &set, file)?, set))) {
            Ok((patterns, set)) => {
                let languages: Vec<_> = patterns.languages().collect();
                let count = patterns.relations().count();
                let mut words = format!("{}: {} with {count} patterns\n", file.display(), languages.join(", "));
                for advice in set.advice() {
                    words += &format!("{}: warning: {advice}\n", file.display());
                }
                screen::print(&words)?;
            }
            Err(words) => problems.push(words),
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(CliError::failed(problems.join("\n"))) }
}

fn attempt(set: &str, text: &str, context: &PatternContext<'_>) -> Result<(), CliError> {
    let built_in = Patterns::built_in().languages().any(|language| language == set);
    let explained = if built_in {
        Patterns::built_in().explain(text, &PatternContext { language: Some(set), ..*context })
    } else {
        let file = Path::new(set);
        let patterns = read(file).and_then(|set| add(Patterns::default(), &set, file)).map_err(CliError::failed)?;
        patterns.explain(text, context)
    };
    let explained = explained.map_err(|error| CliError::failed(error.to_string()))?;
    let words: Vec<String> = explained.iter().map(ToString::to_string).collect();
    screen::print(&format!("{}\n", screen::harmless(words.join("\n").trim_end())))
}

/// The built-in sets and those of a directory, which replace the built-in ones of their languages.
pub(crate) fn load(directory: &Path) -> Result<Patterns, CliError> {
    let entries = std::fs::read_dir(directory)
        .map_err(|error| CliError::start(format!("can't read the patterns in {}: {error}", directory.display())))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml" || extension == "yml"));
    files.sort();
    if files.is_empty() {
        return Err(CliError::start(format!(
            "there is no .yaml file in {}; put pattern sets there, or leave --patterns out",
            directory.display()
        )));
    }
    files
        .iter()
        .try_fold(Patterns::built_in().clone(), |patterns, file| add(patterns, &read(file)?, file))
        .map_err(CliError::start)
}

fn read(file: &Path) -> Result<PatternSet, String> {
    let yaml = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    PatternSet::parse(&yaml).map_err(|error| words(file, &error))
}

fn add(patterns: Patterns, set: &PatternSet, file: &Path) -> Result<Patterns, String> {
    patterns.with(set).map_err(|error| words(file, &error))
}

/// What is wrong, a line each, with the file before it.
fn words(file: &Path, error: &PatternError) -> String {
    let file = file.display();
    match error {
        PatternError::Wrong(problems) => {
            problems.iter().map(|problem| format!("{file}: {problem}")).collect::<Vec<_>>().join("\n")
        }
        PatternError::Unreadable(words) => format!("{file}: {words}"),
        other => format!("{file}: {other}"),
    }
}
