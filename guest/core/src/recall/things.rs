//! Single entities, artifacts and edges, and lists of them.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::name_facts;
use super::{ArtifactAnswer, ArtifactsAnswer, EdgeAnswer, EntitiesAnswer, EntityAnswer, Source, Span, WhyAnswer};
use crate::check::{MAX_LABEL, MAX_WING, limit, optional_label};
use crate::cursor::List;
use crate::model::{Artifact, ArtifactId, EdgeEvent, EdgeId, EntityId, Failure, FailureCode, Page, Position, SeriesId};
use crate::series::answer::SeriesSummary;
use crate::series::summary;
use crate::storage::{ArtifactFilter, EventFilter, Snapshot, Statement, StorageResult};

const MAX_LISTED: u32 = 1_000;
/// What an answer shows of a list that belongs to one thing.
const MAX_SHOWN: u32 = 1_000;

/// The failure of a call about something that is not there.
pub(crate) fn missing(what: &str, id: u64) -> Failure {
    Failure::new(FailureCode::NotFound, format!("there is no {what} {id} in this dataset"))
}

/// Which part of a list is asked for.
pub(crate) fn page(list: List, count: u32, cursor: Option<&str>) -> Result<Page, Failure> {
    Ok(Page { limit: limit(count, MAX_LISTED)?, after: list.position(cursor)? })
}

/// The first part of a list, though storage may give it in smaller ones.
pub(crate) fn first<T>(
    mut part: impl FnMut(Page) -> StorageResult<(Vec<T>, Option<Position>)>,
) -> StorageResult<Vec<T>> {
    let mut shown = Vec::new();
    let mut after = None;
    loop {
        let left = MAX_SHOWN - u32::try_from(shown.len()).unwrap_or(MAX_SHOWN);
        if left == 0 {
            return Ok(shown);
        }
        let (items, next) = part(Page { limit: left, after })?;
        shown.extend(items);
        if next.is_none() {
            return Ok(shown);
        }
        after = next;
    }
}

