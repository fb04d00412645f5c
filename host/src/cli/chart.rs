//! A timeline as text: a line a fact, grouped by relation, bars over valid time.

use std::collections::BTreeMap;

use anstyle::Style;
use gligabao_core::model::EdgeEventKind;
use gligabao_core::time::{Date, Instant};

use super::screen::{self, FAINT, GOOD, NAME, STRONG, columns, fit, paint};
use super::show;
use crate::wire::fact::{Fact, TimelineFact};
use crate::wire::time::Time;

/// Fewer columns than this say nothing about time.
const SHORTEST_BAR: usize = 16;

/// Draws facts in a number of columns. Open bars end at `now`.
pub(crate) fn draw(facts: &[TimelineFact], now: Time, width: usize) -> String {
    let subject = subject(facts);
    let rows: Vec<Row> = facts.iter().map(|fact| Row::new(fact, subject)).collect();
    let widest =
        |column: for<'a> fn(&'a Row<'_>) -> &'a str| rows.iter().map(|row| columns(column(row))).max().unwrap_or(0);
    let number = widest(|row| &row.number);
    let relation = widest(|row| &row.relation).min(14);
    let when = widest(|row| &row.when);
    let note = widest(|row| &row.note);
    // Between columns there are two blanks. What doesn't fit goes in this order: the notes, then the ends of names.
    let without_names = number + relation + SHORTEST_BAR + when + 8;
    let object = widest(|row| &row.object).min(26);
    let roomy = without_names + object + note + 2 <= width;
    let object = object.min(width.saturating_sub(without_names).max(8));
    let before = number + relation + object + 6;
    let after = when + 2 + if roomy { note + 2 } else { 0 };
    let bar = width.saturating_sub(before + after).max(SHORTEST_BAR);
    let axis = Axis::new(facts, now, bar);

    let mut text = format!("{}{}\n", " ".repeat(before), paint(FAINT, axis.ticks().trim_end()));
    let mut shown = "";
    for row in grouped(&rows) {
        let label = if row.relation == shown { "" } else { &row.relation };
        shown = &row.relation;
        let (style, line) = axis.bar(row.fact);
        let mut parts = vec![
            paint(FAINT, &fit(&row.number, number)),
            paint(NAME, &fit(label, relation)),
            paint(STRONG, &fit(&row.object, object)),
            paint(style, &line),
        ];
        if roomy && !row.note.is_empty() {
            parts.push(paint(style, &fit(&row.when, when)));
            parts.push(paint(FAINT, &row.note));
        } else {
            parts.push(paint(style, &row.when));
        }
        text += &parts.join("  ");
        text.push('\n');
    }
    text
}

/// The entity that the facts have in common: the ID at most of their ends.
fn subject(facts: &[TimelineFact]) -> u64 {
    let mut ends: BTreeMap<u64, usize> = BTreeMap::new();
    for TimelineFact { fact, .. } in facts {
        *ends.entry(fact.source_id).or_default() += 1;
        if let Some(target) = fact.target_id {
            *ends.entry(target).or_default() += 1;
        }
    }
    let most = ends.values().copied().max().unwrap_or_default();
    let first = facts.first().map(|fact| fact.fact.source_id);
    let is_most = |id: &u64| ends.get(id) == Some(&most);
    first.filter(is_most).or_else(|| ends.keys().copied().find(is_most)).unwrap_or_default()
}

/// The texts of one line.
struct Row<'a> {
    fact: &'a Fact,
    number: String,
    relation: String,
    object: String,
    when: String,
    note: String,
}

impl<'a> Row<'a> {
    fn new(line: &'a TimelineFact, subject: u64) -> Self {
        let fact = &line.fact;
        let object =
            if fact.source_id == subject { show::object(fact).to_owned() } else { format!("← {}", fact.source) };
        let note = match &line.closed_by {
            // The text that told it told its end as well.
            Some(closing) if closing.event.0 == EdgeEventKind::Created => String::new(),
            Some(closing) => match (closing.edge_id, closing.artifact_id) {
                (Some(edge), _) => format!("{} by #{edge}", closing.event),
                (None, Some(artifact)) => format!("{} by text {artifact}", closing.event),
                (None, None) => closing.event.to_string(),
            },
            None => show::note(fact).to_owned(),
        };
        Self {
            fact,
            number: format!("#{}", fact.id),
            relation: fact.relation.clone(),
            object,
            when: show::interval(fact),
            note,
        }
    }
}

/// Relations in the order of their first fact, and the facts of each as they came.
fn grouped<'a, 'b>(rows: &'b [Row<'a>]) -> Vec<&'b Row<'a>> {
    let mut relations: Vec<&str> = Vec::new();
    for row in rows {
        if !relations.contains(&row.relation.as_str()) {
            relations.push(&row.relation);
        }
    }
    relations.iter().flat_map(|relation| rows.iter().filter(move |row| row.relation == *relation)).collect()
}

/// Valid time laid over columns.
struct Axis {
    from: i64,
    until: i64,
    width: usize,
}

