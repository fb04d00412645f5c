//! The template, backwards.

use super::super::number::{TimeStyle, number};
use super::super::points::read_time;
use super::super::request::DEFAULT_FIELD;
use super::write::{noun, unit_of_difference, verb};
use super::{Change, Described, Direction, Observation, Spread, Step, Told};
use crate::time::Micros;

/// Between a number and the exponent of its power of ten.
const POWER: &str = " × 10^";

/// What the text of an observation tells; `None` for any other text.
#[must_use]
pub fn read(text: &str) -> Option<Observation> {
    let (opening, sentences) = text.split_once('\n').unwrap_or((text, ""));
    let (series, rest) = labels(opening)?;
    // The name of the entity ends where the rest of the sentence can be read.
    let about = rest.strip_prefix(" about ");
    about.unwrap_or(rest).rmatch_indices(" has ").find_map(|(at, has)| {
        let (entity, counted) = about.unwrap_or(rest).split_at(at);
        let mut observation = told(&series, &counted[has.len()..], sentences)?;
        observation.series.entity = about.map(|_| entity.to_owned());
        // What does not make the same text only looks alike.
        (observation.to_string() == text).then_some(observation)
    })
}

/// Name and labels; what follows them.
fn labels(opening: &str) -> Option<(Described, &str)> {
    let (name, mut rest) = quoted(opening.strip_prefix("The time series ")?)?;
    let mut series = Described { key: name.clone(), field: DEFAULT_FIELD.to_owned(), name, ..Described::default() };
    let mut next = rest.strip_prefix(" (");
    while let Some(label) = next {
        let (start, _) = label.split_once('"')?;
        let (value, after) = quoted(&label[start.len()..])?;
        match start {
            "key " => series.key = value,
            "field " => series.field = value,
            "unit " => series.unit = Some(value),
            "frequency " => series.frequency = Some(value),
            "fetched from " => series.provider = Some(value),
            _ => return None,
        }
        next = after.strip_prefix(", ");
        rest = after.strip_prefix(')').unwrap_or(after);
    }
    Some((series, rest))
}

/// A name in quotes; what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut characters = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((name, &text[at + 2..])),
            '\\' => name.push(characters.next()?.1),
            c => name.push(c),
        }
    }
    None
}

/// Whether a number has the form that the template gives it. At the ends of the range of doubles a number that was
/// rounded can have none of its own, and is taken as it is.
fn is_as_written(text: &str) -> bool {
    const SMALLEST: f64 = 1e-290;
    let value: Option<f64> = text.replace(POWER, "e").parse().ok();
    let is_at_end = |value: f64| value != 0.0 && !(SMALLEST..=f64::MAX).contains(&value.abs());
    value.is_some_and(|value| is_at_end(value) || number(value) == text)
}

/// What is said after "has", and in the sentences after the first.
fn told(series: &Described, counted: &str, sentences: &str) -> Option<Observation> {
    let mut scan = Scan { rest: counted, unit: series.unit.as_deref(), style: TimeStyle::Dates };
    let series = series.clone();
    if scan.literal("one point: ").is_some() {
        let first = scan.told()?;
        let (style, last) = (scan.style, first.clone());
        scan.end()?;
        return Some(Observation { series, style, count: 1, first, last, change: None, spread: None, largest: None });
    }
    let count = scan.number(false)?.parse().ok()?;
    scan.literal(" points from ")?;
    scan.time()?;
    let style = scan.style;
    let mut lines = sentences.lines().map(|line| Scan { rest: line, unit: scan.unit, style });
    let (first, last, change) = lines.next()?.change()?;
    let spread = lines.next()?.spread()?;
    let largest = match lines.next() {
        Some(line) => Some(line.step()?),
        None => None,
    };
    Some(Observation { style, count, first, last, change: Some(change), spread, largest, series })
}

/// A sentence that is being read.
struct Scan<'a> {
    rest: &'a str,
    unit: Option<&'a str>,
    style: TimeStyle,
}

