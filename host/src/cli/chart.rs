//! A timeline as text: a line a fact, grouped by relation, bars over valid time.

use std::collections::BTreeMap;

use anstyle::Style;
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
    let relation = widest(|row| &row.relation).min(14);
    let object = widest(|row| &row.object).min(26);
    let when = widest(|row| &row.when);
    let note = widest(|row| &row.note);
    let number = widest(|row| &row.number);
    // Between the columns there are two blanks each.
    let before = number + relation + object + 6;
    let roomy = before + SHORTEST_BAR + when + note + 4 <= width;
    let note = if roomy { note } else { 0 };
    let bar = width.saturating_sub(before + when + 2 + if roomy { note + 2 } else { 0 }).max(SHORTEST_BAR);
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
            paint(style, &fit(&row.when, when)),
        ];
        if roomy && !row.note.is_empty() {
            parts.push(paint(FAINT, &row.note));
        }
        text += parts.join("  ").trim_end();
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
