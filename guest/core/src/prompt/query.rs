//! `query`: an answer in words, made of facts that are shown.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use super::Ask;
use super::lenient::{self, Problems};
use super::statement::Existing;
use crate::clean::lines;
use crate::model::EdgeId;
use crate::recall::EvidenceSeries;
use crate::series::Stats;

/// Longest answer in words, in bytes.
const MAX_WORDS: usize = 16 << 10;

/// A fact of the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Fact {
    /// The fact.
    #[serde(flatten)]
    pub(crate) fact: Existing,
    /// Whether a rule has closed it.
    pub(crate) superseded: bool,
}

/// A series that a fact is tied to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Series {
    id: u64,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    /// The fact.
    fact: u64,
    /// What it is to the fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window_stats: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_stats: Option<Numbers>,
}

/// What points amount to, in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Numbers {
    count: u64,
    first_ts: String,
    last_ts: String,
    first: f64,
    last: f64,
    min: f64,
    max: f64,
    mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pct_change: Option<f64>,
    trend: &'static str,
}

impl Series {
    /// As a model is shown it.
    pub(crate) fn of(evidence: &EvidenceSeries) -> Self {
        let series = &evidence.summary.series;
        Self {
            id: series.id.0,
            name: series.title().to_owned(),
            unit: series.unit.clone(),
            fact: evidence.edge_id.0,
            role: evidence.anchor.role.clone(),
            stats: evidence.summary.stats.map(Numbers::of),
            window_stats: evidence.window_stats.map(Numbers::of),
            asked_stats: evidence.asked_stats.map(Numbers::of),
        }
    }
}

impl Numbers {
    fn of(stats: Stats) -> Self {
        Self {
            count: stats.count,
            first_ts: stats.first_ts.to_string(),
            last_ts: stats.last_ts.to_string(),
            first: stats.first,
            last: stats.last,
            min: stats.min,
            max: stats.max,
            mean: stats.mean,
            change: stats.change,
            pct_change: stats.pct_change,
            trend: stats.trend.as_str(),
        }
    }
}

/// A question of before and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Said {
    /// The question.
    pub(crate) question: String,
    /// The answer.
    pub(crate) answer: String,
}

/// The inputs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Query<'a> {
    /// The time that the question is about, RFC 3339.
    pub(crate) now: String,
    /// The question.
    pub(crate) question: &'a str,
    /// The evidence, best first.
    pub(crate) facts: Vec<Fact>,
    /// The series that they are tied to.
    pub(crate) series: Vec<Series>,
    /// What was asked before, oldest first.
    pub(crate) history: Vec<Said>,
}

/// What the model answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spoken {
    /// In words; not empty.
    pub(crate) answer: String,
    /// Facts that were shown, once each.
    pub(crate) used: Vec<EdgeId>,
}

#[derive(Serialize)]
struct Document<'a> {
    stage: &'static str,
    now: &'a str,
    question: &'a str,
    facts: &'a [Fact],
    series: &'a [Series],
    history: &'a [Said],
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_error: Option<&'a str>,
}

impl Ask for Query<'_> {
    const STAGE: &'static str = "query";
    const WORDS: &'static str = include_str!("query.md");
    type Answer = Spoken;

    fn document(&self, previous_error: Option<&str>) -> String {
        let document = Document {
            stage: Self::STAGE,
            now: &self.now,
            question: self.question,
            facts: &self.facts,
            series: &self.series,
            history: &self.history,
            previous_error,
        };
        serde_json::to_string(&document).expect("strings and lists are JSON")
    }

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "answer": {"type": "string"},
                "used": {"type": "array", "items": {"type": "integer"}},
            },
            "required": ["answer", "used"],
            "additionalProperties": false,
        })
    }

    fn read(&self, answer: &str, problems: &mut Problems) -> Result<Spoken, String> {
        let object = lenient::object(answer, &["answer", "used"], problems)?;
        let mut words = match object.get("answer") {
            Some(Value::String(words)) => lines(words),
            None => return Err("the key \"answer\" is missing".to_owned()),
            Some(_) => return Err("answer: a string is meant".to_owned()),
        };
        if words.is_empty() {
            return Err("answer: is empty".to_owned());
        }
        problems.add("the answer was cut", usize::from(words.len() > MAX_WORDS));
        words.truncate(words.floor_char_boundary(MAX_WORDS));
        let named = match object.get("used") {
            None => return Err("the key \"used\" is missing".to_owned()),
            Some(Value::Array(items)) => items.iter().collect(),
            Some(one @ Value::Number(_)) => vec![one],
            Some(_) => return Err("used: a list of numbers is meant".to_owned()),
        };
        let shown: BTreeSet<u64> = self.facts.iter().map(|shown| shown.fact.id).collect();
        let mut used = Vec::new();
        let mut seen = BTreeSet::new();
        for (place, item) in named.into_iter().enumerate() {
            match lenient::number(Some(item), &format!("used[{place}]"))?.filter(|id| shown.contains(id)) {
                Some(id) if seen.insert(id) => used.push(EdgeId(id)),
                Some(_) => {}
                None => problems.note("used: a fact that was not shown was dropped"),
            }
        }
        Ok(Spoken { answer: words, used })
    }
}

