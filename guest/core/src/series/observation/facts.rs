//! The facts that an observation states.
//!
//! The subject is the entity that the series is about, else the series itself. A relation is made of what is measured
//! and of a verb: `price_rose`, `close_reached_high`; without a name for what is measured it is the verb alone. What is
//! measured is the name of the series without that of the entity (`Apple's share price` gives `share_price`), and its
//! field where that is more than `value` and says something else. Objects are literals, as the text has them, with their unit.
//!
//! | verb | object | holds from | to |
//! |---|---|---|---|
//! | `rose`, `fell` | by how many per cent; where there is no percentage by how much, or to what | first point | end |
//! | `was_flat` | the same with its direction, or the value where it stays | first point | end |
//! | `reached_low`, `reached_high` | the smallest and the largest value | its time | end |
//! | `averaged` | the mean | first point | end |
//! | `moved_most` | the largest step: its direction and percentage | the point before it | the point after it |
//! | `stood_at` | the last value | last point | end |
//!
//! The end is a second after the last point, rounded up; a step ends so after its second point. One point gives
//! `stood_at` alone.

use super::super::number::TimeStyle;
use super::write::{noun, verb};
use super::{Change, Observation, Step};
use crate::extract::{ExtractedEdge, ExtractedEntity, ExtractedTarget, Extraction};
use crate::names::normalize;
use crate::storage::rules::LAST_INSTANT;
use crate::time::{Date, Instant, Micros};
use crate::vocabulary;

/// The type of a series that is the subject of its own facts.
const SERIES: &str = "time_series";

/// The facts, in the order of the text.
#[must_use]
pub fn facts(observation: &Observation) -> Extraction {
    let series = &observation.series;
    let (subject, r#type) = match &series.entity {
        Some(entity) => (entity.clone(), "unknown"),
        None => (series.name.clone(), SERIES),
    };
    let teller = Teller { observation, subject: &subject, measure: measure(observation) };
    let edges = teller.facts();
    let entity = ExtractedEntity { name: subject, r#type: r#type.to_owned(), description: String::new() };
    Extraction { entities: vec![entity], edges }
}

/// What the values measure, in words; empty if nothing says so.
fn measure(observation: &Observation) -> String {
    let series = &observation.series;
    let quantity = series.entity.as_ref().map_or_else(String::new, |entity| without(&series.name, entity));
    let field = series.own_field().filter(|field| !says(&quantity, field));
    [quantity.as_str(), field.unwrap_or_default()].join(" ")
}

/// Whether the words of a name have those of another among them: a share price is a price.
fn says(name: &str, other: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let name = normalize(name);
        let words = name.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (name, other) = (words(name), words(other));
    !other.is_empty() && other.iter().all(|word| name.contains(word))
}

/// A name without the name of whom it belongs to, in lower case.
fn without(name: &str, owner: &str) -> String {
    let (name, owner) = (normalize(name), normalize(owner));
    if owner.is_empty() {
        return name;
    }
    if let Some(rest) = name.strip_prefix(&owner) {
        let rest =
            ["'s ", "’s ", " "].iter().find_map(|joint| rest.strip_prefix(joint)).or(rest.is_empty().then_some(""));
        if let Some(rest) = rest {
            return rest.to_owned();
        }
    }
    let head = name
        .strip_suffix(&owner)
        .and_then(|rest| [" of ", " for ", " in ", " at "].iter().find_map(|joint| rest.strip_suffix(joint)));
    head.unwrap_or(&name).to_owned()
}

struct Teller<'a> {
    observation: &'a Observation,
    subject: &'a str,
    measure: String,
}

