//! `gligabao timeline`: an entity's facts as bars over valid time.

use gligabao_core::time::Micros;

use super::error::CliError;
use super::facts::more;
use super::target::{Access, Target};
use super::{chart, screen};
use crate::wire::fact::Timeline;
use crate::wire::time::Time;

/// Columns of a chart that no terminal shows.
const PIPE_WIDTH: usize = 120;

/// Whose facts.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Whose timeline: any name that it is known by
    entity: String,
    /// Only with this relation, such as works_at
    #[arg(long)]
    relation: Option<String>,
    /// Which end of the fact the entity is: out, in or both
    #[arg(long, value_name = "WHICH")]
    direction: Option<String>,
    /// As believed when: a time, or a version (digits only)
    #[arg(long, value_name = "TIME|VERSION")]
    known_at: Option<String>,
    /// Only what still held at this time or later
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Only what held by this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only of this wing or of none
    #[arg(long)]
    wing: Option<String>,
    /// How many facts at most, 1 to 1000
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// Where a list before this one left off
    #[arg(long)]
    cursor: Option<String>,
    /// Print the answer as JSON, on one line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    let client = args.target.client(Access::Read).await?;
    let params = [
        ("entity", Some(args.entity.clone())),
        ("relation", args.relation),
        ("direction", args.direction),
        ("known_at", args.known_at),
        ("from", args.from),
        ("until", args.until),
        ("wing", args.wing),
        ("limit", args.limit),
        ("cursor", args.cursor),
    ];
    let reply = client.get_of_dataset("/v1/gb/timeline", &params).await?;
    if args.json {
        return screen::print_line(&reply.json());
    }
    let answer: Timeline = reply.read()?;
    if answer.facts.is_empty() {
        return screen::print(&format!("Nothing is known of {}.\n", args.entity));
    }
    screen::print(&chart::draw(&answer.facts, now(), screen::width().unwrap_or(PIPE_WIDTH)))?;
    more(answer.cursor.as_deref())
}

/// Where open bars end.
pub(crate) fn now() -> Time {
    Time(Micros(chrono::Utc::now().timestamp_micros()))
}