#[cfg(test)]
mod tests {
    use super::super::statement::Statement;
    use super::*;

    fn asked<'a>() -> Query<'a> {
        let statement = |superseded: bool| Statement {
            source: "Ana".to_owned(),
            relation: "works_at".to_owned(),
            target: "Acme".to_owned(),
            description: "Ana works at Acme.".to_owned(),
            valid_at: Some("2020".to_owned()),
            invalid_at: superseded.then(|| "2024-03-01".to_owned()),
        };
        let fact = |id, superseded| Fact { fact: Existing { id, fact: statement(superseded) }, superseded };
        let history = vec![Said { question: "Who?".to_owned(), answer: "Ana.".to_owned() }];
        Query {
            now: "2025-01-01T00:00:00Z".to_owned(),
            question: "Where?",
            facts: vec![fact(1, true), fact(2, false)],
            series: Vec::new(),
            history,
        }
    }

    #[test]
    fn a_document_shows_facts_and_history() {
        insta::assert_snapshot!(asked().document(Some("x")), @r#"{"stage":"query","now":"2025-01-01T00:00:00Z","question":"Where?","facts":[{"id":1,"source":"Ana","relation":"works_at","target":"Acme","description":"Ana works at Acme.","valid_at":"2020","invalid_at":"2024-03-01","superseded":true},{"id":2,"source":"Ana","relation":"works_at","target":"Acme","description":"Ana works at Acme.","valid_at":"2020","superseded":false}],"series":[],"history":[{"question":"Who?","answer":"Ana."}],"previous_error":"x"}"#);
    }

    #[test]
    fn used_facts_are_those_that_were_shown_once_each() {
        let mut problems = Problems::default();
        let answer = r#"{"answer": " At\u0000 Globex.\nSince March. ", "used": [2, 9, 1, 2, "1", -4]}"#;
        let spoken = asked().read(answer, &mut problems).unwrap();
        assert_eq!(spoken, Spoken { answer: "At Globex.\nSince March.".to_owned(), used: vec![EdgeId(2), EdgeId(1)] });
        assert_eq!(problems.sentences(), ["used: a fact that was not shown was dropped (2 times)"]);
    }

    #[test]
    fn an_answer_without_words_is_an_error() {
        for (answer, expected) in [
            (r#"{"used": []}"#, "the key \"answer\" is missing"),
            (r#"{"answer": " ", "used": []}"#, "answer: is empty"),
            (r#"{"answer": 3, "used": []}"#, "answer: a string is meant"),
            (r#"{"answer": "x"}"#, "the key \"used\" is missing"),
            (r#"{"answer": "x", "used": "1"}"#, "used: a list of numbers is meant"),
            (r#"{"answer": "x", "used": [null]}"#, "used[0]: null where a number is meant"),
            ("At Globex.", "there is no whole JSON object in the answer"),
        ] {
            assert_eq!(asked().read(answer, &mut Problems::default()), Err(expected.to_owned()), "{answer}");
        }
    }

    #[test]
    fn a_long_answer_is_cut() {
        let answer = format!(r#"{{"answer": "{}", "used": []}}"#, "ö".repeat(MAX_WORDS));
        let mut problems = Problems::default();
        assert!(asked().read(&answer, &mut problems).unwrap().answer.len() <= MAX_WORDS);
        assert_eq!(problems.sentences(), ["the answer was cut"]);
    }
}
