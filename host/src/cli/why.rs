//! `gligabao why`: what a fact rests on, and what happened to it.

use gligabao_core::model::EdgeEventKind;

use super::client::Client;
use super::error::CliError;
use super::runs::clock;
use super::screen::{self, FAINT, GOOD, STRONG, paint};
use super::target::{Access, Target};
use super::{series, show};
use crate::wire::artifact::ArtifactDetail;
use crate::wire::edge::Event;
use crate::wire::fact::Fact;
use crate::wire::time::Time;
use crate::wire::why::{Source, Span, Why};

/// Sources whose texts are shown.
const MAX_TEXTS: usize = 10;

/// Bytes of a text that are shown on each side of the words.
const AROUND: usize = 160;

/// Which fact.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of the fact, as `facts` and `timeline` show it
    edge: u64,
    /// Print the answer as JSON, on one line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

pub(crate) async fn run(args: Args) -> Result<(), CliError> {
    let client = args.target.client(Access::Read).await?;
    let reply = client.get_of_dataset(&format!("/v1/gb/edges/{}/why", args.edge), &[]).await?;
    if args.json {
        return screen::print_line(&reply.json());
    }
    let why: Why = reply.read()?;
    let mut text = format!("{}\n", paint(STRONG, &format!("#{} {}", why.fact.id, show::sentence(&why.fact))));
    for source in why.sources.iter().take(MAX_TEXTS) {
        text += &told(&client, source).await?;
    }
    match why.sources.len() {
        0 => text += "\nNo text that is still there states it.\n",
        count if count > MAX_TEXTS => {
            text += &format!("\n{} more texts state it; --json lists them.\n", count - MAX_TEXTS);
        }
        _ => {}
    }
    text += "\n";
    for event in &why.events {
        text += &format!("{}  {}\n", paint(FAINT, &clock(event.at)), happened(event, &why.fact));
    }
    screen::print(&text)
}

/// A source with the words that the fact was read from.
async fn told(client: &Client, source: &Source) -> Result<String, CliError> {
    let title = source.title.as_ref().map_or_else(String::new, |title| format!(" “{title}”"));
    let day = clock(source.valid_at).replace(" 00:00:00", "");
    let head = paint(FAINT, &format!("Text {}{title}, {} of {day}:", source.artifact_id, source.kind));
    let words = match source.span {
        Some(span) => {
            let path = format!("/v1/gb/artifacts/{}", source.artifact_id);
            let artifact: ArtifactDetail = client.get_of_dataset(&path, &[]).await?.read()?;
            excerpt(&artifact.text, span)
        }
        None => match &source.raw_text {
            Some(words) => words.clone(),
            None => format!("{} {}", paint(FAINT, "in other words:"), source.description),
        },
    };
    let mut words: String = words.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect();
    if let Some(series) = &source.series {
        words += &format!("  {} {}\n", paint(FAINT, "tells"), series::line(series, None, None));
    }
    Ok(format!("\n{head}\n{words}"))
}

/// A part of a text in its surroundings.
fn excerpt(text: &str, span: Span) -> String {
    let [start, end] = [span.start, span.end].map(|at| text.floor_char_boundary(at as usize));
    let from = text.floor_char_boundary(start.saturating_sub(AROUND));
    let to = text.ceil_char_boundary(end.saturating_add(AROUND));
    let cut = |is_cut: bool| if is_cut { "…" } else { "" };
    format!(
        "{}{}{}{}{}",
        cut(from > 0),
        &text[from..start],
        paint(GOOD.bold(), &text[start..end]),
        &text[end..to],
        cut(to < text.len())
    )
}

/// An event in words.
fn happened(event: &Event, fact: &Fact) -> String {
    let day = |at: Time| clock(at).replace(" 00:00:00", "");
    let by = event.artifact_id.map_or_else(String::new, |id| format!(" by text {id}"));
    let until = event.invalid_at_after.map_or_else(|| "open".to_owned(), |at| format!("until {}", day(at)));
    match event.event.0 {
        EdgeEventKind::Created if event.invalid_at_after.is_some() => format!("told first{by}, {until}"),
        EdgeEventKind::Created => format!("told first{by}"),
        EdgeEventKind::Confirmed => format!("told again{by}"),
        EdgeEventKind::Ended => format!("its end was told{by}: {until}"),
        EdgeEventKind::Revised if event.valid_at_before != Some(event.valid_at_after) => {
            format!("told to have begun earlier{by}: {}", day(event.valid_at_after))
        }
        EdgeEventKind::Revised => format!("its end moved{by}: {until}"),
        EdgeEventKind::Invalidated => format!("closed by a newer fact{by}: {until}"),
        EdgeEventKind::Superseded => format!("closed by what was known already: {until}"),
        EdgeEventKind::Contested => format!("contradicted{by}, and nothing says which one holds"),
        EdgeEventKind::Affirmed => "the contradiction was settled in its favour".to_owned(),
        EdgeEventKind::Retracted => format!("taken out of belief; it said that {}", fact.description),
        EdgeEventKind::Reopened => format!("what had closed it fell away: {until}"),
        EdgeEventKind::Merged => "its entity was merged into another".to_owned(),
        EdgeEventKind::Split => "a merge of its entity was undone".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shown_in_their_surroundings() {
        let plain =
            |text: &str, start, end| anstream::adapter::strip_str(&excerpt(text, Span { start, end })).to_string();
        assert_eq!(plain("Ana lives in Graz.", 0, 17), "Ana lives in Graz.");
        let long = format!("{}é Ana é{}", "a".repeat(400), "b".repeat(400));
        let shown = plain(&long, 403, 406);
        assert!(shown.starts_with("…aaa") && shown.ends_with("bbb…") && shown.contains("é Ana é"), "{shown}");
        // A text that is not the one that was read from is shown all the same.
        assert_eq!(plain("é", 1, 9), "é");
    }
}
