//! Single entities, artifacts and edges, and lists of them.

use super::facts::name_facts;
use super::{ArtifactAnswer, ArtifactsAnswer, EdgeAnswer, EntitiesAnswer, EntityAnswer};
use crate::check::{limit, optional_label};
use crate::cursor;
use crate::model::{ArtifactId, EdgeId, EntityId, Failure, FailureCode, Page};
use crate::storage::{ArtifactFilter, Snapshot};

const MAX_LISTED: u32 = 1_000;
const MAX_LABEL: usize = 256;
/// What an answer shows of the lists that belong to one thing.
const FIRST: Page = Page { limit: 1_000, after: None };

fn missing(what: &str, id: u64) -> Failure {
    Failure::new(FailureCode::NotFound, format!("there is no {what} {id} in this dataset"))
}

fn page(count: u32, cursor: Option<&str>) -> Result<Page, Failure> {
    Ok(Page { limit: limit(count, MAX_LISTED)?, after: cursor::read(cursor)? })
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
    let page = page(limit, cursor)?;
    let r#type = optional_label("type", r#type, MAX_LABEL)?.map(|r#type| r#type.to_lowercase());
    let found = snapshot.list_entities(r#type.as_deref(), page)?;
    Ok(EntitiesAnswer { entities: found.entities, cursor: found.next.map(cursor::write) })
}

/// One entity with its aliases and the artifacts that mention it.
///
/// # Errors
/// When there is no such entity or storage fails.
pub fn get_entity<S: Snapshot>(snapshot: &S, id: EntityId) -> Result<EntityAnswer, Failure> {
    let entity = snapshot.get_entities(&[id])?.pop().ok_or_else(|| missing("entity", id.0))?;
    let aliases = snapshot.aliases(id)?;
    let artifacts = snapshot.list_mentions(id, FIRST)?.artifacts;
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
    let page = page(limit, cursor)?;
    let filter = ArtifactFilter {
        parent: None,
        session_id: optional_label("session_id", session_id, MAX_LABEL)?,
        wing: optional_label("wing", wing, MAX_LABEL)?,
    };
    let found = snapshot.list_artifacts(&filter, page)?;
    Ok(ArtifactsAnswer { artifacts: found.artifacts, cursor: found.next.map(cursor::write) })
}

/// One artifact with what was derived from it.
///
/// # Errors
/// When there is no such artifact or storage fails.
pub fn get_artifact<S: Snapshot>(snapshot: &S, id: ArtifactId) -> Result<ArtifactAnswer, Failure> {
    let artifact = snapshot.get_artifacts(&[id])?.pop().ok_or_else(|| missing("artifact", id.0))?;
    let filter = ArtifactFilter { parent: Some(id), ..ArtifactFilter::default() };
    let mut children: Vec<_> =
        snapshot.list_artifacts(&filter, FIRST)?.artifacts.into_iter().map(|child| child.id).collect();
    children.sort_unstable();
    Ok(ArtifactAnswer { artifact, children })
}

/// One fact with its log and its sources.
///
/// # Errors
/// When there is no such edge or storage fails.
pub fn get_edge<S: Snapshot>(snapshot: &S, id: EdgeId) -> Result<EdgeAnswer, Failure> {
    let edge = snapshot.get_edges(&[id])?.pop().ok_or_else(|| missing("edge", id.0))?;
    let fact = name_facts(snapshot, vec![edge])?.swap_remove(0);
    let artifacts = snapshot.list_statements(id, FIRST)?.artifacts;
    let events = snapshot.list_events(id, FIRST)?.events;
    Ok(EdgeAnswer { fact, artifacts, events })
}
