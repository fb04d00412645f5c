//! `gligabao series put` and `series anchor`: a CSV file goes in, in as many requests as it needs.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use comfy_table::{Attribute, Cell, CellAlignment, Color};
use gligabao_core::series::Point;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::client::Client;
use crate::cli::error::CliError;
use crate::cli::remember::progress;
use crate::cli::{screen, show};
use crate::sheet::{self, Column, DateFormat, Options};
use crate::wire::series::answer::{PutSeries, SeriesObservation, WrittenSeries};
use crate::wire::series::read::Row;

/// Most points of a series in one request.
const MAX_POINTS: usize = 100_000;

/// Most points of a request: with the longest times and values they fit its body.
const REQUEST_POINTS: usize = 250_000;

/// Which file, and how it is read and stored.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gligabao series put prices.csv --key AAPL --entity Apple --unit USD --observe
  gligabao series put examples/data/stocks.csv --by symbol --unit USD
  gligabao series put examples/data/seattle-weather.csv --key seattle --entity Seattle

Each column of numbers becomes a series: its key is --key or the name of the file, its field the name of
the column. With --by the key is what that column says, behind --key if there are
several. Times without a zone are UTC.")]
pub(crate) struct Args {
    /// A CSV file, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Your identifier of it; the name of the file when absent
    #[arg(long)]
    key: Option<String>,
    /// Which value of the key it is; the name of the column when absent
    #[arg(long)]
    field: Option<String>,
    /// For people
    #[arg(long)]
    name: Option<String>,
    /// Of the values, such as USD
    #[arg(long)]
    unit: Option<String>,
    /// How often there is a point, such as 1d
    #[arg(long)]
    frequency: Option<String>,
    /// Column that says which series a row belongs to, in a long file
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// Only this series of --by; may be given several times
    #[arg(long, value_name = "NAME", requires = "by")]
    only: Vec<String>,
    /// Column of times
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Column of values; may be given several times; every column of numbers when absent
    #[arg(long, value_name = "COLUMN")]
    value: Vec<String>,
    /// How times are written, where that could be meant in several ways
    #[arg(long, value_name = "FORMAT")]
    date_format: Option<DateFormat>,
    #[command(flatten)]
    anchor: AnchorOptions,
    /// Tell it in words, and store the facts of that
    #[arg(long)]
    observe: bool,
}

/// A stored series, and what it is tied to.
#[derive(Debug, clap::Args)]
pub(crate) struct AnchorArgs {
    /// Its number, its key, or KEY/FIELD
    series: String,
    #[command(flatten)]
    anchor: AnchorOptions,
}

/// What a series is tied to.
#[derive(Debug, clap::Args)]
struct AnchorOptions {
    /// Tie it to this entity, which is made if it is missing; may be given several times
    #[arg(long, value_name = "NAME", help_heading = "Anchors")]
    entity: Vec<String>,
    /// Tie it to the text with this number
    #[arg(long, value_name = "ID", help_heading = "Anchors")]
    artifact_id: Option<u64>,
    /// Tie it to the fact with this number
    #[arg(long, value_name = "ID", help_heading = "Anchors")]
    edge_id: Option<u64>,
    /// What it is to that, such as "share price"
    #[arg(long, help_heading = "Anchors")]
    role: Option<String>,
    /// The slice that matters to that, such as 2007-01-09..2008-07-11
    #[arg(long, value_name = "FROM..TO", help_heading = "Anchors")]
    window: Option<String>,
}

impl AnchorOptions {
    fn anchors(&self) -> Result<Vec<Value>, CliError> {
        let window = self.window.as_deref().map(|window| {
            let ends = window.split_once("..").filter(|(from, to)| !from.is_empty() && !to.is_empty());
            ends.ok_or_else(|| CliError::start(format!("{window} is no window; 2007-01-09..2008-07-11 is one")))
        });
        let window = window.transpose()?.map(|(from, to)| json!([from, to]));
        let targets = self.entity.iter().map(|name| ("entity", json!({"name": name})));
        let targets = targets.chain(self.artifact_id.map(|id| ("artifact_id", id.into())));
        let targets: Vec<_> = targets.chain(self.edge_id.map(|id| ("edge_id", id.into()))).collect();
        if targets.is_empty() && (self.role.is_some() || window.is_some()) {
            return Err(CliError::start(
                "--role and --window are of an anchor; add --entity, --artifact-id or --edge-id",
            ));
        }
        let anchor = |(selector, target): (&str, Value)| {
            let mut anchor = json!({selector: target});
            if let Some(role) = &self.role {
                anchor["role"] = role.as_str().into();
            }
            if let Some(window) = &window {
                anchor["window"] = window.clone();
            }
            anchor
        };
        Ok(targets.into_iter().map(anchor).collect())
    }
}

