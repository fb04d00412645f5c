//! Repeats: is a told fact one that is stored already, and what does it add to it?

use super::told::{Told, end_after};
use crate::model::{Edge, EdgeId, StartSource};
use crate::time::{Date, Instant, Interval};

/// What a told fact is, seen from the stored rows of the same source, relation and target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// None of them: a row of its own.
    New,
    /// A stored row, told again.
    Known {
        /// That row.
        edge: EdgeId,
        /// The earlier start that it has from now on.
        start: Option<(Date, StartSource)>,
        /// The end that it has from now on.
        end: Option<Date>,
        /// It had ended but holds again from this end on: a row of its own as well.
        again_from: Option<Date>,
    },
}

/// Decides which of the stored rows a told fact repeats.
///
/// `stored` are the rows of the same source, relation and target that are not retracted. `limit` is, for a functional
/// relation, the start of the next other value after the told start: the told fact counts only up to there, as the
/// stored rows count only up to their own limit. Of several rows that it overlaps the open one counts, else the latest.
#[must_use]
pub fn decide(told: &Told, stored: &[Edge], limit: Option<Instant>) -> Repeat {
    let overlapping = stored.iter().filter(|row| overlaps(told, row, limit));
    let order = |row: &&Edge| (row.bounds.invalid_at.is_none(), row.bounds.valid_at.at, row.id);
    match overlapping.max_by_key(order) {
        Some(row) => repeat_of(told, row),
        None => Repeat::New,
    }
}

fn overlaps(told: &Told, row: &Edge, limit: Option<Instant>) -> bool {
    let start = row.bounds.valid_at.at;
    let end = match told.end {
        None => None,
        Some(end) => match end_after(end, start, told.at) {
            None => return false,
            end => end.map(|end| end.at),
        },
    };
    let end = match (end, limit) {
        (Some(end), Some(limit)) => Some(end.min(limit)),
        (end, limit) => end.or(limit),
    };
    Interval::new(told.start.at, end).overlaps(row.bounds.interval())
}

