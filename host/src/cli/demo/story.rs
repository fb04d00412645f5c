//! What the demo asks, and how it tells the answers.

use std::path::Path;

use gligabao_core::time::Micros;

use super::Versions;
use crate::cli::client::Client;
use crate::cli::error::CliError;
use crate::cli::screen::{self, FAINT, GOOD, NAME, STRONG, fit, paint};
use crate::cli::{chart, show};
use crate::wire::artifact::ArtifactDetail;
use crate::wire::dataset::Dataset;
use crate::wire::edge::EdgeDetail;
use crate::wire::fact::{Fact, Facts, Timeline};
use crate::wire::time::Time;

/// The note that tells late what had been true for long.
pub(super) const LATE_NEWS: &str = "2024-02-05-o-que-nao-sabiamos-do-mateus";

/// The chart ends with the notes, so that it looks the same whenever it is drawn.
const END_OF_STORY: &str = "2024-12-31";

/// Columns of the chart at most: wider ones are no clearer.
const CHART_WIDTH: usize = 110;

/// The version of the dataset.
pub(super) async fn version(client: &Client) -> Result<u64, CliError> {
    let dataset: Dataset = client.get("/v1/gb/datasets/main", &[]).await?.read()?;
    Ok(dataset.version)
}

/// Asks everything, in order.
pub(super) async fn ask(client: &Client, versions: &Versions) -> Result<(), CliError> {
    heading(1, "Facts have a time. Where does Anna Weber work?")?;
    said(client, &["Anna Weber", "works_at"], None, None).await?;
    said(client, &["Anna Weber", "works_at"], Some("2022-07-01"), None).await?;

    heading(2, "So does belief. A rumour went round in April 2023. Where did Anna work in May of that year?")?;
    said(client, &["Anna Weber", "works_at"], Some("2023-05-01"), Some(versions.rumour)).await?;
    let believed = said(client, &["Anna Weber", "works_at"], Some("2023-05-01"), None).await?;
    screen::print("\n  Why? Every fact keeps its history and its sources.\n")?;
    history(client, versions.retracted_edge).await?;
    for fact in &believed {
        history(client, fact.id).await?;
    }

    heading(3, "News comes late. Where did Mateus Prado live at the end of 2022?")?;
    said(client, &["Mateus Prado", "lives_in"], Some("2022-12-31"), Some(versions.before_late_news)).await?;
    said(client, &["Mateus Prado", "lives_in"], Some("2022-12-31"), None).await?;

    heading(4, "Prices change. What does Atlas Pro cost, and what did it cost?")?;
    said(client, &["Atlas Pro", "costs"], Some("2022-06-01"), None).await?;
    said(client, &["Atlas Pro", "costs"], Some("2023-06-01"), None).await?;
    said(client, &["Atlas Pro", "costs"], None, None).await?;

    heading(5, "All of it together: Anna Weber in time")?;
    timeline(client).await
}

pub(super) fn heading(number: u32, title: &str) -> Result<(), CliError> {
    screen::print(&format!("\n{} {}\n\n", paint(NAME, &number.to_string()), paint(STRONG, title)))
}

/// One question as a command, and its answer.
async fn said(
    client: &Client,
    [entity, relation]: &[&str; 2],
    at: Option<&str>,
    known_at: Option<u64>,
) -> Result<Vec<Fact>, CliError> {
    let params = [
        ("entity", Some((*entity).to_owned())),
        ("relation", Some((*relation).to_owned())),
        ("direction", Some("out".to_owned())),
        ("at", at.map(str::to_owned)),
        ("known_at", known_at.map(|version| version.to_string())),
    ];
    let answer: Facts = client.get_of_dataset("/v1/gb/facts", &params).await?.read()?;
    let mut command = format!("gligabao facts \"{entity}\" --relation {relation}");
    if let Some(at) = at {
        command += &format!(" --at {at}");
    }
    if let Some(version) = known_at {
        command += &format!(" --known-at {version}");
    }
    let answers: Vec<_> = answer.facts.iter().map(short).collect();
    let answers = if answers.is_empty() { "nobody knows".to_owned() } else { answers.join("; ") };
    let asked = match (at, known_at) {
        (None, None) => "now".to_owned(),
        (Some(at), None) => format!("on {at}"),
        (None, Some(version)) => format!("as known at version {version}"),
        (Some(at), Some(version)) => format!("on {at}, as known at version {version}"),
    };
    screen::print(&format!("  {}\n  {}: {answers}\n", paint(FAINT, &format!("$ {command}")), paint(GOOD, &asked)))?;
    Ok(answer.facts)
}