impl Scan<'_> {
    fn literal(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    fn end(mut self) -> Option<()> {
        self.literal(".").filter(|()| self.rest.is_empty())
    }

    /// A number; with its power of ten, if it is wanted and there is one.
    fn number(&mut self, power: bool) -> Option<String> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let signed = |text: &str| {
            let sign = usize::from(text.starts_with('-'));
            Some(sign + digits(&text[sign..])).filter(|length| *length > sign)
        };
        let mut length = signed(self.rest)?;
        if let Some(fraction) = self.rest[length..].strip_prefix('.').map(digits).filter(|length| *length > 0) {
            length += 1 + fraction;
        }
        let exponent = self.rest[length..].strip_prefix(POWER).and_then(signed);
        length += exponent.filter(|_| power).map_or(0, |exponent| POWER.len() + exponent);
        let (written, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(written.to_owned()).filter(|written| is_as_written(written))
    }

    /// A number and this unit, which itself may begin like a power of ten.
    fn number_with(&mut self, unit: impl Fn(&str) -> Option<String>) -> Option<String> {
        let start = self.rest;
        [true, false].into_iter().find_map(|power| {
            self.rest = start;
            let number = self.number(power)?;
            match unit(&number) {
                Some(unit) => self.literal(" ").and_then(|()| self.literal(&unit)).map(|()| number),
                None => Some(number),
            }
        })
    }

    fn value(&mut self) -> Option<String> {
        let unit = self.unit;
        self.number_with(|_| unit.map(str::to_owned))
    }

    fn time(&mut self) -> Option<Micros> {
        let is_date = self.rest.as_bytes().get(10) != Some(&b'T');
        let length = if is_date { 10 } else { self.rest.find('Z')? + 1 };
        let (time, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        self.style = if is_date { TimeStyle::Dates } else { TimeStyle::Instants };
        if is_date { read_time(&format!("{time}T00:00:00Z")).ok() } else { read_time(time).ok() }
    }

    /// The time after its preposition.
    fn point_in_time(&mut self) -> Option<Micros> {
        [TimeStyle::Dates, TimeStyle::Instants].into_iter().find_map(|style| self.literal(style.preposition()))?;
        self.time()
    }

    fn told(&mut self) -> Option<Told> {
        Some(Told { value: self.value()?, at: self.point_in_time()? })
    }

    fn percent(&mut self) -> Option<String> {
        let pct = self.number(true)?;
        self.literal(" %").map(|()| pct)
    }

    fn by(&mut self) -> Option<(String, Option<String>)> {
        let unit = self.unit;
        let by = self.number_with(|by| unit.map(|unit| unit_of_difference(unit, by).to_owned()))?;
        if self.literal(" (").is_none() {
            return Some((by, None));
        }
        let pct = self.percent()?;
        self.literal(")").map(|()| (by, Some(pct)))
    }

    fn direction(&mut self, word: impl Fn(Direction) -> &'static str) -> Option<Direction> {
        [Direction::Up, Direction::Down].into_iter().find(|direction| self.literal(word(*direction)).is_some())
    }

    fn change(mut self) -> Option<(Told, Told, Change)> {
        let flat = self.literal("It was flat: ").is_some();
        let (first, last, direction, joint) = if flat {
            let first = self.told()?;
            if self.literal(" and the same").is_some() {
                let last = Told { value: first.value.clone(), at: self.point_in_time()? };
                let change = Change { direction: Direction::Level, flat, by: None, pct: None };
                return self.end().map(|()| (first, last, change));
            }
            self.literal(" and ")?;
            let last = self.told()?;
            self.literal(", a ")?;
            (first, last, self.direction(noun)?, " of ")
        } else {
            self.literal("It ")?;
            let direction = self.direction(verb)?;
            self.literal(" from ")?;
            let first = self.told()?;
            self.literal(" to ")?;
            (first, self.told()?, direction, ", by ")
        };
        let (by, pct) = match self.literal(joint) {
            Some(()) => self.by().map(|(by, pct)| (Some(by), pct))?,
            None => (None, None),
        };
        self.end().map(|()| (first, last, Change { direction, flat, by, pct }))
    }

    /// `Some(None)` where every value is the same.
    fn spread(mut self) -> Option<Option<Spread>> {
        if self.literal("Every value was ").is_some() {
            return Some(None);
        }
        self.literal("Its lowest value was ")?;
        let low = self.told()?;
        self.literal(", its highest ")?;
        let high = self.told()?;
        self.literal(", and its mean ")?;
        let mean = self.value()?;
        self.end().map(|()| Some(Spread { low, high, mean }))
    }

    fn step(mut self) -> Option<Step> {
        self.literal("Its largest move from one point to the next was from ")?;
        let from = self.told()?;
        self.literal(" to ")?;
        let to = self.told()?;
        self.literal(", a ")?;
        let direction = self.direction(noun)?;
        let pct = match self.literal(" of ") {
            Some(()) => Some(self.percent()?),
            None => None,
        };
        self.end().map(|()| Step { from, to, direction, pct })
    }
}
