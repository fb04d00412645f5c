//! Facts as documents show them to a model, whichever stage asks.

use serde::Serialize;

use crate::recall::Fact;
use crate::time::{Date, UNKNOWN_START};

/// What a fact says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Statement {
    /// Name of the subject.
    pub(crate) source: String,
    /// In snake_case.
    pub(crate) relation: String,
    /// Name of the object, or the literal.
    pub(crate) target: String,
    /// One sentence.
    pub(crate) description: String,
    /// Start, as finely as it was stated; none if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) valid_at: Option<String>,
    /// End; none if it still holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invalid_at: Option<String>,
}

/// A fact that is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Existing {
    /// Its ID.
    pub(crate) id: u64,
    /// The fact.
    #[serde(flatten)]
    pub(crate) fact: Statement,
}

impl Existing {
    /// A fact as it was read.
    pub(crate) fn of(fact: &Fact) -> Self {
        let bounds = &fact.edge.bounds;
        let statement = Statement {
            source: fact.source_name.clone(),
            relation: fact.edge.relation.clone(),
            target: fact.object().to_owned(),
            description: fact.edge.description.clone(),
            valid_at: start(bounds.valid_at),
            invalid_at: bounds.invalid_at.map(|end| end.to_string()),
        };
        Self { id: fact.edge.id.0, fact: statement }
    }
}

/// A start as a document has it: none where it is unknown.
pub(crate) fn start(start: Date) -> Option<String> {
    (start.at != UNKNOWN_START).then(|| start.to_string())
}
