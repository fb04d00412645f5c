//! `gligabao doctor`: looks whether all that a memory needs is there, and says what to do where it isn't.

mod checks;
mod model;

use std::path::PathBuf;

use serde::Serialize;

use super::error::CliError;
use super::settings::Options;
use super::{open, screen};

/// What to look at.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Database file [default: gligabao.db]
    #[arg(long, value_name = "FILE", env = "GLIGABAO_DB", help_heading = "Where")]
    db: Option<PathBuf>,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: Options,
}

/// How something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    Failed,
    /// It isn't used, or could not be looked at.
    Skipped,
}

/// What was looked at, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Check {
    check: &'static str,
    status: Status,
    message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

#[derive(Debug, Serialize)]
struct Report {
    ok: bool,
    checks: Vec<Check>,
}

impl Check {
    fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, status: Status::Ok, message: message.into(), fix: None }
    }

    fn skipped(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, status: Status::Skipped, message: message.into(), fix: None }
    }

    /// The words of an error: what is wrong, and after a semicolon what to do.
    fn failed(check: &'static str, words: &impl ToString) -> Self {
        let words = words.to_string();
        let (message, fix) = match words.split_once("; ") {
            Some((message, fix)) => (message.to_owned(), Some(fix.to_owned())),
            None => (words, None),
        };
        Self { check, status: Status::Failed, message, fix }
    }
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    let mut checks = Vec::new();
    match args.options.settle(None) {
        Ok(settings) => {
            checks.push(checks::configuration(args.options.config.as_deref()));
            let db = args.db.or_else(|| settings.db.clone()).unwrap_or_else(|| PathBuf::from(open::DEFAULT_FILE));
            checks.push(checks::database(&db).await);
            checks.push(checks::cache());
            checks.push(checks::patterns(settings.patterns.as_deref()));
            checks.push(checks::prompts(settings.prompts.as_deref()));
            checks.extend(model::checks(settings.llm.as_ref(), settings.extractor).await);
        }
        Err(error) => checks.push(Check::failed("configuration", &error)),
    }
    report(checks, args.json)
}

fn report(checks: Vec<Check>, json: bool) -> Result<(), CliError> {
    let failed = checks.iter().filter(|check| check.status == Status::Failed).count();
    let report = Report { ok: failed == 0, checks };
    if json {
        screen::print_line(&serde_json::to_string(&report).expect("it is plain data"))?;
    } else {
        screen::print(&shown(&report.checks))?;
    }
    match failed {
        0 => Ok(()),
        1 => Err(CliError::failed("one thing needs attention")),
        many => Err(CliError::failed(format!("{many} things need attention"))),
    }
}

fn shown(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| screen::columns(check.check)).max().unwrap_or(0);
    let mut text = String::new();
    for Check { check, status, message, fix } in checks {
        let (mark, style) = match status {
            Status::Ok => ("✓", screen::GOOD),
            Status::Failed => ("✗", screen::BAD),
            Status::Skipped => ("–", screen::FAINT),
        };
        text += &format!("{} {}  {message}\n", screen::paint(style, mark), screen::fit(check, width));
        if let Some(fix) = fix {
            text += &format!("  {}  → {fix}\n", " ".repeat(width));
        }
    }
    text
}