impl Axis {
    /// From the year of the first known time to the year after the last one, `now` included.
    fn new(facts: &[TimelineFact], now: Time, width: usize) -> Self {
        let starts = facts.iter().filter(|fact| fact.fact.start_known).map(|fact| fact.fact.valid_at);
        let ends = facts.iter().filter_map(|fact| fact.fact.invalid_at);
        let known: Vec<i64> = starts.chain(ends).chain([now]).map(|time| time.0.to_instant().0).collect();
        let first = known.iter().copied().min().unwrap_or_default();
        let last = known.iter().copied().max().unwrap_or_default();
        Self { from: year_start(year_of(first)), until: year_start(year_of(last) + 1), width }
    }

    fn column(&self, at: i64) -> usize {
        let span = i128::from(self.until - self.from).max(1);
        let offset = i128::from(at.clamp(self.from, self.until) - self.from);
        let last = self.width - 1;
        usize::try_from(offset * last as i128 / span).unwrap_or(last)
    }

    /// The years, as many as have room.
    fn ticks(&self) -> String {
        let years: Vec<i32> = (year_of(self.from)..=year_of(self.until)).collect();
        let mut line = String::new();
        for year in years {
            let column = self.column(year_start(year));
            let room = line.is_empty() || columns(&line) + 2 <= column;
            if room && column + 4 <= self.width {
                line = fit(&line, column) + &year.to_string();
            }
        }
        line
    }

    /// The bar of a fact, and how it is drawn.
    fn bar(&self, fact: &Fact) -> (Style, String) {
        let start = fact.start_known.then(|| self.column(fact.valid_at.0.to_instant().0));
        let end = fact.invalid_at.map(|end| self.column(end.0.to_instant().0));
        let retracted = fact.retracted_at.is_some();
        let (first, last) = (start.unwrap_or(0), end.unwrap_or(self.width - 1));
        let mut cells = vec![' '; self.width];
        for cell in &mut cells[first..=last.max(first)] {
            *cell = if retracted || start.is_none() { '╌' } else { '━' };
        }
        cells[last.max(first)] = if end.is_some() { '○' } else { '▶' };
        if start.is_some() {
            cells[first] = if first == last && end.is_some() { '○' } else { '●' };
        }
        let style = if retracted {
            FAINT
        } else if end.is_none() {
            GOOD
        } else {
            screen::PLAIN
        };
        (style, cells.into_iter().collect())
    }
}

fn year_of(at: i64) -> i32 {
    let date = Instant(at).to_string();
    date.split('-').next().and_then(|year| year.parse().ok()).unwrap_or(1)
}

fn year_start(year: i32) -> i64 {
    Date::year(year.clamp(1, 9999)).map_or(0, |date| date.at.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Facts of entity 1, as (relation, object, start, end, what else the JSON says).
    fn facts(lines: &[(&str, &str, &str, Option<&str>, serde_json::Value)]) -> Vec<TimelineFact> {
        let fact = |(index, (relation, object, start, end, extra)): (usize, &(_, _, _, Option<&str>, _))| {
            let mut fact = json!({
                "id": index + 1, "source": "Anna", "source_id": 1, "relation": relation, "target": object,
                "target_id": index + 2, "target_text": null, "description": "", "valid_at": start,
                "valid_at_precision": "day", "invalid_at": end, "invalid_at_precision": end.map(|_| "day"),
                "start_known": true, "created_at": "2024-01-01", "expired_at": null, "artifact_id": 1,
                "confidence": 0.5, "wing": null, "contested": false, "superseded": false, "retracted_at": null,
                "closed_by": null,
            });
            let serde_json::Value::Object(extra) = extra else { panic!("an object") };
            fact.as_object_mut().expect("an object").extend(extra.clone());
            serde_json::from_value(fact).expect("a fact")
        };
        lines.iter().enumerate().map(fact).collect()
    }

    fn plain(facts: &[TimelineFact], width: usize) -> String {
        let now = serde_json::from_value(json!("2024-06-01")).expect("a time");
        format!("\n{}", anstream::adapter::strip_str(&draw(facts, now, width)))
    }

    fn story() -> Vec<TimelineFact> {
        let by =
            |event: &str| json!({"closed_by": {"event": event, "at": "2024-01-01", "artifact_id": 7, "edge_id": null}});
        let mut old = by("ended");
        old["start_known"] = json!(false);
        old["valid_at"] = json!("0001-01-01");
        facts(&[
            ("works_at", "Initech", "0001-01-01", Some("2020-06-01"), old),
            ("works_at", "Acme", "2020-06-01", Some("2022-03-01"), by("ended")),
            ("lives_in", "Berlin", "2021-01-01", None, json!({})),
            ("works_at", "Globex", "2022-03-01", None, json!({"retracted_at": "2024-01-02", "closed_by": null})),
            ("likes", "a very long name of something", "2023-01-01", Some("2023-01-01"), json!({"superseded": true})),
            ("knows", "Anna", "2024-01-01", None, json!({"source": "Rui", "source_id": 9, "target_id": 1})),
        ])
    }

    #[test]
    fn bars_lie_over_the_years() {
        insta::assert_snapshot!(plain(&story(), 110));
    }

    #[test]
    fn a_narrow_terminal_gets_shorter_bars_and_no_notes() {
        insta::assert_snapshot!(plain(&story(), 70));
    }

    #[test]
    fn every_line_fits_the_width() {
        for width in [70, 80, 100, 160] {
            for line in plain(&story(), width).lines() {
                assert!(columns(line) <= width, "{line}");
            }
        }
    }
}
