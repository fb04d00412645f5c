//! `gligabao run`: the log of calls.

mod show;

use clap::Subcommand;
use comfy_table::{Attribute, Cell, CellAlignment, Color, ColumnConstraint};
use gligabao_core::time::Micros;
use serde_json::Value;

use super::error::CliError;
use super::facts::more;
use super::screen;
use super::show::table;
use super::target::{Access, Target};
use crate::store::{RunKind, RunStatus};
use crate::wire::llm::Llm;
use crate::wire::run::{Run, Runs};
use crate::wire::time::Time;

/// Columns of what was asked for, in a list.
const WHAT_WIDTH: usize = 40;

/// Bytes of a time to the minute.
const MINUTE: usize = "2024-06-10 08:30".len();

/// The place of that column.
const WHAT: usize = 5;

/// What to do.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    /// Print the answer as JSON, on one line
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List logged calls, newest first
    List {
        /// Only of this kind: remember, query or edit
        #[arg(long)]
        kind: Option<String>,
        /// Only in this status: running, done or failed
        #[arg(long)]
        status: Option<String>,
        /// Only of this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// How many at most, 1 to 1000
        #[arg(long, value_name = "N")]
        limit: Option<String>,
        /// Where a list before this one left off
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Tell what happened in one call: its stages, and what it asked of models
    Show {
        /// Number of the run; the newest when absent
        id: Option<u64>,
    },
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    let client = args.target.client(Access::Read).await?;
    match args.action {
        Action::List { kind, status, session, limit, cursor } => {
            let params =
                [("kind", kind), ("status", status), ("session_id", session), ("limit", limit), ("cursor", cursor)];
            let reply = client.get_of_dataset("/v1/gb/runs", &params).await?;
            if args.json { screen::print_line(&reply.json()) } else { list(&reply.read()?) }
        }
        Action::Show { id } => {
            let id = match id {
                Some(id) => id,
                None => {
                    let newest = [("limit", Some("1".to_owned()))];
                    let runs: Runs = client.get_of_dataset("/v1/gb/runs", &newest).await?.read()?;
                    runs.runs.first().ok_or_else(|| CliError::failed("no call is logged yet"))?.run_id
                }
            };
            let reply = client.get_of_dataset(&format!("/v1/gb/runs/{id}"), &[]).await?;
            if args.json { screen::print_line(&reply.json()) } else { screen::print(&show::trajectory(&reply.read()?)) }
        }
    }
}

fn list(answer: &Runs) -> Result<(), CliError> {
    if answer.runs.is_empty() {
        return screen::print("No such calls are logged.\n");
    }
    let shown = columns(screen::width());
    let names = ["run", "began (UTC)", "took", "kind", "status", "what", "calls", "tokens", "cost"];
    let mut table = table(&shown.iter().map(|&column| names[column]).collect::<Vec<_>>());
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    for run in &answer.runs {
        let Run { llm, .. } = run;
        let kind = Cell::new(run.kind).fg(Color::Cyan);
        let cells = [
            Cell::new(run.run_id).add_attribute(Attribute::Dim),
            Cell::new(&clock(run.started_at)[..MINUTE]),
            right(took(run).unwrap_or_default()),
            kind,
            status(run.status.0),
            Cell::new(short(&what(run), WHAT_WIDTH)),
            right(llm.map_or_else(String::new, |llm| llm.calls.to_string())),
            right(llm.and_then(|llm| tokens(llm.tokens_in, llm.tokens_out)).unwrap_or_default()),
            right(llm.and_then(|llm| llm.cost_usd).map(dollars).unwrap_or_default()),
        ];
        table.add_row(shown.iter().map(|&column| cells[column].clone()));
    }
    // Only what was asked for may take several lines.
    for (index, column) in table.column_iter_mut().enumerate() {
        if shown[index] != WHAT {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    screen::print(&format!("{table}\n"))?;
    more(answer.cursor.as_deref())
}

/// The columns that leave room for what was asked: on a narrow screen, those without which a line says little.
fn columns(width: Option<usize>) -> &'static [usize] {
    const WIDE: usize = 110;
    match width {
        Some(width) if width < WIDE => &[0, 1, 3, 4, WHAT],
        _ => &[0, 1, 2, 3, 4, WHAT, 6, 7, 8],
    }
}

fn status(status: RunStatus) -> Cell {
    let cell = Cell::new(status.as_str());
    match status {
        RunStatus::Done => cell.fg(Color::Green),
        RunStatus::Failed => cell.fg(Color::Red),
        RunStatus::Running => cell.fg(Color::Yellow),
    }
}

/// What a call was about, in a few words.
fn what(run: &Run) -> String {
    let text = |name: &str| run.params[name].as_str().unwrap_or_default().to_owned();
    match run.kind.0 {
        RunKind::Query => text("question"),
        RunKind::Remember if run.params["title"].is_string() => text("title"),
        RunKind::Remember => format!("a text of {} bytes", run.params["text_bytes"]),
        RunKind::Edit => match &run.params["edge_id"] {
            Value::Null => text("operation"),
            edge => format!("{} #{edge}", text("operation")),
        },
    }
}

/// The first words of a text, on one line.
fn short(text: &str, width: usize) -> String {
    screen::fit(&line(text), width).trim_end().to_owned()
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A transaction time to the second.
pub(super) fn clock(at: Time) -> String {
    let whole = Micros(at.0.0.div_euclid(1_000_000) * 1_000_000);
    whole.to_string().replace('T', " ").trim_end_matches('Z').to_owned()
}

/// How long a call took; nothing while it runs.
fn took(run: &Run) -> Option<String> {
    let micros = run.ended_at?.0.0 - run.started_at.0.0;
    Some(duration(u64::try_from(micros).unwrap_or(0).div_ceil(1_000)))
}

fn duration(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..100_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        _ => format!("{} s", millis / 1_000),
    }
}

/// Tokens of the prompts and of the answers.
fn tokens(tokens_in: Option<u64>, tokens_out: Option<u64>) -> Option<String> {
    let known = |tokens: Option<u64>| tokens.map_or_else(|| "?".to_owned(), |tokens| tokens.to_string());
    (tokens_in.is_some() || tokens_out.is_some()).then(|| format!("{} → {}", known(tokens_in), known(tokens_out)))
}

fn dollars(cost: f64) -> String {
    if cost < 0.01 {
        let exact = format!("{cost:.6}");
        return format!("${}", exact.trim_end_matches('0').trim_end_matches('.'));
    }
    format!("${cost:.2}")
}

/// What models took, in words.
pub(super) fn usage(llm: &Llm) -> String {
    let mut words = format!("{} {}", llm.calls, if llm.calls == 1 { "call" } else { "calls" });
    if let Some(tokens) = tokens(llm.tokens_in, llm.tokens_out) {
        words += &format!(", {tokens} tokens");
    }
    if let Some(cost) = llm.cost_usd {
        words += &format!(", {}", dollars(cost));
    }
    words
}