/// A series of a request.
#[derive(Debug, Clone, Serialize)]
struct Sent<'a> {
    key: &'a str,
    field: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency: Option<&'a str>,
    points: Vec<Row>,
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    anchors: &'a [Value],
}

/// A request.
#[derive(Serialize)]
struct Body<'a> {
    series: &'a [Sent<'a>],
    observations: Value,
}

pub(crate) async fn run(client: &Client, args: Args, json: bool) -> Result<(), CliError> {
    let anchors = args.anchor.anchors()?;
    let shown = args.file.display().to_string();
    let options = Options {
        time: args.time.clone(),
        values: args.value.clone(),
        by: args.by.clone(),
        date_format: args.date_format,
    };
    let mut sheet =
        sheet::read(&bytes(&args.file)?, &options).map_err(|error| CliError::failed(format!("{shown}: {error}")))?;
    if let Some(name) = args.only.iter().find(|name| !sheet.columns.iter().any(|column| is_of(column, name))) {
        let by = args.by.as_deref().unwrap_or_default();
        return Err(CliError::failed(format!("{shown}: column {by} never says {name}")));
    }
    sheet.columns.retain(|column| args.only.is_empty() || args.only.iter().any(|name| is_of(column, name)));
    let single = sheet.columns.len() == 1;
    if !single && (args.name.is_some() || args.field.is_some()) {
        let count = sheet.columns.len();
        let message = format!("--name and --field are of one series, and {shown} has {count}; choose one with --value");
        return Err(CliError::start(message));
    }
    let names = names(&sheet.columns, &args);
    let labels = names.iter().map(|(key, field)| Sent {
        key,
        field,
        name: args.name.as_deref(),
        unit: args.unit.as_deref(),
        frequency: args.frequency.as_deref(),
        points: Vec::new(),
        anchors: &anchors,
    });
    let requests = requests(labels.zip(&sheet.columns), args.observe);
    let told = send(client, &requests, args.observe, json).await?;
    if json {
        return Ok(());
    }
    let mut notes = told.warnings;
    if sheet.skipped > 0 {
        notes.push(format!("{} cells without a value were skipped", sheet.skipped));
    }
    if sheet.inexact > 0 {
        notes.push(format!(
            "{} whole numbers are beyond what a double holds; the nearest ones were stored",
            sheet.inexact
        ));
    }
    if !sheet.left_out.is_empty() {
        notes.push(format!("columns without numbers were left out: {}", sheet.left_out.join(", ")));
    }
    screen::print(&text(&told.series, &told.observations, &notes))
}

fn is_of(column: &Column, name: &str) -> bool {
    column.group.as_deref() == Some(name)
}

fn bytes(file: &Path) -> Result<Vec<u8>, CliError> {
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::stdin().read_to_end(&mut bytes);
        return read.map(|_| bytes).map_err(|error| CliError::failed(format!("can't read standard input: {error}")));
    }
    std::fs::read(file).map_err(|error| CliError::start(format!("can't read {}: {error}", file.display())))
}

