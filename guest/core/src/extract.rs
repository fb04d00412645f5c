//! What an extractor reads from a text, before anything is known of what is stored.

use crate::time::Date;

/// The entities and facts that a text states.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extraction {
    /// Entities in the order of their first mention. An endpoint of a fact may be missing here.
    pub entities: Vec<ExtractedEntity>,
    /// Facts in the order of the text.
    pub edges: Vec<ExtractedEdge>,
}

/// An entity as the text names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedEntity {
    /// In the text's own spelling.
    pub name: String,
    /// `person`, `organization`, `place` …; `unknown` when the extractor can't say.
    pub r#type: String,
    /// One sentence, or empty.
    pub description: String,
}

/// A fact as the text states it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractedEdge {
    /// Name of the subject, in the text's own spelling.
    pub source: String,
    /// In snake_case.
    pub relation: String,
    /// The object.
    pub target: ExtractedTarget,
    /// One sentence; `None` lets the pipeline make one of source, relation and target.
    pub description: Option<String>,
    /// The stated start.
    pub valid_at: Option<Date>,
    /// The stated end: only when the text says that the fact ended.
    pub invalid_at: Option<Date>,
    /// 0 to 1.
    pub confidence: f64,
    /// The words that it was read from.
    pub raw_text: Option<String>,
}

/// The object of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtractedTarget {
    /// The name of an entity.
    Entity(String),
    /// A literal: a price, a number, a phrase.
    Text(String),
}
