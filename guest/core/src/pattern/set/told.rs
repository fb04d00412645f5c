//! Compiles how a language says dates.

use super::compile::{Compiler, Problem, split};
use super::fold::fold;
use super::model::{TimeWords, Unit};
use super::table::{self, Counted, Said, Slot, Value, Vocabulary, WordId};

/// A relative date's phrase, unit and count.
type RelativeText = (String, Option<Unit>, Option<i32>);

/// Every phrase about time, written out.
pub(super) struct Told {
    /// With whether the last part of the date is meant.
    dates: Vec<(String, bool)>,
    relative: Vec<RelativeText>,
    said: Vec<(Said, String)>,
}

impl Told {
    pub(super) fn new(compiler: &mut Compiler, time: &TimeWords) -> Self {
        let lists = [
            (&time.phrases.at, Said::At, "time.phrases.at"),
            (&time.phrases.since, Said::Since, "time.phrases.since"),
            (&time.phrases.until, Said::Until, "time.phrases.until"),
            (&time.phrases.span, Said::Span, "time.phrases.span"),
            (&time.phrases.lasting, Said::Lasting, "time.phrases.lasting"),
            (&time.phrases.unread, Said::Unread, "time.phrases.unread"),
        ];
        let mut told = Self { dates: Vec::new(), relative: Vec::new(), said: Vec::new() };
        for (list, said, place) in lists {
            told.said.extend(compiler.expand_all(place, list).into_iter().map(|text| (said, text)));
        }
        for (list, ends, place) in [(&time.dates, false, "time.dates"), (&time.ends, true, "time.ends")] {
            told.dates.extend(compiler.expand_all(place, list).into_iter().map(|text| (text, ends)));
        }
        for (at, relative) in time.relative.iter().enumerate() {
            let texts = compiler.expanded(&format!("time.relative[{at}].say"), &relative.say);
            told.relative.extend(texts.into_iter().map(|text| (text, relative.unit, relative.back)));
        }
        told
    }

    pub(super) fn phrases(&self) -> impl Iterator<Item = &str> {
        let dates = self.dates.iter().map(|(text, _)| text);
        let said = self.said.iter().map(|(_, text)| text);
        dates.chain(said).chain(self.relative.iter().map(|(text, ..)| text)).map(String::as_str)
    }

    /// How dates are said, in numbers of words.
    pub(super) fn table(&self, vocabulary: &Vocabulary, time: &TimeWords) -> table::Time {
        let mut values: Vec<(WordId, Value)> = Vec::new();
        values.extend(time.months.iter().map(|(word, n)| (vocabulary.id(&fold(word)), Value::Month(*n))));
        values.extend(time.weekdays.iter().map(|(word, n)| (vocabulary.id(&fold(word)), Value::Weekday(*n))));
        values.extend(time.numbers.iter().map(|(word, n)| (vocabulary.id(&fold(word)), Value::Number(*n))));
        values.extend(time.units.iter().map(|(word, unit)| (vocabulary.id(&fold(word)), Value::Unit(*unit))));
        values.sort_unstable();
        let slots = |text: &str| -> Vec<Slot> { slots_of(text).filter_map(|part| slot(vocabulary, &part)).collect() };
        let counted = |(text, unit, back): &RelativeText| Counted { slots: slots(text), unit: *unit, back: *back };
        let mut time = table::Time {
            values,
            dates: self.dates.iter().map(|(text, ends)| (slots(text), *ends)).collect(),
            relative: self.relative.iter().map(counted).collect(),
            phrases: self.said.iter().map(|(said, text)| (*said, slots(text))).collect(),
        };
        time.dates.sort_by_key(|(slots, _)| slots.first().copied());
        time.relative.sort_by_key(|counted| counted.slots.first().copied());
        time.phrases.sort_by_key(|(_, slots)| slots.first().copied());
        time
    }
}

impl Compiler {
    /// Names every placeholder of a phrase about time that there isn't.
    pub(super) fn check_slots(&mut self, phrase: &str) {
        for part in slots_of(phrase).filter(|part| slot(&Vocabulary::default(), part).is_none()) {
            let message = format!("`{part}` is no placeholder of a date");
            let problem = Problem { place: "time".to_owned(), message };
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }
}

/// The words and placeholders of a phrase about time.
pub(super) fn slots_of(text: &str) -> impl Iterator<Item = String> {
    let mut parts = Vec::new();
    for piece in text.split("{{") {
        match piece.split_once("}}") {
            Some((name, rest)) => {
                parts.push(format!("{{{{{}}}}}", name.trim()));
                parts.extend(split(rest));
            }
            None => parts.extend(split(piece)),
        }
    }
    parts.into_iter()
}

fn slot(vocabulary: &Vocabulary, part: &str) -> Option<Slot> {
    Some(match part {
        "{{date}}" => Slot::Date,
        "{{relative}}" => Slot::Relative,
        "{{year}}" => Slot::Year,
        "{{month}}" => Slot::Month,
        "{{day}}" => Slot::Day,
        "{{month_number}}" => Slot::MonthNumber,
        "{{weekday}}" => Slot::Weekday,
        "{{number}}" => Slot::Number,
        "{{unit}}" => Slot::Unit,
        word if word.starts_with("{{") => return None,
        word => Slot::Word(vocabulary.id(word)),
    })
}
