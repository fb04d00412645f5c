//! Why a fact is as it is.

use gligabao_core::recall;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::edge::Event;
use super::fact::Fact;
use super::series::Series;
use super::time::Time;
use super::word::{KindWord, Word};

/// A part of a text, in bytes of its UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Span {
    /// Where it begins.
    pub start: u32,
    /// Where it ends, exclusive.
    pub end: u32,
}

/// An artifact that states a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Source {
    /// The artifact.
    pub artifact_id: u64,
    /// Its heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is.
    pub kind: KindWord,
    /// Its reference time.
    pub valid_at: Time,
    /// The sentence that it gave.
    pub description: String,
    /// The words that the fact was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_text: Option<String>,
    /// Where those words stand in its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The series that it tells, where it is an observation of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
}

impl From<recall::Source> for Source {
    fn from(source: recall::Source) -> Self {
        let recall::Source { artifact, description, raw_text, span, series } = source;
        Self {
            artifact_id: artifact.id.0,
            title: artifact.title,
            kind: Word(artifact.kind),
            valid_at: artifact.valid_at.into(),
            description,
            raw_text,
            span: span.map(|span| Span { start: span.start, end: span.end }),
            series: series.map(Series::from),
        }
    }
}

/// A fact with what its sources say and all that happened to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Why {
    /// The fact.
    pub fact: Fact,
    /// The first 1,000 artifacts that state it, ascending.
    pub sources: Vec<Source>,
    /// The first 1,000 of its events, oldest first.
    pub events: Vec<Event>,
}

impl From<recall::WhyAnswer> for Why {
    fn from(answer: recall::WhyAnswer) -> Self {
        Self {
            fact: answer.fact.into(),
            sources: answer.sources.into_iter().map(Source::from).collect(),
            events: answer.events.into_iter().map(Event::from).collect(),
        }
    }
}
