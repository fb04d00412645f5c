//! `gligabao dataset`: where memories are kept.

mod git;

use clap::Subcommand;
use comfy_table::{Attribute, Cell, CellAlignment};
use serde_json::Value;

use super::client::Client;
use super::error::CliError;
use super::facts::more;
use super::target::{Access, Place};
use super::{screen, show};
use crate::wire::dataset::{Dataset, Datasets};

/// What to do.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    /// Print the answer as JSON, on one line
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List your datasets
    List {
        /// How many at most, 1 to 1000
        #[arg(long, value_name = "N")]
        limit: Option<String>,
        /// Where a list before this one left off
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Show one dataset and how much is in it
    Show {
        /// Its name
        name: String,
    },
    /// Make a dataset, or change what is said of it
    Create {
        /// Its name: a-z, 0-9, `_`, `.` and `-`
        name: String,
        /// What it is for
        #[arg(long)]
        description: Option<String>,
        /// A tag; may be given several times
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
    },
    /// Write a dataset's history to a git repository, or bring that up to date
    Git(git::Args),
    /// Delete a dataset with all that is in it
    Delete {
        /// Its name
        name: String,
        /// Yes, delete it: there is no way back
        #[arg(long)]
        yes: bool,
    },
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    if let Action::Git(git) = args.action {
        return git::run(git, &args.place, args.json).await;
    }
    let access = if matches!(args.action, Action::Create { .. }) { Access::Write } else { Access::Read };
    let client = args.place.client(access, "main").await?;
    match args.action {
        Action::List { limit, cursor } => list(&client, limit, cursor, args.json).await,
        Action::Show { name } => {
            let reply = client.get(&path(&name), &[]).await?;
            if args.json { screen::print_line(&reply.json()) } else { one(&reply.read()?) }
        }
        Action::Create { name, description, tags } => {
            let tags = (!tags.is_empty()).then(|| Value::from(tags));
            let reply =
                client.put(&path(&name), vec![("description", description.map(Value::from)), ("tags", tags)]).await?;
            if args.json { screen::print_line(&reply.json()) } else { one(&reply.read()?) }
        }
        Action::Delete { name, yes } => delete(&client, &name, yes, args.json).await,
        Action::Git(_) => unreachable!("it was run above: it needs no client"),
    }
}

/// Where the API has a dataset.
pub(super) fn path(name: &str) -> String {
    let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
    // In a path a blank is %20; the form encoding writes + for it.
    format!("/v1/gb/datasets/{}", name.replace('+', "%20"))
}

async fn list(client: &Client, limit: Option<String>, cursor: Option<String>, json: bool) -> Result<(), CliError> {
    let reply = client.get("/v1/gb/datasets", &[("limit", limit), ("cursor", cursor)]).await?;
    if json {
        return screen::print_line(&reply.json());
    }
    let answer: Datasets = reply.read()?;
    if answer.datasets.is_empty() {
        return screen::print("No datasets yet. `gligabao remember` makes one.\n");
    }
    let mut table =
        show::table(&["dataset", "facts", "live", "entities", "artifacts", "version", "tags", "description"]);
    for dataset in &answer.datasets {
        let number = |count: u64| Cell::new(count).set_alignment(CellAlignment::Right);
        table.add_row(vec![
            Cell::new(&dataset.name).add_attribute(Attribute::Bold),
            number(dataset.counts.edges),
            number(dataset.counts.live_edges),
            number(dataset.counts.entities),
            number(dataset.counts.artifacts),
            number(dataset.version),
            Cell::new(dataset.tags.join(", ")),
            Cell::new(&dataset.description),
        ]);
    }
    screen::print(&format!("{table}\n"))?;
    more(answer.cursor.as_deref())
}

fn one(dataset: &Dataset) -> Result<(), CliError> {
    let counts = dataset.counts;
    let mut text = screen::paint(screen::STRONG, &dataset.name);
    if !dataset.description.is_empty() {
        text += &format!("  {}", dataset.description);
    }
    if !dataset.tags.is_empty() {
        text += &screen::paint(screen::FAINT, &format!("  [{}]", dataset.tags.join(", ")));
    }
    text += &format!(
        "\n{} artifacts, {} entities, {} facts ({} live)\nversion {}, made {}\n",
        counts.artifacts, counts.entities, counts.edges, counts.live_edges, dataset.version, dataset.created_at
    );
    screen::print(&text)
}

async fn delete(client: &Client, name: &str, yes: bool, json: bool) -> Result<(), CliError> {
    if !yes {
        let dataset: Dataset = client.get(&path(name), &[]).await?.read()?;
        let facts = dataset.counts.edges;
        return Err(CliError::start(format!("this deletes {name} with {facts} facts for ever; add --yes to do it")));
    }
    client.delete(&path(name)).await?;
    if json { Ok(()) } else { screen::print(&format!("Deleted {name}.\n")) }
}
