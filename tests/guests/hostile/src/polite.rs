//! What a guest should do, at its shortest.

use crate::bindings::exports::gligabao::memory::{history, recall, remember};
use crate::bindings::gligabao::memory::storage::{
    AddArtifact, AddEntity, ArtifactFilter, Change, Committed, Dataset, Plan, Snapshot, StorageError, Turn,
};
use crate::bindings::gligabao::memory::types::{
    Artifact, ArtifactKind, Entity, Failure, FailureCode, Moment, Page, Stage,
};

/// Stores the text as an artifact and an entity.
pub(crate) fn remember(dataset: &Dataset, request: remember::Request) -> Result<remember::Answer, Failure> {
    let turn = if request.wing.as_deref() == Some("queue") { Turn::Queue } else { Turn::Race };
    let plan = plan(&dataset.latest(turn).map_err(refused)?, request.text)?;
    let Change::AddArtifact(AddArtifact { artifact: Artifact { id, .. }, .. }) = plan.changes[0] else {
        unreachable!()
    };
    dataset.commit(&plan).map_err(refused)?;
    Ok(answer(id))
}

/// A plan that any store accepts.
pub(crate) fn plan(snapshot: &Snapshot, text: String) -> Result<Plan, Failure> {
    let head = snapshot.head().map_err(refused)?;
    let artifact = Artifact {
        id: head.next.artifact,
        parent: None,
        series: None,
        kind: ArtifactKind::Knowledge,
        bytes: text.len() as u32,
        title: None,
        session_id: None,
        wing: None,
        valid_at: 0,
        created_at: Moment::Now,
    };
    let entity = Entity {
        id: head.next.entity,
        name: text.clone(),
        type_: "unknown".to_owned(),
        description: String::new(),
        model: None,
        created_at: Moment::Now,
    };
    let add_artifact = AddArtifact { artifact, text: text.clone() };
    let add_entity = AddEntity { entity, normalized_name: text };
    let changes = vec![Change::AddArtifact(add_artifact), Change::AddEntity(add_entity)];
    Ok(Plan { version: head.version, changes, stages: Vec::new() })
}

/// Commits that plan.
pub(crate) fn commit(dataset: &Dataset, text: &str) -> Result<Committed, Failure> {
    let snapshot = dataset.latest(Turn::Race).map_err(refused)?;
    dataset.commit(&plan(&snapshot, text.to_owned())?).map_err(refused)
}

pub(crate) fn answer(artifact_id: u64) -> remember::Answer {
    let dropped = remember::Dropped { pii: 0, empty: 0, self_loop: 0, invalid: 0 };
    let timeseries = series();
    let (entities, edges, invalidated_edges) = (Vec::new(), Vec::new(), Vec::new());
    remember::Answer { artifact_id, entities, edges, invalidated_edges, dropped, timeseries }
}

/// Nothing about series.
pub(crate) fn series() -> remember::SeriesPutAnswer {
    remember::SeriesPutAnswer { series: Vec::new(), observations: Vec::new(), warnings: Vec::new() }
}

pub(crate) fn facts(snapshot: &Snapshot) -> Result<recall::FactsAnswer, Failure> {
    snapshot.head().map_err(refused)?;
    Ok(recall::FactsAnswer { facts: Vec::new(), cursor: None })
}

/// The cheapest question a thousand times over, for whoever measures what crossing to the host costs.
pub(crate) fn ask_often(snapshot: &Snapshot) -> Result<recall::FactsAnswer, Failure> {
    for _ in 0..1_000 {
        snapshot.changed_at(0).map_err(refused)?;
    }
    facts(snapshot)
}

pub(crate) fn artifacts(snapshot: &Snapshot, limit: u32) -> Result<recall::ArtifactsAnswer, Failure> {
    let filter = ArtifactFilter { parent: None, series: None, valid_at: None, session_id: None, wing: None };
    let page = snapshot.list_artifacts(&filter, Page { limit, after: None }).map_err(refused)?;
    Ok(recall::ArtifactsAnswer { artifacts: page.artifacts, cursor: page.next.map(|next| next.id.to_string()) })
}

/// What storage said, word for word.
#[expect(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
pub(crate) fn refused(error: StorageError) -> Failure {
    failure(&format!("{error:?}"))
}

/// A stage for the log.
pub(crate) fn stage(name: &str, output: &str) -> Stage {
    Stage { name: name.to_owned(), label: None, output: output.to_owned(), error: None }
}

pub(crate) fn failure(message: &str) -> Failure {
    let message = message.to_owned();
    Failure { code: FailureCode::Internal, message, field: None, retry_after: None, stages: Vec::new() }
}

/// A file of a repository.
pub(crate) fn part(path: &str) -> history::Part {
    history::Part { path: path.to_owned(), bytes: b"x".to_vec(), last: true }
}
