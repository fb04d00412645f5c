//! Sentences and the facts that the pattern extractor reads from them.

use chrono_tz::Tz;
use gligabao_core::extract::{ExtractedTarget, Extraction};
use gligabao_core::pattern::{PatternContext, extract};
use gligabao_core::time::Instant;
use serde::Deserialize;

/// A file of sentences in one language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    #[expect(dead_code, reason = "for readers of the file")]
    about: String,
    language: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    text: String,
    facts: Vec<Fact>,
    reference_time: Option<String>,
    timezone: Option<Tz0>,
    speaker: Option<String>,
    #[expect(dead_code, reason = "for readers of the file")]
    note: Option<String>,
}

/// The name of a time zone.
type Tz0 = String;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fact {
    subject: String,
    relation: String,
    object: String,
    valid_at: Option<String>,
    invalid_at: Option<String>,
}

fn read(case: &Case, language: Option<&str>) -> Extraction {
    let reference = case.reference_time.as_deref().unwrap_or("2025-06-15T12:00:00Z");
    let timezone = case.timezone.as_deref().unwrap_or("UTC");
    let context = PatternContext {
        reference_time: Instant::parse_request(reference).expect("a time"),
        timezone: timezone.parse::<Tz>().expect("a time zone"),
        speaker: case.speaker.as_deref(),
        language,
    };
    extract(&case.text, &context).expect("a known language")
}

fn facts(extraction: &Extraction) -> Vec<Fact> {
    let fact = |edge: &gligabao_core::extract::ExtractedEdge| Fact {
        subject: edge.source.clone(),
        relation: edge.relation.clone(),
        object: match &edge.target {
            ExtractedTarget::Entity(name) | ExtractedTarget::Text(name) => name.clone(),
        },
        valid_at: edge.valid_at.map(|date| date.at.to_string()),
        invalid_at: edge.invalid_at.map(|date| date.at.to_string()),
    };
    extraction.edges.iter().map(fact).collect()
}

/// Every sentence of a file gives exactly its facts, with its language named and with all languages.
fn check(file: &str) {
    let cases: Cases = serde_json::from_str(file).expect("a file of cases");
    let mut wrong = Vec::new();
    for case in &cases.cases {
        for language in [None, Some(cases.language.as_str())] {
            let found = facts(&read(case, language));
            if found != case.facts {
                wrong
                    .push(format!("{:?} ({language:?})\n  expected {:?}\n  found    {found:?}", case.text, case.facts));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases\n{}", wrong.len(), cases.cases.len(), wrong.join("\n"));
}

#[test]
fn english_sentences_give_exactly_their_facts() {
    check(include_str!("cases/patterns-en.json"));
}

#[test]
fn portuguese_sentences_give_exactly_their_facts() {
    check(include_str!("cases/patterns-pt-br.json"));
}
