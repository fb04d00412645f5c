//! The files of artifacts, entities and edges.

use std::collections::BTreeSet;

use super::front_matter::FrontMatter;
use crate::model::{Artifact, ArtifactId, Edge, Entity, Target};

/// Which part of a text a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Its place among the chunks.
    pub index: u64,
    /// Where it starts in the text, in bytes.
    pub start_offset: u64,
    /// Where it ends, in bytes.
    pub end_offset: u64,
    /// How many tokens it was taken for.
    pub tokens: u64,
}

/// The file of an artifact. `classes` are those of its graph, in any order.
#[must_use]
pub fn artifact(artifact: &Artifact, chunk: Option<Chunk>, classes: &[String], text: &str) -> Vec<u8> {
    let mut front = FrontMatter::new().plain("id", artifact.id.0);
    if let Some(parent) = artifact.parent {
        front = front.plain("parent", parent.0);
    }
    front = front
        .text("kind", artifact.kind)
        .maybe_text("title", artifact.title.as_ref())
        .maybe_text("session", artifact.session_id.as_ref())
        .maybe_text("wing", artifact.wing.as_ref());
    if let Some(chunk) = chunk {
        front = front
            .plain("chunk_index", chunk.index)
            .plain("start_offset", chunk.start_offset)
            .plain("end_offset", chunk.end_offset)
            .plain("tokens", chunk.tokens);
    }
    let classes: BTreeSet<&str> = classes.iter().map(String::as_str).collect();
    front
        .words("classes", classes)
        .text("valid_at", artifact.valid_at)
        .text("created_at", artifact.created_at)
        .with_body(text)
}

/// The file of an entity. `artifacts` are those that mention it so far, ascending.
#[must_use]
pub fn entity(entity: &Entity, aliases: &[String], artifacts: &[ArtifactId]) -> Vec<u8> {
    FrontMatter::new()
        .plain("id", entity.id.0)
        .text("name", &entity.name)
        .text("type", &entity.r#type)
        .words("aliases", aliases.iter().map(String::as_str))
        .maybe_text("model", entity.model.as_ref())
        .numbers("artifacts", artifacts.iter().map(|id| id.0))
        .with_body(&paragraph(&entity.description))
}

/// The file of an edge. `source` is the name of its subject, `target` that of its object, if that is an entity;
/// `artifacts` are those that state it so far, ascending.
#[must_use]
pub fn edge(edge: &Edge, source: &str, target: Option<&str>, artifacts: &[ArtifactId]) -> Vec<u8> {
    let bounds = &edge.bounds;
    let mut front = FrontMatter::new()
        .plain("id", edge.id.0)
        .text("source", source)
        .plain("source_id", edge.source.0)
        .text("relation", &edge.relation);
    front = match &edge.target {
        Target::Entity(id) => front.maybe_text("target", target).plain("target_id", id.0),
        Target::Text(text) => front.text("target_text", text),
    };
    front = front
        .text("valid_at", bounds.valid_at.at)
        .text("valid_at_precision", bounds.valid_at.precision.as_str())
        .plain("start_known", bounds.start_known());
    if let Some(end) = bounds.invalid_at {
        front = front.text("invalid_at", end.at).text("invalid_at_precision", end.precision.as_str());
    }
    front = front
        .text("created_at", edge.created_at)
        .maybe_text("expired_at", bounds.expired_at)
        .maybe_text("retracted_at", bounds.retracted_at);
    if bounds.contested {
        front = front.plain("contested", true);
    }
    front
        .plain("confidence", edge.confidence)
        .maybe_text("wing", edge.wing.as_ref())
        .maybe_text("model", edge.model.as_ref())
        .numbers("artifacts", artifacts.iter().map(|id| id.0))
        .with_body(&paragraph(&edge.description))
}

/// A description as a body: with a line break at its end, so that diffs don't remark that there is none.
fn paragraph(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}
