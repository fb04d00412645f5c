//! What the sentences of a text give together.

use std::collections::HashMap;

use super::read::Fact;
use crate::clean::clean;
use crate::extract::{ExtractedEdge, ExtractedEntity, ExtractedTarget, Extraction};

/// Facts and entities as they come. Names are without hidden characters; the words they were read from stay as they are
/// spelled, so that they are found in the text.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) extraction: Extraction,
    /// Index of each entity by its name.
    known: HashMap<String, usize>,
}

impl Collected {
    pub(super) fn add(&mut self, facts: Vec<Fact<'_>>) {
        self.extraction.edges.reserve(facts.len());
        for fact in facts {
            let literal = matches!(fact.pattern.object_type.as_str(), "text" | "number" | "date");
            let (source, target) = (clean(fact.source), clean(fact.target));
            self.entity(&source, &fact.pattern.subject_type);
            if !literal {
                self.entity(&target, &fact.pattern.object_type);
            }
            self.extraction.edges.push(ExtractedEdge {
                source,
                relation: fact.pattern.relation.clone(),
                target: if literal { ExtractedTarget::Text(target) } else { ExtractedTarget::Entity(target) },
                description: None,
                valid_at: fact.bounds.start.map(|start| start.date),
                invalid_at: fact.bounds.end.map(|end| end.date),
                confidence: fact.pattern.confidence,
                raw_text: Some(fact.raw_text.to_owned()),
            });
        }
    }

    /// The first known type of an entity stays.
    fn entity(&mut self, name: &str, r#type: &str) {
        if let Some(at) = self.known.get(name) {
            let known = &mut self.extraction.entities[*at];
            if known.r#type == "unknown" {
                r#type.clone_into(&mut known.r#type);
            }
            return;
        }
        self.known.insert(name.to_owned(), self.extraction.entities.len());
        self.extraction.entities.push(ExtractedEntity {
            name: name.to_owned(),
            r#type: r#type.to_owned(),
            description: String::new(),
        });
    }
}
