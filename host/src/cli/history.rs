//! `gligabao history`: what calls did, as the commits of the repository tell it.

use std::collections::BTreeSet;

use gligabao_core::model::RunKind;

use super::client::Client;
use super::dataset::path;
use super::error::CliError;
use super::facts::more;
use super::runs::clock;
use super::screen;
use super::target::{Access, Place};
use crate::wire::fact::Facts;
use crate::wire::history::{Entry, History};

/// Facts of an entity that are looked at for its number.
const LOOK: u32 = 100;

/// Which calls.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The dataset
    #[arg(default_value = "main")]
    name: String,
    /// Only those that touched this entity or a fact of it: its number, or any name that it is known by
    #[arg(long, value_name = "NAME|ID")]
    entity: Option<String>,
    /// Only those that touched this fact
    #[arg(long, value_name = "ID")]
    edge: Option<u64>,
    /// How many calls at most, 1 to 1000
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// Where a list before this one left off
    #[arg(long)]
    cursor: Option<String>,
    /// Print the answer as JSON, on one line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    let client = args.place.client(Access::Read, &args.name).await?;
    let entity = match args.entity {
        Some(entity) => Some(number(&client, &entity).await?.to_string()),
        None => None,
    };
    let params = [
        ("entity_id", entity),
        ("edge_id", args.edge.map(|edge| edge.to_string())),
        ("limit", args.limit),
        ("cursor", args.cursor),
    ];
    let reply = client.get(&format!("{}/history", path(&args.name)), &params).await?;
    if args.json {
        return screen::print_line(&reply.json());
    }
    let answer: History = reply.read()?;
    if answer.entries.is_empty() && answer.cursor.is_none() {
        return screen::print("No such calls.\n");
    }
    screen::print(&answer.entries.iter().map(tell).collect::<String>())?;
    more(answer.cursor.as_deref())
}

/// The number of an entity, of which facts are known.
async fn number(client: &Client, entity: &str) -> Result<u64, CliError> {
    if let Ok(number) = entity.parse() {
        return Ok(number);
    }
    let mut found = BTreeSet::new();
    for direction in ["out", "in"] {
        let params = [
            ("entity", Some(entity.to_owned())),
            ("direction", Some(direction.to_owned())),
            ("at", Some("any".to_owned())),
            ("limit", Some(LOOK.to_string())),
        ];
        let facts: Facts = client.get_of_dataset("/v1/gb/facts", &params).await?.read()?;
        let end = |fact: &crate::wire::fact::Fact| match direction {
            "out" => Some(fact.source_id),
            _ => fact.target_id,
        };
        found.extend(facts.facts.iter().filter_map(end));
    }
    match found.iter().collect::<Vec<_>>().as_slice() {
        [] => Err(CliError::failed(format!("nothing is known of {entity}; give the number of an entity"))),
        [only] => Ok(**only),
        several => {
            let numbers: Vec<_> = several.iter().map(ToString::to_string).collect();
            let words = format!("{entity} may be several entities; give one by its number: {}", numbers.join(", "));
            Err(CliError::failed(words))
        }
    }
}

/// A call in some lines, as a log of commits has them.
fn tell(entry: &Entry) -> String {
    let style = match entry.kind.0 {
        _ if entry.failed => screen::BAD,
        RunKind::Query => screen::FAINT,
        RunKind::Remember | RunKind::Edit => screen::STRONG,
    };
    let mut text = format!(
        "{} {} {}\n",
        screen::paint(screen::NAME, &format!("{:>5}", entry.seq)),
        screen::paint(screen::FAINT, &clock(entry.at)),
        screen::paint(style, &entry.subject)
    );
    for line in &entry.lines {
        text += &format!("      {line}\n");
    }
    text
}
