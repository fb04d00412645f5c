//! The template.

use std::fmt;

use super::super::number::TimeStyle;
use super::{Change, Direction, Observation, Spread, Step, Told};

impl fmt::Display for Observation {
    /// The text: one to four sentences, each a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentences().join("\n"))
    }
}

impl Observation {
    /// The sentences of the text. Those after the first speak of the series as "it".
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.opening()];
        sentences.extend(self.change_sentence());
        sentences.extend(self.spread_sentence());
        sentences.extend(self.largest.as_ref().map(|step| self.step_sentence(step)));
        sentences
    }

    fn opening(&self) -> String {
        let series = &self.series;
        let mut labels = Vec::new();
        if series.key != series.name {
            labels.push(format!("key {}", quoted(&series.key)));
        }
        labels.extend(series.own_field().map(|field| format!("field {}", quoted(field))));
        labels.extend(series.unit.as_ref().map(|unit| format!("unit {}", quoted(unit))));
        labels.extend(series.frequency.as_ref().map(|frequency| format!("frequency {}", quoted(frequency))));
        labels.extend(series.provider.as_ref().map(|provider| format!("fetched from {}", quoted(provider))));
        let labels = if labels.is_empty() { String::new() } else { format!(" ({})", labels.join(", ")) };
        let about = series.entity.as_ref().map_or_else(String::new, |entity| format!(" about {entity}"));
        let name = quoted(&series.name);
        let style = self.style;
        match self.count {
            1 => format!("The time series {name}{labels}{about} has one point: {}.", self.told(&self.first)),
            count => {
                let (first, last) = (style.write(self.first.at), style.write(self.last.at));
                format!("The time series {name}{labels}{about} has {count} points from {first} to {last}.")
            }
        }
    }

    pub(super) fn change_sentence(&self) -> Option<String> {
        let change = self.change.as_ref()?;
        let (first, last) = (self.told(&self.first), self.told(&self.last));
        let by = self.by(change);
        let sentence = match (change.flat, change.direction) {
            (_, Direction::Level) => format!("It was flat: {first} and the same {}.", self.time(self.last.at)),
            (true, direction) => {
                let by = by.map_or_else(String::new, |by| format!(" of {by}"));
                format!("It was flat: {first} and {last}, a {}{by}.", noun(direction))
            }
            (false, direction) => {
                let by = by.map_or_else(String::new, |by| format!(", by {by}"));
                format!("It {} from {first} to {last}{by}.", verb(direction))
            }
        };
        Some(sentence)
    }

    fn by(&self, change: &Change) -> Option<String> {
        let by = self.amount(change.by.as_ref()?);
        Some(match &change.pct {
            Some(pct) => format!("{by} ({pct} %)"),
            None => by,
        })
    }

    fn spread_sentence(&self) -> Option<String> {
        match (&self.spread, self.count) {
            (None, 1) => None,
            (None, _) => Some(format!("Every value was {}.", self.value(&self.first.value))),
            (Some(Spread { low, high, mean }), _) => Some(format!(
                "Its lowest value was {}, its highest {}, and its mean {}.",
                self.told(low),
                self.told(high),
                self.value(mean)
            )),
        }
    }

    fn step_sentence(&self, step: &Step) -> String {
        let pct = step.pct.as_ref().map_or_else(String::new, |pct| format!(" of {pct} %"));
        let (from, to) = (self.told(&step.from), self.told(&step.to));
        format!("Its largest move from one point to the next was from {from} to {to}, a {}{pct}.", noun(step.direction))
    }

    /// A value with its unit and time.
    pub(super) fn told(&self, told: &Told) -> String {
        format!("{} {}", self.value(&told.value), self.time(told.at))
    }

    pub(super) fn time(&self, at: crate::time::Micros) -> String {
        self.style.point_in_time(at)
    }

    /// A value with its unit.
    pub(super) fn value(&self, value: &str) -> String {
        match &self.series.unit {
            Some(unit) => format!("{value} {unit}"),
            None => value.to_owned(),
        }
    }

    /// A difference of two values with its unit.
    pub(super) fn amount(&self, by: &str) -> String {
        match self.series.unit.as_deref() {
            Some(unit) => format!("{by} {}", unit_of_difference(unit, by)),
            None => by.to_owned(),
        }
    }
}

/// Percentages differ by percentage points, so that the percentage of a change is told apart from it.
pub(super) fn unit_of_difference<'u>(unit: &'u str, by: &str) -> &'u str {
    match (unit, by) {
        ("%" | "percent" | "per cent", "1") => "percentage point",
        ("%" | "percent" | "per cent", _) => "percentage points",
        (unit, _) => unit,
    }
}

pub(super) fn verb(direction: Direction) -> &'static str {
    if direction == Direction::Down { "fell" } else { "rose" }
}

pub(super) fn noun(direction: Direction) -> &'static str {
    if direction == Direction::Down { "fall" } else { "rise" }
}

/// In quotes; quotes inside have a backslash before them, and so has a backslash.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

impl TimeStyle {
    /// The preposition before a time.
    pub(super) fn preposition(self) -> &'static str {
        match self {
            Self::Dates => " on ",
            Self::Instants => " at ",
        }
    }
}
