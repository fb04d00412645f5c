//! The `storage` import, served from a [`Store`](crate::store::Store).
//!
//! A handle reaches what its call was given and nothing else; sizes that the guest asks for are clamped here, so that a
//! store only sees reasonable ones; how much text an answer holds is bounded by every store.

use std::sync::Arc;

use gligabao_core::convert::Convert;
use gligabao_core::model::{AnchorTarget, ArtifactId, Page, RunId};
use gligabao_core::storage::{EdgeQuery, SeriesKey, StorageError, StorageResult};
use gligabao_core::time::Micros;
use wasmtime::component::{Resource, ResourceTableError};

use super::bindings::gligabao::memory::{storage, types};
use super::incident::NoRoom;
use super::run::Run;
use super::state::State;
use super::write::DatasetHandle;
use crate::store::{DatasetId, RunEnd, RunLog, SharedStore, Snapshot, is_too_busy};

/// What a `snapshot` handle stands for.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct SnapshotHandle {
    store: SharedStore,
    dataset: DatasetId,
    held: Held,
    /// The run that the first read opens, where a call that only reads is logged.
    log: Option<Run>,
}

/// What a handle holds of the store.
enum Held {
    /// A version, to be read.
    Here(Arc<dyn Snapshot>),
    /// Nothing: this version is taken again at the next read, if it still is the newest.
    Released(u64),
    /// Nothing any more: others have moved the dataset.
    Gone,
}

/// Why an import didn't do what it was asked for.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub enum Refusal {
    /// The guest is told.
    Storage(StorageError),
    /// The guest is stopped.
    Trap(wasmtime::Error),
}

impl From<StorageError> for Refusal {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl From<ResourceTableError> for Refusal {
    fn from(error: ResourceTableError) -> Self {
        Self::Trap(error.into())
    }
}

type Served<T> = Result<T, Refusal>;

impl SnapshotHandle {
    pub(crate) fn new(store: SharedStore, dataset: DatasetId, snapshot: Box<dyn Snapshot>, log: Option<Run>) -> Self {
        Self { store, dataset, held: Held::Here(snapshot.into()), log }
    }

    /// Gives its reader back to the store.
    pub(super) async fn release(&mut self) {
        if let Held::Here(snapshot) = &self.held {
            self.held = snapshot.head().await.map_or(Held::Gone, |head| Held::Released(head.version));
        }
    }