fn repeat_of(told: &Told, row: &Edge) -> Repeat {
    let bounds = &row.bounds;
    let start = match bounds.start_source {
        StartSource::Fallback if told.source != StartSource::Unknown && told.start.at < bounds.valid_at.at => {
            Some((told.start, told.source))
        }
        StartSource::Unknown if told.source == StartSource::Stated => Some((told.start, told.source)),
        _ => None,
    };
    let end = match (told.end, bounds.stated_end) {
        (Some(end), None) => end_after(end, start.map_or(bounds.valid_at.at, |(start, _)| start.at), told.at),
        _ => None,
    };
    // Who states the beginning that is known, or an earlier one, tells of how it began and not that it still holds.
    let goes_on = told.end.is_none() && bounds.start_known() && told.start.at > bounds.valid_at.at;
    let again_from = bounds.stated_end.filter(|end| goes_on && bounds.expired_at.is_none() && told.at >= end.at);
    Repeat::Known { edge: row.id, start, end, again_from }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bounds, EntityId, Moment, Target};
    use crate::time::Micros;

    fn date(text: &str) -> Date {
        Date::parse(text).expect("a date")
    }

    /// A stored row: `[start, end)`, where `?` is an unknown start and `~` before the start a fallback. A second end
    /// after `|` is the limit of a rule.
    fn row(text: &str) -> Edge {
        let (start, ends) = text.split_once(' ').expect("a start and an end");
        let (end, limit) = ends.split_once('|').map_or((ends, None), |(end, limit)| (end, Some(date(limit))));
        let end = (end != "open").then(|| date(end));
        let told = match (start, start.strip_prefix('~')) {
            ("?", _) => Told::new(None, end, date("2030").at),
            (_, Some(start)) => {
                Told { source: StartSource::Fallback, ..Told::new(Some(date(start)), end, date("2030").at) }
            }
            (start, None) => Told::new(Some(date(start)), end, date("2030").at),
        };
        let mut bounds = Bounds::stated(told.start, told.source, told.end);
        if limit.is_some() {
            bounds = Bounds { invalid_at: limit, expired_at: Some(Moment::At(Micros(1))), ..bounds };
        }
        Edge {
            id: EdgeId(7),
            source: EntityId(1),
            relation: "works_at".to_owned(),
            target: Target::Entity(EntityId(2)),
            description: String::new(),
            bounds,
            created_at: Moment::At(Micros(1)),
            artifact: None,
            model: None,
            confidence: 0.5,
            wing: None,
            raw_text: None,
        }
    }

    /// What becomes of a told fact, in words: `new`, or `known` with what it adds to the row.
    fn outcome(stored: &[Edge], start: &str, end: &str, at: &str) -> String {
        let stated = |text: &str| (text != "-").then(|| date(text));
        let told = Told::new(stated(start), stated(end), date(at).at);
        match decide(&told, stored, None) {
            Repeat::New => "new".to_owned(),
            Repeat::Known { start, end, again_from, .. } => {
                let start = start.map(|(start, source)| format!(" revised to {start} {source}"));
                let end = end.map(|end| format!(" ended {end}"));
                let again = again_from.map(|from| format!(" again from {from}"));
                ["known".to_owned()].into_iter().chain([start, end, again].into_iter().flatten()).collect()
            }
        }
    }

    #[test]
    fn every_row_of_the_table_comes_out() {
        for (stored, start, end, at, expected) in [
            // It became true again.
            ("2018 2020", "2020", "-", "2025", "new"),
            ("2018 2020", "-", "-", "2025", "new"),
            ("2018 2030|2022", "2023", "-", "2025", "new"),
            // Told again.
            ("2018 open", "2020", "-", "2025", "known"),
            ("2018 open", "-", "-", "2025", "known"),
            ("2018 2026", "2020", "-", "2025", "known"),
            ("2018 open|2022", "2020", "-", "2025", "known"),
            // Its end is told.
            ("2018 open", "-", "2024-06", "2025", "known ended 2024-06"),
            ("2018 open", "2019", "2024", "2025", "known ended 2024"),
            ("2018 open|2022", "-", "2024-06", "2025", "known ended 2024-06"),
            ("2024-06-10 open", "-", "2024-06", "2025", "known ended 2024-07"),
            ("2024-06-10 open", "-", "2024-06", "2024-06-20", "known ended 2024-06-20T00:00:00Z"),
            // An end that was stated stays.
            ("2018 2022", "-", "2021", "2025", "known"),
            ("2018 2030|2022", "-", "2024", "2025", "known"),
            // It had ended, but still holds when it is told.
            ("2018 2022", "2020", "-", "2025", "known again from 2022"),
            ("2018 2022", "2020", "-", "2021", "known"),
            // Its beginning is told once more.
            ("2018 2022", "2018", "-", "2025", "known"),
            ("2018 2022", "2015", "-", "2025", "known"),
            ("~2018 2022", "2015", "-", "2025", "known revised to 2015 stated"),
            ("? 2022", "2018", "-", "2025", "known revised to 2018 stated"),
            // An earlier start.
            ("~2022 open", "2020", "-", "2025", "known revised to 2020 stated"),
            ("~2022 open", "-", "-", "2021", "known revised to 2021-01-01T00:00:00Z fallback"),
            ("~2022 open", "2020", "2024", "2025", "known revised to 2020 stated ended 2024"),
            ("~2022 open", "2023", "-", "2025", "known"),
            ("? 2024", "2020", "-", "2023", "known revised to 2020 stated"),
            ("? 2024", "-", "-", "2020", "known"),
            ("? 2024", "-", "2023", "2025", "known"),
            ("2022 open", "2020", "-", "2025", "known"),
            // Apart from each other.
            ("2022 open", "2018", "2020", "2025", "new"),
            ("~2022 open", "2018", "2020", "2025", "new"),
            ("2022 open", "-", "2020", "2025", "new"),
        ] {
            assert_eq!(
                outcome(&[row(stored)], start, end, at),
                expected,
                "stored {stored}, told {start} to {end} at {at}"
            );
        }
    }

    #[test]
    fn nothing_stored_makes_a_new_row() {
        assert_eq!(outcome(&[], "2020", "-", "2025"), "new");
    }

    #[test]
    fn of_several_rows_the_open_one_counts_else_the_latest() {
        let rows = |texts: [&str; 2]| -> Vec<Edge> {
            let rows = texts.iter().zip(1..).map(|(text, id)| Edge { id: EdgeId(id), ..row(text) });
            rows.collect()
        };
        let told = Told::new(None, Some(date("2024")), date("2025").at);
        for (stored, expected) in
            [(["2010 2012", "2020 open"], 2), (["2020 open", "2010 2012"], 1), (["2010 2012", "2014 2016"], 2)]
        {
            let Repeat::Known { edge, .. } = decide(&told, &rows(stored), None) else { panic!("a repeat: {stored:?}") };
            assert_eq!(edge, EdgeId(expected), "{stored:?}");
        }
    }

    #[test]
    fn a_told_fact_counts_only_up_to_the_next_other_value() {
        let told = Told::new(Some(date("2020")), None, date("2025").at);
        let stored = [row("2024 open")];
        assert_eq!(decide(&told, &stored, Some(date("2022").at)), Repeat::New);
        assert_ne!(decide(&told, &stored, None), Repeat::New);
    }
}
