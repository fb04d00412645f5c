//! The last chapter: a price beside the facts, from `examples/data/stocks.csv`.

use serde_json::{Value, json};

use super::story::heading;
use crate::cli::client::Client;
use crate::cli::error::CliError;
use crate::cli::note::Note;
use crate::cli::remember::tell;
use crate::cli::screen::{self, FAINT, NAME, fit, paint};
use crate::cli::{plot, series, show};
use crate::sheet::{self, Options};
use crate::wire::series::answer::PutSeries;
use crate::wire::series::read::Row;

const STOCKS: &[u8] = include_bytes!("../../../../examples/data/stocks.csv");

const NOTE: &str = "Steve Jobs works at Apple. Apple is based in Cupertino.";

const TOLD: &str = "2007-01-09";

const WINDOW: [&str; 2] = ["2007-01-09", "2008-07-11"];

/// Columns of text.
const WIDTH: usize = 100;

/// Tells a note about Apple and its price, and draws that.
pub(super) async fn show(client: &Client) -> Result<(), CliError> {
    heading(6, "Numbers have a time too. What did Apple's share do around the first iPhone?")?;
    let header = vec![("reference_time", TOLD.to_owned())];
    tell(client, Note { header, text: NOTE.to_owned() }, &[]).await?;
    command(&format!("gligabao remember \"{NOTE}\" --reference-time {TOLD}"))?;

    let options = Options { by: Some("symbol".to_owned()), ..Options::default() };
    let stocks = sheet::read(STOCKS, &options);
    let stocks = stocks.map_err(|error| CliError::failed(format!("examples/data/stocks.csv: {error}")))?;
    let apple = stocks.columns.into_iter().find(|column| column.group.as_deref() == Some("AAPL"));
    let points = apple.into_iter().flat_map(|column| column.points);
    let points: Vec<_> = points.map(|point| Row::Number(point.at.into(), point.value)).collect();
    let sent = json!([{
        "key": "AAPL", "field": "price", "name": "Apple's share", "unit": "USD", "points": points,
        "anchors": [{"entity": {"name": "Apple"}, "role": "the first iPhone", "window": WINDOW}],
    }]);
    let fields = vec![("series", Some(sent)), ("observations", Some(Value::from(true)))];
    let put: PutSeries = client.post("/v1/gb/timeseries", fields).await?.read()?;
    command(&format!(
        "gligabao series put examples/data/stocks.csv --by symbol --only AAPL --name \"Apple's share\" \\\n      --unit USD \
         --entity Apple --role \"the first iPhone\" --window {}..{} --observe",
        WINDOW[0], WINDOW[1]
    ))?;
    for told in &put.series_observations {
        screen::print(&indented(&told.text))?;
        for edge in &told.edges {
            let number = fit(&format!("#{}", edge.fact.id), 5);
            screen::print(&format!("    {} {}\n", paint(NAME, &number), show::sentence(&edge.fact)))?;
        }
    }
    for written in &put.series {
        let part = series::all(client, written.id, &[]).await?;
        let drawn = plot::plot(client, &part.series, &part.points, None).await?;
        let width = screen::width().unwrap_or(WIDTH).min(WIDTH) - 2;
        command(&format!("gligabao series plot {}", written.key))?;
        let lines = plot::in_terminal(&drawn, width, 10);
        let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
        screen::print(&lines)?;
    }
    Ok(())
}

fn command(command: &str) -> Result<(), CliError> {
    screen::print(&format!("  {}\n", paint(FAINT, &format!("$ {command}"))))
}

/// A text in lines that fit.
fn indented(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && screen::columns(&line) + 1 + screen::columns(word) > WIDTH - 2 {
            lines += &format!("  {line}\n");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines + &format!("  {line}\n")
}
