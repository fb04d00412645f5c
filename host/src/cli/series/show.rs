//! `gligabao series list` and `series get`: series as tables, JSON and CSV.

use comfy_table::{Attribute, Cell, CellAlignment};
use gligabao_core::series::number::{number, percent};

use super::{all, find, name, path};
use crate::cli::client::Client;
use crate::cli::error::CliError;
use crate::cli::facts::more;
use crate::cli::screen::{self, FAINT, STRONG, paint};
use crate::cli::show::{self, moment, until};
use crate::sheet;
use crate::wire::series::read::{Row, SeriesPart};
use crate::wire::series::stats::Stats;
use crate::wire::series::{Anchor, Series, SeriesList};

/// Points that are shown when nobody says how many.
const SHOWN: usize = 20;

/// Which series.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Only those tied to this entity, by its number
    #[arg(long, value_name = "ID")]
    entity_id: Option<u64>,
    /// Only those tied to this text
    #[arg(long, value_name = "ID")]
    artifact_id: Option<u64>,
    /// Only those tied to this fact
    #[arg(long, value_name = "ID")]
    edge_id: Option<u64>,
    /// How many at most, 1 to 1000
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// Where a list before this one left off
    #[arg(long)]
    cursor: Option<String>,
}

/// Which series, and what of it.
#[derive(Debug, clap::Args)]
pub(crate) struct GetArgs {
    /// Its number, its key, or KEY/FIELD
    series: String,
    #[command(flatten)]
    part: PartOptions,
    /// How many points or periods at most, 1 to 100000
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// Where an answer before this one left off
    #[arg(long)]
    cursor: Option<String>,
    /// Print it as CSV; all of it without --limit
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// What of a series.
#[derive(Debug, clap::Args)]
pub(crate) struct PartOptions {
    /// From this time on
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Up to this time, inside
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Points put together by periods: 1h, 1d, 1w, 1mo or 1y
    #[arg(long, value_name = "PERIOD")]
    bucket: Option<String>,
    /// What is told of a period: mean (default), min, max, last, count or ohlc
    #[arg(long, value_name = "WHAT")]
    agg: Option<String>,
    /// As known at this time
    #[arg(long, value_name = "TIME")]
    known_at: Option<String>,
}

impl PartOptions {
    /// As parameters.
    pub(crate) fn params(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("from", self.from.clone()),
            ("to", self.to.clone()),
            ("bucket", self.bucket.clone()),
            ("agg", self.agg.clone()),
            ("known_at", self.known_at.clone()),
        ]
    }

    /// What is told of periods, in words.
    pub(crate) fn what(&self) -> Option<String> {
        let bucket = self.bucket.as_ref()?;
        Some(format!("{} of {bucket}", self.agg.as_deref().unwrap_or("mean")))
    }
}

pub(super) async fn list(client: &Client, args: ListArgs, json: bool) -> Result<(), CliError> {
    let text = |id: Option<u64>| id.map(|id| id.to_string());
    let params = [
        ("entity_id", text(args.entity_id)),
        ("artifact_id", text(args.artifact_id)),
        ("edge_id", text(args.edge_id)),
        ("limit", args.limit),
        ("cursor", args.cursor),
    ];
    let reply = client.get_of_dataset("/v1/gb/timeseries", &params).await?;
    if json {
        return screen::print_line(&reply.json());
    }
    let answer: SeriesList = reply.read()?;
    if answer.series.is_empty() {
        return screen::print("No series. `gligabao series put FILE.csv` writes those of a file.\n");
    }
    let mut table = show::table(&["#", "series", "name", "unit", "points", "from", "to", "last", "change"]);
    for series in &answer.series {
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        let stats = |shown: fn(&Stats) -> String| series.stats.as_ref().map_or_else(String::new, shown);
        table.add_row(vec![
            Cell::new(series.id).add_attribute(Attribute::Dim),
            Cell::new(name(series)).add_attribute(Attribute::Bold),
            Cell::new(if series.name == series.key { "" } else { &series.name }),
            Cell::new(series.unit.as_deref().unwrap_or_default()),
            right(series.point_count.to_string()),
            Cell::new(stats(|stats| moment(stats.first_ts))),
            Cell::new(stats(|stats| moment(stats.last_ts))),
            right(stats(|stats| number(stats.last))),
            right(stats(change)),
        ]);
    }
    screen::print(&format!("{table}\n"))?;
    more(answer.cursor.as_deref())
}

