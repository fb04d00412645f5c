//! How much one answer of a store holds at most: texts are as long as callers make them, and a list may have
//! [`MAX_ITEMS`](super::rules::MAX_ITEMS) of them.

use super::{ArtifactText, Change, CommitLog, Degree, EdgePage, NameMatch, Statement, StorageError, StoredSeries};
use crate::model::{
    Anchor, Artifact, ArtifactId, Edge, EdgeEvent, Entity, ModelCall, Predicate, Run, Series, Stage, Target,
};

/// Bytes of text in one answer. A page ends before it holds more, a list by ID that would is too large.
pub const MAX_BYTES: usize = 32 << 20;

/// An item of an answer.
pub trait Weigh {
    /// About how many bytes of text it holds.
    fn weight(&self) -> usize;
}

impl Weigh for ArtifactId {
    fn weight(&self) -> usize {
        0
    }
}

impl Weigh for Degree {
    fn weight(&self) -> usize {
        0
    }
}

impl Weigh for NameMatch {
    fn weight(&self) -> usize {
        self.name.len()
    }
}

impl Weigh for Predicate {
    fn weight(&self) -> usize {
        self.name.len() + self.description.len()
    }
}

impl Weigh for Statement {
    fn weight(&self) -> usize {
        self.description.len() + self.raw_text.as_ref().map_or(0, String::len)
    }
}

impl Weigh for Artifact {
    fn weight(&self) -> usize {
        let labels = [&self.title, &self.session_id, &self.wing];
        labels.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

impl Weigh for ArtifactText {
    fn weight(&self) -> usize {
        self.text.len()
    }
}

impl Weigh for EdgeEvent {
    fn weight(&self) -> usize {
        0
    }
}

impl Weigh for Entity {
    fn weight(&self) -> usize {
        self.name.len() + self.r#type.len() + self.description.len()
    }
}

impl Weigh for Edge {
    fn weight(&self) -> usize {
        let texts = [&self.raw_text, &self.wing, &self.model];
        let target = match &self.target {
            Target::Text(text) => text.len(),
            Target::Entity(_) => 0,
        };
        target
            + self.relation.len()
            + self.description.len()
            + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

impl Weigh for Anchor {
    fn weight(&self) -> usize {
        self.role.as_ref().map_or(0, String::len)
    }
}

impl Weigh for Series {
    fn weight(&self) -> usize {
        let texts = [&self.provider, &self.name, &self.unit, &self.frequency, &self.definition];
        self.key.len() + self.field.len() + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

impl Weigh for StoredSeries {
    fn weight(&self) -> usize {
        self.series.weight() + self.state.len()
    }
}

impl Weigh for Change {
    fn weight(&self) -> usize {
        match self {
            Self::AddArtifact(add) => add.artifact.weight() + add.text.len(),
            Self::AddEntity(add) => add.entity.weight() + add.normalized_name.len(),
            Self::AddEntityEvent(event) => event.r#type.len() + event.description.len(),
            Self::AddMention(mention) => mention.description.len(),
            Self::AddEdge(add) => add.edge.weight() + add.normalized_target.as_ref().map_or(0, String::len),
            Self::AddStatement(statement) => statement.weight(),
            Self::PutPredicate(predicate) => predicate.weight(),
            Self::SetDataset(set) => {
                set.description.as_ref().map_or(0, String::len)
                    + set.tags.iter().flatten().map(String::len).sum::<usize>()
            }
            Self::PutSeries(put) => put.series.weight() + put.state.len(),
            Self::PutPoints(put) => size_of_val(put.points.as_slice()),
            Self::PutAnchor(anchor) => anchor.weight(),
            Self::AddParent(_)
            | Self::AddEvent(_)
            | Self::DeletePoints(_)
            | Self::DeleteAnchor(_)
            | Self::DeleteSeries(_) => 0,
        }
    }
}

impl Weigh for CommitLog {
    /// Commits have many small changes, which take room of their own.
    fn weight(&self) -> usize {
        self.changes.iter().map(|change| size_of::<Change>() + change.weight()).sum()
    }
}

impl Weigh for Run {
    fn weight(&self) -> usize {
        let optional = |texts: &[&Option<String>]| texts.iter().copied().flatten().map(String::len).sum::<usize>();
        let stage = |stage: &Stage| stage.name.len() + stage.output.len() + optional(&[&stage.label, &stage.error]);
        let call = |call: &ModelCall| {
            call.stage.len() + call.model.len() + call.provider.len() + optional(&[&call.reasoning, &call.error])
        };
        self.params.len()
            + optional(&[&self.session_id, &self.error])
            + self.stages.iter().map(stage).sum::<usize>()
            + self.model_calls.iter().map(call).sum::<usize>()
    }
}

/// The first items up to a limit, of which there is at least one, and whether there are more.
///
/// # Errors
/// What an item fails with.
pub fn page<T: Weigh, E>(items: impl IntoIterator<Item = Result<T, E>>, limit: u32) -> Result<(Vec<T>, bool), E> {
    let (mut taken, mut bytes) = (Vec::new(), 0);
    for item in items {
        let item = item?;
        bytes += item.weight();
        if taken.len() == limit as usize || (bytes > MAX_BYTES && !taken.is_empty()) {
            return Ok((taken, true));
        }
        taken.push(item);
    }
    Ok((taken, false))
}

/// The items of one of several sorted lists, as far as a page that they are merged into can reach.
///
/// # Errors
/// What an item fails with.
pub fn reach<T: Weigh, E>(items: impl IntoIterator<Item = Result<T, E>>) -> Result<Vec<T>, E> {
    let (mut taken, mut bytes) = (Vec::new(), 0);
    for item in items {
        let item = item?;
        bytes += item.weight();
        taken.push(item);
        if bytes > MAX_BYTES {
            break;
        }
    }
    Ok(taken)
}

/// Every item.
///
/// # Errors
/// [`StorageError::TooLarge`] when several hold more than an answer may, and what an item fails with.
pub fn list<T: Weigh, E: From<StorageError>>(items: impl IntoIterator<Item = Result<T, E>>) -> Result<Vec<T>, E> {
    let (taken, more) = page(items, u32::MAX)?;
    if more { Err(too_large().into()) } else { Ok(taken) }
}

/// The pages of one answer.
///
/// # Errors
/// [`StorageError::TooLarge`] when several hold more than an answer may, and what a page fails with.
pub fn pages<E: From<StorageError>>(pages: impl IntoIterator<Item = Result<EdgePage, E>>) -> Result<Vec<EdgePage>, E> {
    let (mut taken, mut bytes) = (Vec::new(), 0);
    for page in pages {
        let page = page?;
        bytes += page.edges.iter().map(Weigh::weight).sum::<usize>();
        if bytes > MAX_BYTES && !taken.is_empty() {
            return Err(too_large().into());
        }
        taken.push(page);
    }
    Ok(taken)
}

fn too_large() -> StorageError {
    StorageError::TooLarge(format!("more than {MAX_BYTES} bytes of text in one answer: ask for fewer items at once"))
}