/// A list of entities by ID, of one type if given.
///
/// # Errors
/// When the request is malformed or storage fails.
pub fn list_entities<S: Snapshot>(
    snapshot: &S,
    r#type: Option<&str>,
    limit: u32,
    cursor: Option<&str>,
) -> Result<EntitiesAnswer, Failure> {
    let r#type = optional_label("type", r#type, MAX_LABEL)?.map(|r#type| r#type.to_lowercase());
    let list = List::new("entities", &r#type);
    let page = page(list, limit, cursor)?;
    let found = snapshot.list_entities(r#type.as_deref(), page)?;
    Ok(EntitiesAnswer { entities: found.entities, cursor: found.next.map(|next| list.cursor(next)) })
}

/// One entity with its aliases and the artifacts that mention it.
///
/// # Errors
/// When there is no such entity or storage fails.
pub fn get_entity<S: Snapshot>(snapshot: &S, id: EntityId) -> Result<EntityAnswer, Failure> {
    let entity = snapshot.get_entities(&[id])?.pop().ok_or_else(|| missing("entity", id.0))?;
    let aliases = snapshot.aliases(id)?;
    let artifacts = first(|page| snapshot.list_mentions(id, None, page).map(|found| (found.artifacts, found.next)))?;
    Ok(EntityAnswer { entity, aliases, artifacts })
}

/// A list of what callers sent, newest first.
///
/// # Errors
/// When the request is malformed or storage fails.
pub fn list_artifacts<S: Snapshot>(
    snapshot: &S,
    session_id: Option<&str>,
    wing: Option<&str>,
    limit: u32,
    cursor: Option<&str>,
) -> Result<ArtifactsAnswer, Failure> {
    let filter = ArtifactFilter {
        session_id: optional_label("session_id", session_id, MAX_LABEL)?,
        wing: optional_label("wing", wing, MAX_WING)?,
        ..ArtifactFilter::default()
    };
    let list = List::new("artifacts", &filter);
    let found = snapshot.list_artifacts(&filter, page(list, limit, cursor)?)?;
    Ok(ArtifactsAnswer { artifacts: found.artifacts, cursor: found.next.map(|next| list.cursor(next)) })
}

/// One artifact with what was derived from it.
///
/// # Errors
/// When there is no such artifact or storage fails.
pub fn get_artifact<S: Snapshot>(snapshot: &S, id: ArtifactId) -> Result<ArtifactAnswer, Failure> {
    let artifact = snapshot.get_artifacts(&[id])?.pop().ok_or_else(|| missing("artifact", id.0))?;
    let filter = ArtifactFilter { parent: Some(id), ..ArtifactFilter::default() };
    let children = first(|page| snapshot.list_artifacts(&filter, page).map(|found| (found.artifacts, found.next)))?;
    let mut children: Vec<ArtifactId> = children.into_iter().map(|child| child.id).collect();
    children.sort_unstable();
    let text = snapshot.get_texts(&[id])?.pop().ok_or_else(|| missing("text of artifact", id.0))?.text;
    Ok(ArtifactAnswer { artifact, text, children })
}

/// One fact with its log and its sources.
///
/// # Errors
/// When there is no such edge or storage fails.
pub fn get_edge<S: Snapshot>(snapshot: &S, id: EdgeId) -> Result<EdgeAnswer, Failure> {
    let edge = snapshot.get_edges(&[id])?.pop().ok_or_else(|| missing("edge", id.0))?;
    let fact = name_facts(snapshot, vec![edge])?.swap_remove(0);
    let artifacts = statements(snapshot, id)?.into_iter().map(|statement| statement.artifact).collect();
    Ok(EdgeAnswer { fact, artifacts, events: events(snapshot, id)? })
}

/// One fact with what its sources say, and where they say it, and all that happened to it.
///
/// # Errors
/// When there is no such edge or storage fails.
pub fn why<S: Snapshot>(snapshot: &S, id: EdgeId) -> Result<WhyAnswer, Failure> {
    let edge = snapshot.get_edges(&[id])?.pop().ok_or_else(|| missing("edge", id.0))?;
    let fact = name_facts(snapshot, vec![edge])?.swap_remove(0);
    let statements = statements(snapshot, id)?;
    let artifacts: Vec<ArtifactId> = statements.iter().map(|statement| statement.artifact).collect();
    let artifacts = snapshot.get_artifacts(&artifacts)?;
    let mut artifacts: BTreeMap<ArtifactId, Artifact> = artifacts.into_iter().map(|found| (found.id, found)).collect();
    let ids: BTreeSet<SeriesId> = artifacts.values().filter_map(|artifact| artifact.series).collect();
    let ids: Vec<SeriesId> = ids.into_iter().collect();
    let stored = if ids.is_empty() { Vec::new() } else { snapshot.get_series(&ids)? };
    let mut series: BTreeMap<SeriesId, SeriesSummary> = BTreeMap::new();
    for stored in stored {
        series.insert(stored.series.id, summary(snapshot, stored, None)?);
    }
    let mut sources = Vec::new();
    for Statement { artifact, description, raw_text, .. } in statements {
        // An artifact that was deleted takes its statements along.
        let Some(artifact) = artifacts.remove(&artifact) else { continue };
        let span = match &raw_text {
            Some(words) => find(snapshot, artifact.id, words)?,
            None => None,
        };
        let series = artifact.series.and_then(|id| series.get(&id)).cloned();
        sources.push(Source { artifact, description, raw_text, span, series });
    }
    Ok(WhyAnswer { fact, sources, events: events(snapshot, id)? })
}

/// Where the words stand first in the text of an artifact.
fn find<S: Snapshot>(snapshot: &S, artifact: ArtifactId, words: &str) -> StorageResult<Option<Span>> {
    let Some(found) = snapshot.get_texts(&[artifact])?.pop() else { return Ok(None) };
    let place = |at: usize| u32::try_from(at).expect("a text has at most 1 MiB");
    Ok(found.text.find(words).map(|start| Span { start: place(start), end: place(start + words.len()) }))
}

fn statements<S: Snapshot>(snapshot: &S, id: EdgeId) -> StorageResult<Vec<Statement>> {
    first(|page| snapshot.list_statements(id, None, page).map(|found| (found.statements, found.next)))
}

fn events<S: Snapshot>(snapshot: &S, id: EdgeId) -> StorageResult<Vec<EdgeEvent>> {
    let log = EventFilter::Edge(id);
    first(|page| snapshot.list_events(log, page).map(|found| (found.events, found.next)))
}