/// `+12.5 %`, or nothing where there is no percentage.
fn change(stats: &Stats) -> String {
    let sign = |pct: f64| if pct > 0.0 { "+" } else { "" };
    stats.pct_change.map_or_else(String::new, |pct| format!("{}{} %", sign(pct), percent(pct)))
}

pub(super) async fn get(client: &Client, args: GetArgs, json: bool) -> Result<(), CliError> {
    let id = find(client, &args.series).await?.id;
    let mut params = args.part.params();
    if args.csv && args.limit.is_none() {
        params.push(("cursor", args.cursor));
        return screen::print(&sheet::write(&all(client, id, &params).await?.points));
    }
    let shown = Some(SHOWN.to_string()).filter(|_| !json);
    params.extend([("limit", args.limit.or(shown)), ("cursor", args.cursor)]);
    let reply = client.get_of_dataset(&path(id), &params).await?;
    if json {
        return screen::print_line(&reply.json());
    }
    let part: SeriesPart = reply.read()?;
    if args.csv {
        return screen::print(&sheet::write(&part.points));
    }
    screen::print(&text(&part))?;
    more(part.cursor.as_deref())
}

fn text(part: &SeriesPart) -> String {
    let series = &part.series;
    let mut text = head(series);
    for anchor in &series.anchors {
        text += &format!("tied to {}\n", self::anchor(anchor));
    }
    match (&part.window_stats, &series.stats) {
        (Some(window), _) => text += &format!("{}\n", amounts(window)),
        (None, Some(all)) => text += &format!("{}\n", amounts(all)),
        (None, None) => text += "It has no points.\n",
    }
    if part.points.is_empty() {
        return text;
    }
    let titles: &[&str] = match part.points[0] {
        Row::Number(..) => &["time", "value"],
        Row::Count(..) => &["from", "points"],
        Row::Ohlc(..) => &["from", "open", "high", "low", "close"],
    };
    let mut table = show::table(titles);
    for row in &part.points {
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        let mut cells = vec![Cell::new(moment(row.at()))];
        match row {
            Row::Number(_, value) => cells.push(right(number(*value))),
            Row::Count(_, count) => cells.push(right(count.to_string())),
            Row::Ohlc(_, values) => cells.extend(values.iter().map(|value| right(number(*value)))),
        }
        table.add_row(cells);
    }
    text + &format!("{table}\n")
}

/// A series that facts lead to, on one line: `Apple's share #5 AAPL/price, 25.94 … 223.02 (+759.75 %)`.
pub(crate) fn line(series: &Series, tied: Option<&Anchor>, window: Option<&Stats>) -> String {
    let tied = tied.map_or_else(String::new, |tied| format!(", tied to {}", anchor(tied)));
    let amounts = window.or(series.stats.as_ref()).map_or_else(String::new, |stats| format!(": {}", course(stats)));
    format!("{}{}{amounts}", head(series).trim_end(), paint(FAINT, &tied))
}

/// `25.94 … 223.02 (+759.75 %)`.
fn course(stats: &Stats) -> String {
    let change = change(stats);
    let change = if change.is_empty() { change } else { format!(" ({change})") };
    format!("{} … {}{change}", number(stats.first), number(stats.last))
}

/// Name, identifier and labels on one line.
fn head(series: &Series) -> String {
    let labels = [series.unit.as_ref(), series.frequency.as_ref(), series.provider.as_ref()];
    let labels: String = labels.into_iter().flatten().map(|label| format!(", {label}")).collect();
    format!("{} {}\n", paint(STRONG, &series.name), paint(FAINT, &format!("#{} {}{labels}", series.id, name(series))))
}

/// What points amount to, in a few lines.
fn amounts(stats: &Stats) -> String {
    let (first, last) = (moment(stats.first_ts), moment(stats.last_ts));
    let points = if stats.count == 1 { "1 point".to_owned() } else { format!("{} points", stats.count) };
    format!(
        "{points} from {first} to {last}: {}\nmin {} on {}, max {} on {}, mean {}",
        course(stats),
        number(stats.min),
        moment(stats.min_ts),
        number(stats.max),
        moment(stats.max_ts),
        number(stats.mean)
    )
}

/// `entity 3 as share price, 2007-01-09 … 2008-07-11`.
pub(super) fn anchor(anchor: &Anchor) -> String {
    let role = anchor.role.as_ref().map_or_else(String::new, |role| format!(" as {role}"));
    let window = anchor.window_start.zip(anchor.window_end);
    let window = window.map_or_else(String::new, |(start, end)| format!(", {} … {}", moment(start), until(end)));
    format!("{} {}{role}{window}", anchor.r#type, anchor.id)
}
