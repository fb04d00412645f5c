//! The one time that a question names.

use super::sentence::{Inside, enclosures};
use super::set::fold::tokenize;
use super::{PatternContext, Patterns, Scan, Today, when};
use crate::time::{Date, Precision};

impl Patterns {
    /// The date that a text states with its year (`in June 2023`, `em 2023`, `on 2023-06-01`), if it states one and
    /// nothing else about time. A bare year may be part of a name and is none.
    #[must_use]
    pub fn date(&self, text: &str, context: &PatternContext<'_>) -> Option<Date> {
        let tokens = tokenize(text);
        let inside: Vec<Inside> = enclosures(&tokens);
        let tables: Vec<_> = self.tables.iter().collect();
        let today = Today::new(context.reference_time, context.timezone);
        let mut found: Option<Date> = None;
        for scan in Scan::all(&tables, text, &tokens, &inside) {
            let mut at = 0;
            while at < tokens.len() {
                let Some((end, times)) = when::phrase(&scan, at, tokens.len(), &today) else {
                    at += 1;
                    continue;
                };
                if times.since.is_some() || times.until.is_some() || times.lasting.is_some() {
                    return None;
                }
                let words = &text[tokens[at].start..tokens[end - 1].end];
                at = end.max(at + 1);
                let Some(dated) = times.at.filter(|dated| has_year(words, dated.date)) else { continue };
                if found.is_some_and(|found| found != dated.date) {
                    return None;
                }
                found = Some(dated.date);
            }
        }
        found
    }
}

/// Whether words state a date with its year, and more than a year alone.
fn has_year(words: &str, date: Date) -> bool {
    let text = date.to_string();
    let year = text.get(..4).unwrap_or(&text);
    words.contains(year) && (words.len() > 4 || date.precision != Precision::Year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_a_time_with_its_year_or_none() {
        let reference_time = Date::parse("2025-05-10").expect("a date").at;
        let context = PatternContext { reference_time, timezone: chrono_tz::UTC, speaker: None, language: None };
        for (question, expected) in [
            ("Where did Ana work in June 2023?", Some("2023-06")),
            ("Where did Ana work in 2023?", Some("2023")),
            ("Onde a Ana trabalhava em 2023?", Some("2023")),
            ("Onde a Ana trabalhava em março de 2021?", Some("2021-03")),
            ("Where did Ana work on 2023-06-01?", Some("2023-06-01")),
            ("Where was Ana on June 5, 2023?", Some("2023-06-05")),
            ("Where does Ana work?", None),
            ("Where did Ana work since 2019?", None),
            ("Where did Ana work from 2015 to 2019?", None),
            ("Did Ana move in 2019 or in 2021?", None),
            ("What does Office 2019 cost?", None),
            ("Who was there in May?", None),
            ("May I ask where Ana works now?", None),
            ("Where did Ana live last year?", None),
        ] {
            let date = Patterns::built_in().date(question, &context).map(|date| date.to_string());
            assert_eq!(date.as_deref(), expected, "{question}");
        }
    }
}
