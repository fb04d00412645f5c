//! The pattern extractor: sentences and their facts, sets of one's own, what it explains, and texts meant to break it.

mod docs;
mod explain;
mod hostile;
mod sentences;
mod sets;

use gligabao_core::extract::{ExtractedTarget, Extraction};
use gligabao_core::pattern::{PatternContext, PatternSet};
use gligabao_core::time::Instant;

const CONTEXT: PatternContext<'_> = PatternContext {
    reference_time: Instant(1_750_000_000),
    timezone: chrono_tz::UTC,
    speaker: Some("Zoe"),
    language: None,
};

/// The Spanish example: a language that takes a file and no code.
const SPANISH: &str = include_str!("../../../../examples/patterns/es.yaml");

fn set(yaml: &str) -> PatternSet {
    PatternSet::parse(yaml).expect("YAML of a set")
}

/// Facts as `subject relation object`.
fn lines(extraction: &Extraction) -> Vec<String> {
    let name = |target: &ExtractedTarget| match target {
        ExtractedTarget::Entity(name) | ExtractedTarget::Text(name) => name.clone(),
    };
    extraction.edges.iter().map(|edge| format!("{} {} {}", edge.source, edge.relation, name(&edge.target))).collect()
}
