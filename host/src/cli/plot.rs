//! `gligabao series plot`: a series over time, in the terminal or as a picture.

mod scale;
mod svg;
mod terminal;

use std::path::PathBuf;

use self::scale::Window;
use super::client::Client;
use super::error::CliError;
use super::screen;
use super::series::{PAGE, PartOptions, all, find, name, path};
use super::show::{moment, until};
use crate::wire::entity::EntityDetail;
use crate::wire::series::Series;
use crate::wire::series::read::Row;

/// Columns of a plot that no terminal shows.
const PIPE_WIDTH: usize = 100;

/// Lines of a plot in the terminal.
const LINES: usize = 15;

/// A picture, in pixels.
const PICTURE: (usize, usize) = (960, 480);

/// Windows that are shown at most.
const MAX_WINDOWS: usize = 6;

/// Which series, and how it is drawn.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its number, its key, or KEY/FIELD
    series: String,
    #[command(flatten)]
    part: PartOptions,
    /// Draw it into this file, as SVG or PNG by its ending
    #[arg(long, value_name = "FILE.svg|FILE.png", conflicts_with = "json")]
    out: Option<PathBuf>,
    /// Columns of the terminal, or units of a picture, of which a PNG has two pixels each
    #[arg(long, value_name = "N")]
    width: Option<usize>,
    /// Lines of the terminal, or units of a picture, of which a PNG has two pixels each
    #[arg(long, value_name = "N")]
    height: Option<usize>,
}

/// What is drawn.
pub(crate) struct Plot {
    /// What it is of.
    title: String,
    /// Which series it is, and from when to when.
    subtitle: String,
    /// Of the values.
    unit: Option<String>,
    /// Times in microseconds and values, ascending; never empty.
    points: Vec<(i64, f64)>,
    /// What matters to what the series is tied to.
    windows: Vec<Window>,
}

pub(crate) async fn run(client: &Client, args: Args, json: bool) -> Result<(), CliError> {
    let found = find(client, &args.series).await?;
    if json {
        let mut params = args.part.params();
        params.push(("limit", Some(PAGE.to_string())));
        return screen::print_line(&client.get_of_dataset(&path(found.id), &params).await?.json());
    }
    let part = all(client, found.id, &args.part.params()).await?;
    let plot = plot(client, &part.series, &part.points, args.part.what()).await?;
    let Some(file) = &args.out else {
        let width = args.width.or_else(screen::width).unwrap_or(PIPE_WIDTH).clamp(40, 400);
        let height = args.height.unwrap_or(LINES).clamp(4, 200);
        return screen::print(&terminal::draw(&plot, width, height));
    };
    let width = pixels("width", args.width, PICTURE.0)?;
    let height = pixels("height", args.height, PICTURE.1)?;
    let picture = svg::draw(&plot, width, height);
    let ending = file.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let bytes = match ending.as_deref() {
        Some("svg") => picture.into_bytes(),
        Some("png") => svg::png(&picture).map_err(CliError::failed)?,
        _ => return Err(CliError::start(format!("{}: name a file that ends in .svg or .png", file.display()))),
    };
    std::fs::write(file, bytes)
        .map_err(|error| CliError::failed(format!("can't write {}: {error}", file.display())))?;
    screen::print(&format!("Drew {} points of {} into {}.\n", part.points.len(), name(&part.series), file.display()))
}

/// What there is to draw. `what` says what is told of periods.
pub(crate) async fn plot(
    client: &Client,
    series: &Series,
    rows: &[Row],
    what: Option<String>,
) -> Result<Plot, CliError> {
    let points: Vec<_> = rows.iter().map(point).collect();
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Err(CliError::failed(format!("{} has no points in that time", name(series))));
    };
    let what = what.map_or_else(String::new, |what| format!(", {what}"));
    let subtitle = format!("{}{what}, {} … {}", name(series), moment(first.at()), moment(last.at()));
    let (title, unit) = (series.name.clone(), series.unit.clone());
    Ok(Plot { title, subtitle, unit, points, windows: windows(client, series).await? })
}

fn point(row: &Row) -> (i64, f64) {
    let value = match *row {
        Row::Number(_, value) | Row::Ohlc(_, [_, _, _, value]) => value,
        // A count is far below 2^53.
        Row::Count(_, count) => count as f64,
    };
    (row.at().0.0, value)
}

/// The windows of the anchors, with role and name.
async fn windows(client: &Client, series: &Series) -> Result<Vec<Window>, CliError> {
    let mut windows = Vec::new();
    for anchor in &series.anchors {
        let Some((start, end)) = anchor.window_start.zip(anchor.window_end) else { continue };
        if windows.len() == MAX_WINDOWS {
            break;
        }
        let target = match &*anchor.r#type {
            "entity" => {
                let path = format!("/v1/gb/entities/{}", anchor.id);
                let entity: EntityDetail = client.get_of_dataset(&path, &[]).await?.read()?;
                entity.entity.name
            }
            kind => format!("{kind} {}", anchor.id),
        };
        let label = anchor.role.as_ref().map_or_else(|| target.clone(), |role| format!("{target}: {role}"));
        let period = format!("{} … {}", moment(start), until(end));
        windows.push(Window { start: start.0.0, end: end.0.0, label, period });
    }
    Ok(windows)
}

fn pixels(option: &str, asked: Option<usize>, usual: usize) -> Result<usize, CliError> {
    match asked.unwrap_or(usual) {
        fits @ 120..=4_000 => Ok(fits),
        other => Err(CliError::failed(format!("--{option}: {other} is not in 120 to 4000, what a picture may have"))),
    }
}

/// A plot in the terminal, for the demo.
pub(crate) fn in_terminal(plot: &Plot, width: usize, height: usize) -> String {
    terminal::draw(plot, width, height)
}
