//! `gligabao series`: time series, in and out.

mod put;
mod show;

use clap::Subcommand;

pub(crate) use self::show::{PartOptions, line};
use super::client::{Client, Reply};
use super::error::CliError;
use super::plot;
use super::screen;
use super::target::{Access, Target};
use crate::wire::series::read::SeriesPart;
use crate::wire::series::{Deleted, Series, SeriesList};

/// Most points of an answer.
pub(crate) const PAGE: usize = 100_000;

/// Most points that are read for one picture or file.
const MOST: usize = 2_000_000;

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
    /// Write the series of a CSV file
    Put(put::Args),
    /// List series
    List(show::ListArgs),
    /// Show a series and its points
    Get(show::GetArgs),
    /// Draw a series, in the terminal or as a picture
    Plot(plot::Args),
    /// Delete a series, or the points of a time
    Delete(DeleteArgs),
    /// Tie a stored series to something
    Anchor(put::AnchorArgs),
    /// Take an anchor away
    Unanchor(UnanchorArgs),
}

/// What to delete.
#[derive(Debug, clap::Args)]
struct DeleteArgs {
    /// Its number, its key, or KEY/FIELD
    series: String,
    /// Only the points from this time on
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Only the points up to this time, inside
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Yes, delete all of it: there is no way back
    #[arg(long)]
    yes: bool,
}

/// Which anchor.
#[derive(Debug, clap::Args)]
struct UnanchorArgs {
    /// Its number, its key, or KEY/FIELD
    series: String,
    /// What kind of thing it is tied to: artifact, entity or edge
    #[arg(value_name = "artifact|entity|edge")]
    kind: String,
    /// Number of that thing
    id: u64,
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    let client = args.target.client(Access::Read).await?;
    match args.action {
        Action::Put(put) => put::run(&client, put, args.json).await,
        Action::List(list) => show::list(&client, list, args.json).await,
        Action::Get(get) => show::get(&client, get, args.json).await,
        Action::Plot(plot) => plot::run(&client, plot, args.json).await,
        Action::Delete(delete) => self::delete(&client, delete, args.json).await,
        Action::Anchor(anchor) => put::anchor(&client, anchor, args.json).await,
        Action::Unanchor(unanchor) => self::unanchor(&client, unanchor, args.json).await,
    }
}

/// The series that a number, a key, or a key and a field name.
pub(crate) async fn find(client: &Client, named: &str) -> Result<Series, CliError> {
    if let Ok(id) = named.parse::<u64>() {
        let params = [("limit", Some("1".to_owned()))];
        let part: SeriesPart = client.get_of_dataset(&path(id), &params).await?.read()?;
        return Ok(part.series);
    }
    let mut found = Vec::new();
    let mut cursor = None;
    loop {
        let params = [("limit", Some("1000".to_owned())), ("cursor", cursor)];
        let list: SeriesList = client.get_of_dataset("/v1/gb/timeseries", &params).await?.read()?;
        found.extend(list.series.into_iter().filter(|series| series.key == named || named == name(series)));
        cursor = list.cursor;
        if cursor.is_none() {
            break;
        }
    }
    match found.len() {
        0 => Err(CliError::failed(format!("there is no series {named}; `gligabao series list` shows what there is"))),
        1 => Ok(found.swap_remove(0)),
        _ => {
            let names: Vec<_> = found.iter().map(|series| format!("{} (#{})", name(series), series.id)).collect();
            Err(CliError::failed(format!("{named} has several series; name one: {}", names.join(", "))))
        }
    }
}

/// Key and field.
pub(crate) fn name(series: &Series) -> String {
    format!("{}/{}", series.key, series.field)
}

/// Where a series is.
pub(crate) fn path(id: u64) -> String {
    format!("/v1/gb/timeseries/{id}")
}

/// All that is asked for of a series, page by page. `params` have neither limit nor cursor.
pub(crate) async fn all(
    client: &Client,
    id: u64,
    params: &[(&'static str, Option<String>)],
) -> Result<SeriesPart, CliError> {
    let mut whole: Option<SeriesPart> = None;
    let mut cursor = None;
    loop {
        let mut params = params.to_vec();
        params.extend([("limit", Some(PAGE.to_string())), ("cursor", cursor)]);
        let part: SeriesPart = client.get_of_dataset(&path(id), &params).await?.read()?;
        cursor = part.cursor.clone();
        let so_far = match &mut whole {
            None => whole.insert(part),
            Some(whole) => {
                whole.points.extend(part.points);
                whole
            }
        };
        if cursor.is_none() {
            (so_far.truncated, so_far.cursor) = (false, None);
            return Ok(whole.expect("it was read just now"));
        }
        if so_far.points.len() >= MOST {
            return Err(CliError::failed(format!(
                "there are more than {MOST} points; narrow them with --from and --to, or put them together with --bucket"
            )));
        }
    }
}

async fn delete(client: &Client, args: DeleteArgs, json: bool) -> Result<(), CliError> {
    let series = find(client, &args.series).await?;
    let whole = args.from.is_none() && args.to.is_none();
    if whole && !args.yes {
        return Err(CliError::start(format!(
            "this deletes {} with {} points for ever; add --yes to do it",
            name(&series),
            series.point_count
        )));
    }
    let params = [("from", args.from), ("to", args.to)];
    let reply = client.delete_of_dataset(&path(series.id), &params).await?;
    answered(&reply, json, |deleted| match deleted.points {
        None => format!("Deleted {}.\n", name(&series)),
        Some(1) => format!("Deleted 1 point of {}.\n", name(&series)),
        Some(points) => format!("Deleted {points} points of {}.\n", name(&series)),
    })
}

async fn unanchor(client: &Client, args: UnanchorArgs, json: bool) -> Result<(), CliError> {
    let series = find(client, &args.series).await?;
    let kind: String = form_urlencoded::byte_serialize(args.kind.as_bytes()).collect();
    let path = format!("{}/anchors/{kind}/{}", path(series.id), args.id);
    let reply = client.delete_of_dataset(&path, &[]).await?;
    answered(&reply, json, |_| format!("{} is no longer tied to {} {}.\n", name(&series), args.kind, args.id))
}

fn answered(reply: &Reply, json: bool, words: impl FnOnce(Deleted) -> String) -> Result<(), CliError> {
    if json { screen::print_line(&reply.json()) } else { screen::print(&words(reply.read()?)) }
}