/// Key and field of each column.
fn names(columns: &[Column], args: &Args) -> Vec<(String, String)> {
    let stem = if args.file == Path::new("-") { None } else { args.file.file_stem() };
    let stem = stem.map_or_else(|| "stdin".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let groups: BTreeSet<_> = columns.iter().filter_map(|column| column.group.as_deref()).collect();
    let one = |column: &Column| {
        let key = match (&args.key, &column.group) {
            (Some(key), Some(group)) if groups.len() > 1 => format!("{key}{group}"),
            (Some(key), _) => key.clone(),
            (None, Some(group)) => group.clone(),
            (None, None) => stem.clone(),
        };
        (key, args.field.clone().unwrap_or_else(|| column.name.clone()))
    };
    columns.iter().map(one).collect()
}

/// What goes in which request. A series that needs several has them for itself; labels and anchors go with its first.
fn requests<'a>(series: impl Iterator<Item = (Sent<'a>, &'a Column)>, observe: bool) -> Vec<Vec<Sent<'a>>> {
    let most_series = if observe { 10 } else { 20 };
    let mut requests: Vec<Vec<Sent<'a>>> = Vec::new();
    let mut room = 0;
    for (labels, column) in series {
        let rows = |points: &[Point]| points.iter().map(|point| Row::Number(point.at.into(), point.value)).collect();
        let mut parts = column.points.chunks(MAX_POINTS);
        let first = parts.next().unwrap_or_default();
        let is_long = column.points.len() > MAX_POINTS;
        let sent = Sent { points: rows(first), ..labels.clone() };
        match requests.last_mut().filter(|request| !is_long && room >= first.len() && request.len() < most_series) {
            Some(request) => request.push(sent),
            None => {
                requests.push(vec![sent]);
                room = REQUEST_POINTS;
            }
        }
        let bare = Sent { name: None, unit: None, frequency: None, anchors: &[], ..labels };
        requests.extend(parts.map(|part| vec![Sent { points: rows(part), ..bare.clone() }]));
        room = if is_long { 0 } else { room - first.len() };
    }
    requests
}

/// What became of all requests.
#[derive(Default)]
struct Told {
    series: Vec<WrittenSeries>,
    observations: Vec<SeriesObservation>,
    warnings: Vec<String>,
}

/// Sends one request after the other, with a bar where there are several.
async fn send(client: &Client, requests: &[Vec<Sent<'_>>], observe: bool, json: bool) -> Result<Told, CliError> {
    let bar = progress(if requests.len() > 1 { requests.len() } else { 0 });
    let mut told = Told::default();
    for (number, request) in requests.iter().enumerate() {
        // A series in parts is told once, with its last part, as a whole.
        let goes_on = |from: &[Sent<'_>], to: &[Sent<'_>]| (from[0].key, from[0].field) == (to[0].key, to[0].field);
        let has_more = requests.get(number + 1).is_some_and(|next| goes_on(request, next));
        let has_begun = number > 0 && goes_on(&requests[number - 1], request);
        let observations = match (observe && !has_more, has_begun) {
            (false, _) => Value::from(false),
            (true, true) => "all".into(),
            (true, false) => true.into(),
        };
        let body = serde_json::to_string(&Body { series: request, observations });
        let body = body.map_err(|error| CliError::failed(format!("can't write the request: {error}")))?;
        let reply = client.post_json("/v1/gb/timeseries", body).await?;
        if json {
            bar.suspend(|| screen::print_line(&reply.json()))?;
        }
        told.add(reply.read()?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(told)
}

impl Told {
    /// Parts of a series become one line.
    fn add(&mut self, answer: PutSeries) {
        for written in answer.series {
            match self.series.iter_mut().find(|series| series.id == written.id) {
                Some(series) => {
                    series.points += written.points;
                    series.replaced += written.replaced;
                    series.point_count = written.point_count;
                }
                None => self.series.push(written),
            }
        }
        self.observations.extend(answer.series_observations);
        self.warnings.extend(answer.warnings);
    }
}

pub(crate) async fn anchor(client: &Client, args: AnchorArgs, json: bool) -> Result<(), CliError> {
    let anchors = args.anchor.anchors()?;
    if anchors.is_empty() {
        return Err(CliError::start("name what it is tied to: --entity, --artifact-id or --edge-id"));
    }
    let series = super::find(client, &args.series).await?;
    let sent = json!([{"key": series.key, "field": series.field, "anchors": anchors}]);
    let reply = client.post("/v1/gb/timeseries", vec![("series", Some(sent))]).await?;
    if json {
        return screen::print_line(&reply.json());
    }
    let answer: PutSeries = reply.read()?;
    screen::print(&text(&answer.series, &[], &answer.warnings))
}

/// What became of it, for people.
fn text(series: &[WrittenSeries], observations: &[SeriesObservation], notes: &[String]) -> String {
    let mut table = show::table(&["#", "series", "", "sent", "replaced", "points", "tied to"]);
    for written in series {
        let number = |count: u64| Cell::new(count).set_alignment(CellAlignment::Right);
        let outcome = if written.created { "new" } else { "known" };
        let outcome = Cell::new(outcome).fg(if written.created { Color::Green } else { Color::Reset });
        let replaced = number(written.replaced.into());
        let anchors = written.anchors.iter().map(|made| super::show::anchor(&made.anchor));
        let skipped = written.skipped_anchors.iter().map(|left| format!("not to {} ({})", left.name, left.reason));
        table.add_row(vec![
            Cell::new(written.id).add_attribute(Attribute::Dim),
            Cell::new(format!("{}/{}", written.key, written.field)).add_attribute(Attribute::Bold),
            outcome,
            number(written.points.into()),
            if written.replaced > 0 { replaced.fg(Color::Yellow) } else { replaced.add_attribute(Attribute::Dim) },
            number(written.point_count),
            Cell::new(anchors.chain(skipped).collect::<Vec<_>>().join("\n")),
        ]);
    }
    let mut text = format!("{table}\n");
    for told in observations {
        text += &format!("\n{}\n", told.text);
        if let Some(error) = &told.error {
            text += &format!("{}\n", screen::paint(screen::BAD, error));
        }
        for edge in &told.edges {
            text += &format!(
                "  {} {}\n",
                screen::paint(screen::NAME, &format!("#{}", edge.fact.id)),
                show::sentence(&edge.fact)
            );
        }
    }
    for note in notes {
        text += &format!("{}\n", screen::paint(screen::FAINT, note));
    }
    text
}
