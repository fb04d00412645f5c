//! A snapshot that answers at once, served as the asynchronous one that the engine asks.

use async_trait::async_trait;
use gligabao_core::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, Edge, EdgeEvent, EdgeEventKind, EdgeId, Entity, EntityId, Page,
    Predicate, SeriesId,
};
use gligabao_core::series::Point;
use gligabao_core::storage::{
    self, AnchorPage, ArtifactFilter, ArtifactPage, ArtifactText, CommitPage, Degree, EdgePage, EdgeQuery, EntityPage,
    EventFilter, EventPage, Head, MentionPage, NameMatch, PointFilter, PointPage, RunPage, SeriesKey, SeriesPage,
    StatementPage, StorageResult, StoredSeries,
};
use gligabao_core::time::Micros;

use super::Snapshot;

/// Reads take microseconds and never wait, so they run where they are asked for.
pub(super) struct Inline<S>(pub(super) S);

#[async_trait]
impl<S: storage::Snapshot + Send + Sync> Snapshot for Inline<S> {
    async fn head(&self) -> StorageResult<Head> {
        self.0.head()
    }

    async fn changed_at(&self, seq: u64) -> StorageResult<Option<Micros>> {
        self.0.changed_at(seq)
    }

    async fn find_names(&self, names: &[String]) -> StorageResult<Vec<NameMatch>> {
        self.0.find_names(names)
    }

    async fn get_entities(&self, ids: &[EntityId]) -> StorageResult<Vec<Entity>> {
        self.0.get_entities(ids)
    }

    async fn get_entities_at(&self, ids: &[EntityId], seq: u64) -> StorageResult<Vec<Entity>> {
        self.0.get_entities_at(ids, seq)
    }

    async fn degrees(&self, ids: &[EntityId]) -> StorageResult<Vec<Degree>> {
        self.0.degrees(ids)
    }

    async fn aliases(&self, id: EntityId) -> StorageResult<Vec<String>> {
        self.0.aliases(id)
    }

    async fn list_entities(&self, r#type: Option<&str>, page: Page) -> StorageResult<EntityPage> {
        self.0.list_entities(r#type, page)
    }

    async fn get_artifacts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<Artifact>> {
        self.0.get_artifacts(ids)
    }

    async fn get_texts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<ArtifactText>> {
        self.0.get_texts(ids)
    }

    async fn list_artifacts(&self, filter: &ArtifactFilter, page: Page) -> StorageResult<ArtifactPage> {
        self.0.list_artifacts(filter, page)
    }

    async fn get_edges(&self, ids: &[EdgeId]) -> StorageResult<Vec<Edge>> {
        self.0.get_edges(ids)
    }

    async fn find_edges(&self, queries: &[EdgeQuery]) -> StorageResult<Vec<EdgePage>> {
        self.0.find_edges(queries)
    }

    async fn last_events(
        &self,
        edges: &[EdgeId],
        kinds: &[EdgeEventKind],
        known_at: Option<Micros>,
    ) -> StorageResult<Vec<EdgeEvent>> {
        self.0.last_events(edges, kinds, known_at)
    }

    async fn list_events(&self, filter: EventFilter, page: Page) -> StorageResult<EventPage> {
        self.0.list_events(filter, page)
    }

    async fn list_mentions(&self, entity: EntityId, seq: Option<u64>, page: Page) -> StorageResult<MentionPage> {
        self.0.list_mentions(entity, seq, page)
    }

    async fn list_statements(&self, edge: EdgeId, seq: Option<u64>, page: Page) -> StorageResult<StatementPage> {
        self.0.list_statements(edge, seq, page)
    }

    async fn get_predicates(&self, names: &[String]) -> StorageResult<Vec<Predicate>> {
        self.0.get_predicates(names)
    }

    async fn list_predicates(&self, after: Option<&str>, limit: u32) -> StorageResult<Vec<Predicate>> {
        self.0.list_predicates(after, limit)
    }

    async fn find_series(&self, keys: &[SeriesKey]) -> StorageResult<Vec<StoredSeries>> {
        self.0.find_series(keys)
    }

    async fn get_series(&self, ids: &[SeriesId]) -> StorageResult<Vec<StoredSeries>> {
        self.0.get_series(ids)
    }

    async fn list_series(&self, target: Option<AnchorTarget>, page: Page) -> StorageResult<SeriesPage> {
        self.0.list_series(target, page)
    }

    async fn list_anchors(&self, series: SeriesId, page: Page) -> StorageResult<AnchorPage> {
        self.0.list_anchors(series, page)
    }

    async fn find_anchors(&self, targets: &[AnchorTarget], limit: u32) -> StorageResult<Vec<Anchor>> {
        self.0.find_anchors(targets, limit)
    }

    async fn list_points(&self, series: SeriesId, filter: PointFilter, limit: u32) -> StorageResult<PointPage> {
        self.0.list_points(series, filter, limit)
    }

    async fn get_points(&self, series: SeriesId, times: &[Micros]) -> StorageResult<Vec<Point>> {
        self.0.get_points(series, times)
    }

    async fn list_commits(&self, after: u64, limit: u32) -> StorageResult<CommitPage> {
        self.0.list_commits(after, limit)
    }

    async fn list_runs(&self, after: u64, limit: u32) -> StorageResult<RunPage> {
        self.0.list_runs(after, limit)
    }
}
