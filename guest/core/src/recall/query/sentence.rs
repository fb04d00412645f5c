//! Evidence in words, without a model.

use super::Asked;
use super::question::Question;
use crate::recall::Fact;
use crate::time::Date;

/// Sentences of an answer.
const MAX_SENTENCES: usize = 5;

/// The evidence in words: what it says of the time that was asked about, or else what was known last.
pub(super) fn answer(question: &Question, evidence: &[Fact], at: Asked) -> String {
    let asked: Vec<&Fact> = evidence.iter().filter(|fact| question.asks_for(&fact.edge.relation)).collect();
    if asked.is_empty() && !evidence.is_empty() && !question.relations().is_empty() {
        return "Nothing that is remembered says so. What else is known is in the evidence.".to_owned();
    }
    let about: Vec<&Fact> = if asked.is_empty() { evidence.iter().collect() } else { asked };
    let holding: Vec<&Fact> = about.iter().copied().filter(|fact| at.meets(fact.edge.bounds.interval())).collect();
    if !holding.is_empty() {
        let mut sentences: Vec<String> = holding.iter().take(MAX_SENTENCES).map(|fact| sentence(fact)).collect();
        if holding.len() > MAX_SENTENCES {
            sentences.push(format!("And {} more in the evidence.", holding.len() - MAX_SENTENCES));
        }
        return sentences.join(" ");
    }
    match about.first() {
        None => "Nothing that is remembered is about this.".to_owned(),
        Some(latest) => format!("Nothing that is remembered holds at {at}. The latest: {}", sentence(latest)),
    }
}

/// A date as people say it: of a midnight only the day.
fn spoken(date: Date) -> String {
    let text = date.to_string();
    text.strip_suffix("T00:00:00Z").map_or_else(|| text.clone(), str::to_owned)
}

/// A fact with its dates: `Alice works at Globex, since 2024-03-01.`
fn sentence(fact: &Fact) -> String {
    let bounds = &fact.edge.bounds;
    let object = fact.object();
    let dates = match (bounds.start_known(), bounds.invalid_at) {
        (true, None) => format!("since {}", spoken(bounds.valid_at)),
        (true, Some(end)) => format!("from {} until {}", spoken(bounds.valid_at), spoken(end)),
        (false, Some(end)) => format!("until {}", spoken(end)),
        (false, None) => "since an unknown time".to_owned(),
    };
    format!("{} {} {object}, {dates}.", fact.source_name, fact.edge.relation.replace('_', " "))
}
