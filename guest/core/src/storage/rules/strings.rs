//! What must hold of the strings of a plan.

use super::ensure;
use crate::model::Target;
use crate::storage::{Change, StorageResult};

/// Longest name and normalized name, in bytes.
pub const MAX_NAME: usize = 256;

/// Longest relation, in bytes.
pub const MAX_RELATION: usize = 64;

/// Longest literal and normalized literal, in bytes.
pub const MAX_LITERAL: usize = 4_096;

/// Longest key of a series, and longest of its labels, in bytes.
pub const MAX_KEY: usize = 256;

/// Longest field of a series, in bytes.
pub const MAX_FIELD: usize = 64;

/// Longest role of an anchor, in bytes.
pub const MAX_ROLE: usize = 64;

/// Checks every string of a change.
pub(super) fn check(change: &Change) -> StorageResult<()> {
    match change {
        Change::AddArtifact(add) => {
            let artifact = &add.artifact;
            text("text", &add.text)?;
            optional("title", artifact.title.as_deref())?;
            optional("session_id", artifact.session_id.as_deref())?;
            optional("wing", artifact.wing.as_deref())
        }
        Change::AddEntity(add) => {
            let entity = &add.entity;
            short("name", &entity.name, MAX_NAME)?;
            short("normalized_name", &add.normalized_name, MAX_NAME)?;
            text("type", &entity.r#type)?;
            text("description", &entity.description)?;
            optional("model", entity.model.as_deref())
        }
        Change::AddEntityEvent(event) => {
            text("type", &event.r#type)?;
            text("description", &event.description)
        }
        Change::AddMention(mention) => text("description", &mention.description),
        Change::AddEdge(add) => {
            let edge = &add.edge;
            short("relation", &edge.relation, MAX_RELATION)?;
            if let Target::Text(literal) = &edge.target {
                short("target", literal, MAX_LITERAL)?;
            }
            short("normalized_target", add.normalized_target.as_deref().unwrap_or_default(), MAX_LITERAL)?;
            text("description", &edge.description)?;
            optional("model", edge.model.as_deref())?;
            optional("wing", edge.wing.as_deref())?;
            optional("raw_text", edge.raw_text.as_deref())
        }
        Change::AddStatement(statement) => {
            text("description", &statement.description)?;
            optional("raw_text", statement.raw_text.as_deref())
        }
        Change::PutSeries(put) => {
            let series = &put.series;
            short("key", &series.key, MAX_KEY)?;
            short("field", &series.field, MAX_FIELD)?;
            let labels = [("name", &series.name), ("unit", &series.unit), ("frequency", &series.frequency)];
            let labels = labels.into_iter().chain([("provider", &series.provider)]);
            for (field, label) in labels {
                short(field, label.as_deref().unwrap_or_default(), MAX_KEY)?;
            }
            short("definition", series.definition.as_deref().unwrap_or_default(), MAX_LITERAL)
        }
        Change::PutAnchor(anchor) => short("role", anchor.role.as_deref().unwrap_or_default(), MAX_ROLE),
        Change::AddParent(_)
        | Change::AddEvent(_)
        | Change::PutPoints(_)
        | Change::DeletePoints(_)
        | Change::DeleteAnchor(_)
        | Change::DeleteSeries(_) => Ok(()),
        Change::PutPredicate(predicate) => {
            short("name", &predicate.name, MAX_RELATION)?;
            text("description", &predicate.description)
        }
        Change::SetDataset(set) => {
            optional("description", set.description.as_deref())?;
            set.tags.iter().flatten().try_for_each(|tag| text("tags", tag))
        }
    }
}

fn text(field: &str, value: &str) -> StorageResult<()> {
    ensure(!value.contains('\0'), || format!("{field}: has a NUL"))
}

fn optional(field: &str, value: Option<&str>) -> StorageResult<()> {
    value.map_or(Ok(()), |value| text(field, value))
}

fn short(field: &str, value: &str, max: usize) -> StorageResult<()> {
    ensure(value.len() <= max, || format!("{field}: has {} bytes, at most {max} are possible", value.len()))?;
    text(field, value)
}
