//! Sentences and the facts that the pattern extractor reads from them.

use chrono_tz::Tz;
use gligabao_core::extract::{ExtractedTarget, Extraction};
use gligabao_core::pattern::{PatternContext, Patterns};
use gligabao_core::time::Instant;
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::{SPANISH, set};

/// The given sentences and our own, English before Portuguese.
pub(crate) const FILES: [&str; 4] = [
    include_str!("../cases/patterns-en.json"),
    include_str!("../cases/patterns-pt-br.json"),
    include_str!("../cases/own-patterns-en.json"),
    include_str!("../cases/own-patterns-pt-br.json"),
];

/// Spanish sentences, for the set in `examples/patterns`.
pub(crate) const SPANISH_FILE: &str = include_str!("../cases/own-patterns-es.json");

/// A file of sentences in one language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cases {
    #[expect(dead_code, reason = "for readers of the file")]
    about: String,
    language: String,
    pub(crate) cases: Vec<Case>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) text: String,
    facts: Vec<Fact>,
    reference_time: Option<String>,
    timezone: Option<String>,
    pub(crate) speaker: Option<String>,
    #[expect(dead_code, reason = "for readers of the file")]
    note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fact {
    pub(crate) subject: String,
    pub(crate) relation: String,
    pub(crate) object: String,
    pub(crate) valid_at: Option<String>,
    pub(crate) invalid_at: Option<String>,
}

/// What a sentence is read with.
pub(crate) fn context<'a>(case: &'a Case, language: Option<&'a str>) -> PatternContext<'a> {
    let reference = case.reference_time.as_deref().unwrap_or("2025-06-15T12:00:00Z");
    let timezone = case.timezone.as_deref().unwrap_or("UTC");
    PatternContext {
        reference_time: Instant::parse_request(reference).expect("a time"),
        timezone: timezone.parse::<Tz>().expect("a time zone"),
        speaker: case.speaker.as_deref(),
        language,
    }
}

fn read(patterns: &Patterns, case: &Case, language: Option<&str>) -> Extraction {
    patterns.extract(&case.text, &context(case, language)).expect("a known language")
}

pub(crate) fn facts(extraction: &Extraction) -> Vec<Fact> {
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
fn check(patterns: &Patterns, file: &str) {
    let cases: Cases = serde_json::from_str(file).expect("a file of cases");
    let mut wrong = Vec::new();
    for case in &cases.cases {
        for language in [None, Some(cases.language.as_str())] {
            let found = facts(&read(patterns, case, language));
            if found != case.facts {
                wrong
                    .push(format!("{:?} ({language:?})\n  expected {:?}\n  found    {found:?}", case.text, case.facts));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases\n{}", wrong.len(), cases.cases.len(), wrong.join("\n"));
}

/// The relations and dates of the facts, which is all that no spelling can change.
fn shape(facts: &[Fact]) -> Vec<(String, Option<String>, Option<String>)> {
    facts.iter().map(|fact| (fact.relation.clone(), fact.valid_at.clone(), fact.invalid_at.clone())).collect()
}

/// A text without accents.
fn plain(text: &str) -> String {
    text.nfd().filter(|c| !is_combining_mark(*c)).collect()
}

/// Whichever way a sentence is written, its facts are the same. A name's article alone may stay or go.
fn check_spelling(patterns: &Patterns, file: &str) {
    let cases: Cases = serde_json::from_str(file).expect("a file of cases");
    for case in &cases.cases {
        let writings = [
            case.text.to_uppercase(),
            case.text.to_lowercase(),
            plain(&case.text),
            plain(&case.text).to_uppercase(),
            case.text.nfd().collect(),
            case.text.replace('\'', "\u{2019}"),
        ];
        for text in writings {
            let written = facts(&read(patterns, &Case { text: text.clone(), ..case.clone() }, None));
            assert_eq!(shape(&written), shape(&case.facts), "{text}");
            for (fact, expected) in written.iter().zip(&case.facts) {
                assert!(same(&fact.subject, &expected.subject), "{text}: {} is no {}", fact.subject, expected.subject);
                assert!(same(&fact.object, &expected.object), "{text}: {} is no {}", fact.object, expected.object);
            }
        }
    }
}

/// Whether two names differ in case, accents and a leading article at most.
fn same(name: &str, other: &str) -> bool {
    let bare = |name: &str| {
        let name = plain(name).to_lowercase().replace('\u{2019}', "'").replace("ß", "ss");
        let article = ["the ", "a ", "an ", "o ", "os ", "el ", "la "]
            .iter()
            .find_map(|article| name.strip_prefix(article))
            .map(str::to_owned);
        article.unwrap_or(name)
    };
    bare(name) == bare(other)
}

/// The built-in sets and Spanish.
pub(crate) fn with_spanish() -> Patterns {
    Patterns::built_in().clone().with(&set(SPANISH)).expect("a set")
}

#[test]
fn case_and_accents_of_a_text_never_decide_which_facts_come_out() {
    for file in FILES {
        check_spelling(Patterns::built_in(), file);
    }
    check_spelling(&with_spanish(), SPANISH_FILE);
}

#[test]
fn a_third_of_our_own_sentences_state_no_fact() {
    for (file, least) in [(FILES[2], 100), (FILES[3], 100), (SPANISH_FILE, 60)] {
        let cases: Cases = serde_json::from_str(file).expect("a file of cases");
        let none = cases.cases.iter().filter(|case| case.facts.is_empty()).count();
        assert!(cases.cases.len() >= least && none * 3 >= cases.cases.len(), "{none} of {}", cases.cases.len());
    }
}

#[test]
fn english_sentences_give_exactly_their_facts() {
    check(Patterns::built_in(), FILES[0]);
    check(Patterns::built_in(), FILES[2]);
}

#[test]
fn portuguese_sentences_give_exactly_their_facts() {
    check(Patterns::built_in(), FILES[1]);
    check(Patterns::built_in(), FILES[3]);
}

#[test]
fn spanish_sentences_give_exactly_their_facts_and_change_those_of_no_other_language() {
    let patterns = with_spanish();
    check(&patterns, SPANISH_FILE);
    for file in FILES {
        check(&patterns, file);
    }
}
