//! `gligabao query`: an answer, and the facts that it rests on.

use serde_json::Value;

use super::error::CliError;
use super::models::Models;
use super::runs::usage;
use super::target::{Access, Target};
use super::{screen, series, show};
use crate::wire::query::QueryAnswer;

/// The question.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What you want to know
    question: String,
    /// When the answer should hold: a time
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// As believed when: a time, or a version (digits only)
    #[arg(long, value_name = "TIME|VERSION")]
    known_at: Option<String>,
    /// Only from facts of this wing or of none
    #[arg(long)]
    wing: Option<String>,
    /// How many facts of evidence at most, 1 to 100
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Your session: what was asked in it before goes along
    #[arg(long, alias = "session-id", value_name = "ID")]
    session: Option<String>,
    #[command(flatten)]
    models: Models,
    /// Keep the question out of the run log, and out of its session
    #[arg(long)]
    no_log: bool,
    /// Print the answer as JSON, on one line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    let client = args.target.client(Access::Read).await?;
    let fields = vec![
        ("question", Some(Value::from(args.question))),
        ("at", args.at.map(Value::from)),
        ("known_at", args.known_at.map(Value::from)),
        ("wing", args.wing.map(Value::from)),
        ("limit", args.limit.map(Value::from)),
        ("session_id", args.session.map(Value::from)),
        ("models", args.models.field()),
        ("log", args.no_log.then_some(Value::from(false))),
    ];
    let reply = client.post("/v1/gb/query", fields).await?;
    if args.json {
        return screen::print_line(&reply.json());
    }
    let answer: QueryAnswer = reply.read()?;
    screen::print(&format!("{}\n", screen::paint(screen::STRONG, &answer.answer)))?;
    if !answer.evidence.is_empty() {
        screen::print(&show::facts_table(&answer.evidence))?;
    }
    for tied in &answer.series {
        let amounts = tied.asked_stats.as_ref().or(tied.window_stats.as_ref());
        screen::print(&format!("{}\n", series::line(&tied.series, Some(&tied.anchor), amounts)))?;
    }
    match &answer.llm {
        Some(llm) => screen::print(&format!("{}\n", screen::paint(screen::FAINT, &usage(llm)))),
        None => Ok(()),
    }
}