impl Teller<'_> {
    fn facts(&self) -> Vec<ExtractedEdge> {
        let Observation { style: _, first, last, change, spread, largest, .. } = self.observation;
        let sentences = self.observation.sentences();
        let name = &self.observation.series.name;
        let mut facts = Vec::new();
        let (whole, end) = ((first.at, last.at), last.at);
        if let Some((change, sentence)) = change.as_ref().zip(sentences.get(1)) {
            let (verb, object) = self.changed(change);
            let description = sentence.strip_prefix("It").map_or_else(String::new, |said| format!("{name}{said}"));
            facts.push(self.fact(verb, object, whole, description, sentence));
        }
        if let Some((spread, sentence)) = spread.as_ref().zip(sentences.get(2)) {
            for (verb, word, told) in
                [("reached low", "lowest", &spread.low), ("reached high", "highest", &spread.high)]
            {
                let description = format!("The {word} value of {name} was {}.", self.observation.told(told));
                let object = self.observation.value(&told.value);
                facts.push(self.fact(verb, object, (told.at, end), description, sentence));
            }
            let mean = self.observation.value(&spread.mean);
            let description = format!("The mean of {name} was {mean} {}.", self.period());
            facts.push(self.fact("averaged", mean, whole, description, sentence));
        }
        if let Some((step, sentence)) = largest.as_ref().zip(sentences.get(3)) {
            let description = sentence.strip_prefix("Its").map_or_else(String::new, |said| format!("The{said}"));
            let description = description.replacen("move", &format!("move of {name}"), 1);
            facts.push(self.fact("moved most", moved(step), (step.from.at, step.to.at), description, sentence));
        }
        let sentence = sentences.get(1).or(sentences.first()).map(String::as_str).unwrap_or_default();
        let description = format!("{name} stood at {}.", self.observation.told(last));
        let object = self.observation.value(&last.value);
        facts.push(self.fact("stood at", object, (end, end), description, sentence));
        facts
    }

    fn changed(&self, change: &Change) -> (&'static str, String) {
        let by = change.by.as_ref().map(|by| self.observation.amount(by));
        let by = change.pct.as_ref().map(|pct| format!("{pct} %")).or(by);
        let value = || self.observation.value(&self.observation.last.value);
        match (change.flat, by) {
            (true, None) => ("was flat", value()),
            (true, Some(by)) => ("was flat", format!("a {} of {by}", noun(change.direction))),
            (false, by) => (verb(change.direction), by.unwrap_or_else(|| format!("to {}", value()))),
        }
    }

    /// `from 2024-01-01 to 2024-01-03`.
    fn period(&self) -> String {
        let Observation { style, first, last, .. } = self.observation;
        format!("from {} to {}", style.write(first.at), style.write(last.at))
    }

    fn fact(
        &self,
        verb: &str,
        object: String,
        period: (Micros, Micros),
        description: String,
        said: &str,
    ) -> ExtractedEdge {
        let relation = vocabulary::relation(&format!("{} {verb}", self.measure)).or_else(|| vocabulary::relation(verb));
        let (start, end) = (start(self.observation.style, period.0), end(period.1));
        ExtractedEdge {
            source: self.subject.to_owned(),
            relation: relation.expect("a verb is a relation"),
            target: ExtractedTarget::Text(object),
            description: Some(description),
            valid_at: Some(start),
            invalid_at: Some(end).filter(|end| start.at < end.at),
            confidence: 1.0,
            raw_text: Some(said.to_owned()),
        }
    }
}

/// When that holds of which the text gives no date: from the first point until a second after the last, rounded up.
#[must_use]
pub fn period(observation: &Observation) -> (Date, Date) {
    (start(observation.style, observation.first.at), end(observation.last.at))
}

fn start(style: TimeStyle, at: Micros) -> Date {
    let second = Date::second(at.to_instant());
    let day = || Date::parse(&style.write(at));
    if style == TimeStyle::Dates { day().unwrap_or(second) } else { second }
}

fn moved(step: &Step) -> String {
    match &step.pct {
        Some(pct) => format!("a {} of {pct} %", noun(step.direction)),
        None => format!("a {}", noun(step.direction)),
    }
}

/// A second after a point, rounded up to a second.
fn end(at: Micros) -> Date {
    let up = i64::from(at.0.rem_euclid(1_000_000) > 0);
    Date::second(Instant(at.to_instant().0 + 1 + up).min(LAST_INSTANT))
}