    /// The snapshot. One that was released is taken again.
    async fn read(&mut self) -> StorageResult<Arc<dyn Snapshot>> {
        let version = match &self.held {
            Held::Here(snapshot) => return Ok(Arc::clone(snapshot)),
            Held::Released(version) => *version,
            Held::Gone => return Err(StorageError::SnapshotGone),
        };
        let snapshot: Arc<dyn Snapshot> = self.store.snapshot(self.dataset).await?.into();
        if snapshot.head().await?.version != version {
            self.held = Held::Gone;
            return Err(StorageError::SnapshotGone);
        }
        self.held = Held::Here(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// Ends the run of the call, where it is logged; opens it before if nothing was read but the answer stands.
    pub(super) async fn end(self, end: RunEnd, log: RunLog) -> Option<RunId> {
        let mut run = self.log?;
        if end == RunEnd::Done
            && let Err(error) = run.open(self.dataset).await
        {
            tracing::warn!(%error, "a run could not be opened");
        }
        run.end(end, log).await
    }
}

impl State {
    /// The snapshot behind a handle. The first read of a logged call opens its run.
    async fn reading(&mut self, handle: &Resource<SnapshotHandle>) -> Served<Arc<dyn Snapshot>> {
        let handle = self.table.get_mut(handle)?;
        if let Some(run) = &mut handle.log {
            self.cpu.away(run.open(handle.dataset)).await?;
        }
        match self.cpu.away(handle.read()).await {
            // What is stored already must not be told again.
            Err(error) if is_too_busy(&error) && !self.has_committed => Err(Refusal::Trap(NoRoom.into())),
            read => Ok(read?),
        }
    }

    fn list<A: Convert<B>, B>(&self, items: Vec<A>) -> Served<Vec<B>> {
        if items.len() > self.limits.list {
            return Err(StorageError::TooLarge(format!("a list has at most {} items", self.limits.list)).into());
        }
        Ok(items.convert())
    }

    fn points(&self, times: Vec<i64>) -> Served<Vec<Micros>> {
        if times.len() > self.limits.points as usize {
            let message = format!("a list of times has at most {} items", self.limits.points);
            return Err(StorageError::TooLarge(message).into());
        }
        Ok(times.convert())
    }

    fn page(&self, page: types::Page) -> Page {
        let page: Page = page.convert();
        Page { limit: self.limits.page(page.limit), ..page }
    }
}

impl types::Host for State {}

impl storage::Host for State {
    fn convert_storage_error(&mut self, refusal: Refusal) -> wasmtime::Result<storage::StorageError> {
        match refusal {
            Refusal::Storage(error) => {
                if let StorageError::Unavailable(why) = &error {
                    tracing::error!(why, "the store does not answer");
                }
                Ok(error.convert())
            }
            Refusal::Trap(error) => Err(error),
        }
    }
}

impl storage::HostDataset for State {
    async fn latest(
        &mut self,
        dataset: Resource<DatasetHandle>,
        turn: storage::Turn,
    ) -> Served<Resource<SnapshotHandle>> {
        if self.snapshots >= self.limits.snapshots {
            let message = format!("a call holds at most {} snapshots; drop one", self.limits.snapshots);
            return Err(StorageError::TooLarge(message).into());
        }
        let handle = self.table.get_mut(&dataset)?;
        let snapshot = match self.cpu.away(handle.latest(turn.convert(), &self.turns, &self.limits)).await {
            // What is stored already must not be told again.
            Err(error) if is_too_busy(&error) && !handle.has_committed() => {
                return Err(Refusal::Trap(NoRoom.into()));
            }
            latest => latest?,
        };
        let (store, dataset) = handle.source()?;
        self.snapshots += 1;
        Ok(self.table.push(SnapshotHandle::new(store, dataset, snapshot, None))?)
    }

    async fn commit(&mut self, dataset: Resource<DatasetHandle>, plan: storage::Plan) -> Served<storage::Committed> {
        let handle = self.table.get_mut(&dataset)?;
        let commit = handle.commit(plan.convert(), self.calls.so_far(), &self.turns, &self.limits);
        let committed = self.cpu.away(commit).await?;
        self.has_committed = true;
        Ok(committed.convert())
    }

    async fn drop(&mut self, dataset: Resource<DatasetHandle>) -> wasmtime::Result<()> {
        // Guests only borrow it; the host keeps it to the end of the call.
        self.table.delete(dataset)?;
        Ok(())
    }
}

impl storage::HostSnapshot for State {
    async fn head(&mut self, this: Resource<SnapshotHandle>) -> Served<storage::Head> {
        let snapshot = self.reading(&this).await?;
        Ok(self.cpu.away(snapshot.head()).await?.convert())
    }

    async fn changed_at(&mut self, this: Resource<SnapshotHandle>, seq: u64) -> Served<Option<i64>> {
        let snapshot = self.reading(&this).await?;
        Ok(self.cpu.away(snapshot.changed_at(seq)).await?.convert())
    }

    async fn find_names(
        &mut self,
        this: Resource<SnapshotHandle>,
        names: Vec<String>,
    ) -> Served<Vec<storage::NameMatch>> {
        let snapshot = self.reading(&this).await?;
        let names: Vec<String> = self.list(names)?;
        Ok(self.cpu.away(snapshot.find_names(&names)).await?.convert())
    }

    async fn get_entities(&mut self, this: Resource<SnapshotHandle>, ids: Vec<u64>) -> Served<Vec<types::Entity>> {
        let snapshot = self.reading(&this).await?;
        let ids = self.list(ids)?;
        Ok(self.cpu.away(snapshot.get_entities(&ids)).await?.convert())
    }

    async fn get_entities_at(
        &mut self,
        this: Resource<SnapshotHandle>,
        ids: Vec<u64>,
        seq: u64,
    ) -> Served<Vec<types::Entity>> {
        let snapshot = self.reading(&this).await?;
        let ids = self.list(ids)?;
        Ok(self.cpu.away(snapshot.get_entities_at(&ids, seq)).await?.convert())
    }

    async fn degrees(&mut self, this: Resource<SnapshotHandle>, ids: Vec<u64>) -> Served<Vec<storage::Degree>> {
        let snapshot = self.reading(&this).await?;
        let ids = self.list(ids)?;
        Ok(self.cpu.away(snapshot.degrees(&ids)).await?.convert())
    }

    async fn aliases(&mut self, this: Resource<SnapshotHandle>, id: u64) -> Served<Vec<String>> {
        let snapshot = self.reading(&this).await?;
        Ok(self.cpu.away(snapshot.aliases(id.convert())).await?.convert())
    }

    async fn list_entities(
        &mut self,
        this: Resource<SnapshotHandle>,
        type_: Option<String>,
        page: types::Page,
    ) -> Served<storage::EntityPage> {
        let snapshot = self.reading(&this).await?;
        let page = self.page(page);
        Ok(self.cpu.away(snapshot.list_entities(type_.as_deref(), page)).await?.convert())
    }

    async fn get_artifacts(&mut self, this: Resource<SnapshotHandle>, ids: Vec<u64>) -> Served<Vec<types::Artifact>> {
        let snapshot = self.reading(&this).await?;
        let ids = self.list(ids)?;
        Ok(self.cpu.away(snapshot.get_artifacts(&ids)).await?.convert())
    }

    async fn get_texts(&mut self, this: Resource<SnapshotHandle>, ids: Vec<u64>) -> Served<Vec<storage::ArtifactText>> {
        let snapshot = self.reading(&this).await?;
        let ids: Vec<ArtifactId> = self.list(ids)?;
        // How long they are is known before any of them is read.
        let artifacts = self.cpu.away(snapshot.get_artifacts(&ids)).await?;
        let bytes: u64 = artifacts.iter().map(|artifact| u64::from(artifact.bytes)).sum();
        if bytes > self.limits.text as u64 {
            let message = format!("{bytes} bytes of text, at most {} go at once; ask for fewer", self.limits.text);
            return Err(StorageError::TooLarge(message).into());
        }
        Ok(self.cpu.away(snapshot.get_texts(&ids)).await?.convert())
    }

    async fn list_artifacts(
        &mut self,
        this: Resource<SnapshotHandle>,
        filter: storage::ArtifactFilter,
        page: types::Page,
    ) -> Served<storage::ArtifactPage> {
        let snapshot = self.reading(&this).await?;
        let page = self.page(page);
        Ok(self.cpu.away(snapshot.list_artifacts(&filter.convert(), page)).await?.convert())
    }

    async fn get_edges(&mut self, this: Resource<SnapshotHandle>, ids: Vec<u64>) -> Served<Vec<types::Edge>> {
        let snapshot = self.reading(&this).await?;
        let ids = self.list(ids)?;
        Ok(self.cpu.away(snapshot.get_edges(&ids)).await?.convert())
    }

    async fn find_edges(
        &mut self,
        this: Resource<SnapshotHandle>,
        queries: Vec<storage::EdgeQuery>,
    ) -> Served<Vec<storage::EdgePage>> {
        let snapshot = self.reading(&this).await?;
        let mut queries: Vec<EdgeQuery> = self.list(queries)?;
        let lists = queries.len();
        for query in &mut queries {
            query.page.limit = self.limits.page_of(query.page.limit, lists);
        }
        Ok(self.cpu.away(snapshot.find_edges(&queries)).await?.convert())
    }

    async fn last_events(
        &mut self,
        this: Resource<SnapshotHandle>,
        edges: Vec<u64>,
        kinds: Vec<types::EdgeEventKind>,
        known_at: Option<i64>,
    ) -> Served<Vec<types::EdgeEvent>> {
        let snapshot = self.reading(&this).await?;
        let edges = self.list(edges)?;
        let kinds = self.list(kinds)?;
        Ok(self.cpu.away(snapshot.last_events(&edges, &kinds, known_at.convert())).await?.convert())
    }

    async fn list_events(
        &mut self,
        this: Resource<SnapshotHandle>,
        filter: storage::EventFilter,
        page: types::Page,
    ) -> Served<storage::EventPage> {
        let snapshot = self.reading(&this).await?;
        let page = self.page(page);
        Ok(self.cpu.away(snapshot.list_events(filter.convert(), page)).await?.convert())
    }

    async fn list_mentions(
        &mut self,
        this: Resource<SnapshotHandle>,
        entity: u64,
        seq: Option<u64>,
        page: types::Page,
    ) -> Served<storage::MentionPage> {
        let snapshot = self.reading(&this).await?;
        let page = self.page(page);
        Ok(self.cpu.away(snapshot.list_mentions(entity.convert(), seq, page)).await?.convert())
    }

    async fn list_statements(
        &mut self,
        this: Resource<SnapshotHandle>,
        edge: u64,
        seq: Option<u64>,
        page: types::Page,
    ) -> Served<storage::StatementPage> {
        let snapshot = self.reading(&this).await?;
        let page = self.page(page);
        Ok(self.cpu.away(snapshot.list_statements(edge.convert(), seq, page)).await?.convert())
    }

    async fn get_predicates(
        &mut self,
        this: Resource<SnapshotHandle>,
        names: Vec<String>,
    ) -> Served<Vec<types::Predicate>> {
        let snapshot = self.reading(&this).await?;
        let names: Vec<String> = self.list(names)?;
        Ok(self.cpu.away(snapshot.get_predicates(&names)).await?.convert())
    }

    async fn list_predicates(
        &mut self,
        this: Resource<SnapshotHandle>,
        after: Option<String>,
        limit: u32,
    ) -> Served<Vec<types::Predicate>> {
        let snapshot = self.reading(&this).await?;
        let limit = self.limits.page(limit);
        Ok(self.cpu.away(snapshot.list_predicates(after.as_deref(), limit)).await?.convert())
    }

    async fn find_series(
        &mut self,
        this: Resource<SnapshotHandle>,
        keys: Vec<storage::SeriesKey>,
    ) -> Served<Vec<storage::StoredSeries>> {
        let snapshot = self.reading(&this).await?;
        let keys: Vec<SeriesKey> = self.list(keys)?;
        Ok(self.cpu.away(snapshot.find_series(&keys)).await?.convert())
    }

    async fn get_series(
        &mut self,
        this: Resource<SnapshotHandle>,
        ids: Vec<u64>,
    ) -> Served<Vec<storage::StoredSeries>> {
        let snapshot = self.reading(&this).await?;
        let ids = self.list(ids)?;
        Ok(self.cpu.away(snapshot.get_series(&ids)).await?.convert())
    }

    async fn list_series(
        &mut self,
        this: Resource<SnapshotHandle>,
        target: Option<types::AnchorTarget>,
        page: types::Page,
    ) -> Served<storage::SeriesPage> {
        let snapshot = self.reading(&this).await?;
        let page = self.page(page);
        Ok(self.cpu.away(snapshot.list_series(target.convert(), page)).await?.convert())
    }

    async fn list_anchors(
        &mut self,
        this: Resource<SnapshotHandle>,
        series: u64,
        page: types::Page,
    ) -> Served<storage::AnchorPage> {
        let snapshot = self.reading(&this).await?;
        let page = self.page(page);
        Ok(self.cpu.away(snapshot.list_anchors(series.convert(), page)).await?.convert())
    }

    async fn find_anchors(
        &mut self,
        this: Resource<SnapshotHandle>,
        targets: Vec<types::AnchorTarget>,
        limit: u32,
    ) -> Served<Vec<types::Anchor>> {
        let snapshot = self.reading(&this).await?;
        let targets: Vec<AnchorTarget> = self.list(targets)?;
        let limit = self.limits.page_of(limit, targets.len());
        Ok(self.cpu.away(snapshot.find_anchors(&targets, limit)).await?.convert())
    }

    async fn list_points(
        &mut self,
        this: Resource<SnapshotHandle>,
        series: u64,
        filter: storage::PointFilter,
        limit: u32,
    ) -> Served<storage::PointPage> {
        let snapshot = self.reading(&this).await?;
        let limit = self.limits.points(limit);
        Ok(self.cpu.away(snapshot.list_points(series.convert(), filter.convert(), limit)).await?.convert())
    }

    async fn get_points(
        &mut self,
        this: Resource<SnapshotHandle>,
        series: u64,
        times: Vec<i64>,
    ) -> Served<Vec<types::Point>> {
        let snapshot = self.reading(&this).await?;
        let times: Vec<Micros> = self.points(times)?;
        Ok(self.cpu.away(snapshot.get_points(series.convert(), &times)).await?.convert())
    }

    async fn list_commits(
        &mut self,
        this: Resource<SnapshotHandle>,
        after: u64,
        limit: u32,
    ) -> Served<storage::CommitPage> {
        let snapshot = self.reading(&this).await?;
        let limit = self.limits.page(limit);
        Ok(self.cpu.away(snapshot.list_commits(after, limit)).await?.convert())
    }

    async fn list_runs(&mut self, this: Resource<SnapshotHandle>, after: u64, limit: u32) -> Served<storage::RunPage> {
        let snapshot = self.reading(&this).await?;
        let limit = self.limits.page(limit);
        Ok(self.cpu.away(snapshot.list_runs(after, limit)).await?.convert())
    }

    async fn drop(&mut self, this: Resource<SnapshotHandle>) -> wasmtime::Result<()> {
        self.table.delete(this)?;
        self.snapshots -= 1;
        Ok(())
    }
}
