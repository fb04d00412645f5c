//! `gligabao facts`: facts as of two times.

use super::error::CliError;
use super::target::{Access, Target};
use super::{screen, show};
use crate::wire::fact::Facts;

/// Which facts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gligabao facts \"Anna Weber\"                       what holds now
  gligabao facts \"Anna Weber\" --at 2022-06-01       what held then
  gligabao facts \"Anna Weber\" --at any --known-at 7 what was believed at version 7")]
pub(crate) struct Args {
    /// Facts of what this name means; without it, of anyone
    entity: Option<String>,
    /// Only with this relation, such as works_at
    #[arg(long)]
    relation: Option<String>,
    /// Which end of the fact the entity is: out, in or both
    #[arg(long, value_name = "WHICH")]
    direction: Option<String>,
    /// When they hold: a time, `now` (default) or `any`
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
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
    /// How many at most, 1 to 1000
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
        ("entity", args.entity),
        ("relation", args.relation),
        ("direction", args.direction),
        ("at", args.at),
        ("known_at", args.known_at),
        ("from", args.from),
        ("until", args.until),
        ("wing", args.wing),
        ("limit", args.limit),
        ("cursor", args.cursor),
    ];
    let reply = client.get_of_dataset("/v1/gb/facts", &params).await?;
    if args.json {
        return screen::print_line(&reply.json());
    }
    let answer: Facts = reply.read()?;
    if answer.facts.is_empty() {
        return screen::print("No facts. `--at any` shows those of all times.\n");
    }
    screen::print(&show::facts_table(&answer.facts))?;
    more(answer.cursor.as_deref())
}

/// Says how a list goes on that was cut.
pub(crate) fn more(cursor: Option<&str>) -> Result<(), CliError> {
    match cursor {
        Some(cursor) => screen::print(&format!("There are more: --cursor {cursor}\n")),
        None => Ok(()),
    }
}