fn short(fact: &Fact) -> String {
    format!("{} ({})", paint(STRONG, show::object(fact)), show::interval(fact))
}

/// The events of a fact, each with the words that caused it.
async fn history(client: &Client, edge: u64) -> Result<(), CliError> {
    let detail: EdgeDetail = client.get_of_dataset(&format!("/v1/gb/edges/{edge}"), &[]).await?.read()?;
    let mut text = format!("  {}\n", paint(FAINT, &format!("$ curl …/v1/gb/edges/{edge}")));
    text += &format!("  {}\n", show::sentence(&detail.fact));
    for event in &detail.events {
        let cause = match event.artifact_id {
            Some(id) => {
                let source: ArtifactDetail =
                    client.get_of_dataset(&format!("/v1/gb/artifacts/{id}"), &[]).await?.read()?;
                let told = source.artifact.valid_at.to_string();
                let words = source.text.lines().next().unwrap_or_default().to_owned();
                format!("told on {}: “{words}”", told.get(..10).unwrap_or(&told))
            }
            None => "when the rumour was retracted by hand".to_owned(),
        };
        text += &format!("    {} {cause}\n", paint(NAME, &fit(event.event.0.as_str(), 11)));
    }
    screen::print(&text)
}

async fn timeline(client: &Client) -> Result<(), CliError> {
    let params = [("entity", Some("Anna Weber".to_owned()))];
    let answer: Timeline = client.get_of_dataset("/v1/gb/timeline", &params).await?.read()?;
    let end = Micros::parse_request(END_OF_STORY).map_or_else(crate::cli::timeline::now, Time);
    let width = screen::width().unwrap_or(CHART_WIDTH).min(CHART_WIDTH) - 2;
    let mut text = format!("  {}\n", paint(FAINT, "$ gligabao timeline \"Anna Weber\""));
    for line in chart::draw(&answer.facts, end, width).lines() {
        text += format!("  {line}").trim_end();
        text.push('\n');
    }
    screen::print(&text)
}

/// What to try after it.
pub(super) fn next(keep: Option<&Path>) -> String {
    let (first, what_first, db) = match keep {
        Some(file) => {
            let db = format!(" --db {}", file.display());
            (format!("gligabao timeline Marelume{db}"), "the company in time", db)
        }
        None => {
            ("gligabao demo --keep demo.db".to_owned(), "the same again, kept to play with", " --db demo.db".to_owned())
        }
    };
    let commands = [
        (first, what_first),
        (format!("gligabao query \"Who works at Marelume?\"{db}"), "a question, and the facts of the answer"),
        (format!("gligabao series plot AAPL --out apple.png{db}"), "Apple's price as a picture"),
        (format!("gligabao facts --at 2023-01-01{db}"), "the whole company on that day"),
        ("gligabao remember \"Rui moved to Braga in May 2025\"".to_owned(), "a memory of your own, in gligabao.db"),
        ("gligabao serve".to_owned(), "the same over HTTP; /openapi.json describes it"),
    ];
    let widest = commands.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    let mut text = format!("\n{}\n\n", paint(STRONG, "What to try next"));
    for (command, what) in commands {
        text += &format!("  {}  {}\n", fit(&command, widest), paint(FAINT, what));
    }
    text
}
