//! Facts for people: sentences, dates as finely as they were stated, tables.

use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table, presets};
use gligabao_core::time::{Date, Micros, Precision};

use super::screen;
use crate::wire::fact::Fact;
use crate::wire::time::Time;
use crate::wire::word::PrecisionWord;

/// The object of a fact.
pub(crate) fn object(fact: &Fact) -> &str {
    fact.target.as_deref().or(fact.target_text.as_deref()).unwrap_or_default()
}

/// A date as finely as it was stated. An instant at midnight is a reference time that was given as a day.
pub(crate) fn date(at: Time, precision: PrecisionWord) -> String {
    let at = at.0.to_instant();
    let midnight = at.0.rem_euclid(86_400) == 0;
    let precision = if precision.0 == Precision::Second && midnight { Precision::Day } else { precision.0 };
    Date { at, precision }.to_string()
}

const DAY: i64 = 86_400_000_000;

/// A time of points: the day where it is the first instant of one.
pub(crate) fn moment(at: Time) -> String {
    let text = at.to_string();
    if at.0.0.rem_euclid(DAY) == 0 { text.trim_end_matches("T00:00:00Z").to_owned() } else { text }
}

/// The end of a stretch of points, inside: the day where it is the last instant of one.
pub(crate) fn until(at: Time) -> String {
    if at.0.0.rem_euclid(DAY) == DAY - 1 { moment(Time(Micros(at.0.0 + 1 - DAY))) } else { moment(at) }
}

/// When a fact is true: `since 2022-03`, `2022-03 … 2023-09`, `until 2023-09`; `never (2022-03)` where
/// another fact of the same start took its place, and `at some time` where nothing is known.
pub(crate) fn interval(fact: &Fact) -> String {
    let start = fact.start_known.then(|| date(fact.valid_at, fact.valid_at_precision));
    let end = fact.invalid_at.zip(fact.invalid_at_precision).map(|(at, precision)| date(at, precision));
    match (start, end) {
        (Some(start), None) => format!("since {start}"),
        (Some(start), Some(_)) if fact.invalid_at <= Some(fact.valid_at) => format!("never ({start})"),
        (Some(start), Some(end)) => format!("{start} … {end}"),
        (None, Some(end)) => format!("until {end}"),
        (None, None) => "at some time".to_owned(),
    }
}

/// What else there is to say of a fact, shortly.
pub(crate) fn note(fact: &Fact) -> &'static str {
    match fact {
        Fact { retracted_at: Some(_), .. } => "retracted",
        Fact { contested: true, .. } => "contested",
        Fact { superseded: true, .. } => "superseded",
        _ => "",
    }
}

/// A fact in one line.
pub(crate) fn sentence(fact: &Fact) -> String {
    format!("{} {} {}, {}", fact.source, fact.relation, object(fact), interval(fact))
}

/// A table that fits the terminal.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY.with_rounded_corners());
    match screen::width() {
        Some(width) => {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        }
        None => {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
    }
    if screen::has_colors() {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table.set_header(header.iter().map(|title| Cell::new(title).add_attribute(Attribute::Dim)));
    table
}

/// The cells of a fact: number, subject, relation, object, time, note.
pub(crate) fn cells(fact: &Fact) -> Vec<Cell> {
    let holds = fact.invalid_at.is_none() && fact.retracted_at.is_none();
    let time = Cell::new(interval(fact));
    vec![
        Cell::new(fact.id).add_attribute(Attribute::Dim),
        Cell::new(&fact.source).add_attribute(Attribute::Bold),
        Cell::new(&fact.relation).fg(Color::Cyan),
        Cell::new(object(fact)).add_attribute(Attribute::Bold),
        if holds { time.fg(Color::Green) } else { time },
        Cell::new(note(fact)).add_attribute(Attribute::Dim),
    ]
}

/// The titles of [`cells`].
pub(crate) const TITLES: [&str; 6] = ["#", "who", "relation", "what", "when", ""];

/// Facts as a table.
pub(crate) fn facts_table(facts: &[Fact]) -> String {
    let mut table = table(&TITLES);
    table.add_rows(facts.iter().map(cells));
    format!("{table}\n")
}
