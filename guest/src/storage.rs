//! The core's storage port over the component's imports.

use gligabao_core::convert::Convert;
use gligabao_core::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, Edge, EdgeEvent, EdgeEventKind, EdgeId, Entity, EntityId, Page,
    Predicate, SeriesId,
};
use gligabao_core::series::Point;
use gligabao_core::storage::{
    AnchorPage, ArtifactFilter, ArtifactPage, ArtifactText, CommitPage, Committed, Degree, EdgePage, EdgeQuery,
    EntityPage, EventFilter, EventPage, Head, MentionPage, NameMatch, Plan, PointFilter, PointPage, RunPage, SeriesKey,
    SeriesPage, Snapshot, StatementPage, StorageResult, StoredSeries, Turn,
};
use gligabao_core::time::Micros;

use crate::bindings::gligabao::memory::storage;

impl Snapshot for storage::Snapshot {
    fn head(&self) -> StorageResult<Head> {
        Self::head(self).convert()
    }

    fn changed_at(&self, seq: u64) -> StorageResult<Option<Micros>> {
        Self::changed_at(self, seq).convert()
    }

    fn find_names(&self, names: &[String]) -> StorageResult<Vec<NameMatch>> {
        Self::find_names(self, names).convert()
    }

    fn get_entities(&self, ids: &[EntityId]) -> StorageResult<Vec<Entity>> {
        Self::get_entities(self, &twins(ids)).convert()
    }

    fn get_entities_at(&self, ids: &[EntityId], seq: u64) -> StorageResult<Vec<Entity>> {
        Self::get_entities_at(self, &twins(ids), seq).convert()
    }

    fn degrees(&self, ids: &[EntityId]) -> StorageResult<Vec<Degree>> {
        Self::degrees(self, &twins(ids)).convert()
    }

    fn aliases(&self, id: EntityId) -> StorageResult<Vec<String>> {
        Self::aliases(self, id.0).convert()
    }

    fn list_entities(&self, r#type: Option<&str>, page: Page) -> StorageResult<EntityPage> {
        Self::list_entities(self, r#type, page.convert()).convert()
    }

    fn get_artifacts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<Artifact>> {
        Self::get_artifacts(self, &twins(ids)).convert()
    }

    fn get_texts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<ArtifactText>> {
        Self::get_texts(self, &twins(ids)).convert()
    }

    fn list_artifacts(&self, filter: &ArtifactFilter, page: Page) -> StorageResult<ArtifactPage> {
        Self::list_artifacts(self, &filter.clone().convert(), page.convert()).convert()
    }

    fn get_edges(&self, ids: &[EdgeId]) -> StorageResult<Vec<Edge>> {
        Self::get_edges(self, &twins(ids)).convert()
    }

    fn find_edges(&self, queries: &[EdgeQuery]) -> StorageResult<Vec<EdgePage>> {
        Self::find_edges(self, &twins(queries)).convert()
    }

    fn last_events(
        &self,
        edges: &[EdgeId],
        kinds: &[EdgeEventKind],
        known_at: Option<Micros>,
    ) -> StorageResult<Vec<EdgeEvent>> {
        Self::last_events(self, &twins(edges), &twins(kinds), known_at.convert()).convert()
    }

    fn list_events(&self, filter: EventFilter, page: Page) -> StorageResult<EventPage> {
        Self::list_events(self, filter.convert(), page.convert()).convert()
    }

    fn list_mentions(&self, entity: EntityId, seq: Option<u64>, page: Page) -> StorageResult<MentionPage> {
        Self::list_mentions(self, entity.0, seq, page.convert()).convert()
    }

    fn list_statements(&self, edge: EdgeId, seq: Option<u64>, page: Page) -> StorageResult<StatementPage> {
        Self::list_statements(self, edge.0, seq, page.convert()).convert()
    }

    fn get_predicates(&self, names: &[String]) -> StorageResult<Vec<Predicate>> {
        Self::get_predicates(self, names).convert()
    }

    fn list_predicates(&self, after: Option<&str>, limit: u32) -> StorageResult<Vec<Predicate>> {
        Self::list_predicates(self, after, limit).convert()
    }

    fn find_series(&self, keys: &[SeriesKey]) -> StorageResult<Vec<StoredSeries>> {
        Self::find_series(self, &twins(keys)).convert()
    }

    fn get_series(&self, ids: &[SeriesId]) -> StorageResult<Vec<StoredSeries>> {
        Self::get_series(self, &twins(ids)).convert()
    }

    fn list_series(&self, target: Option<AnchorTarget>, page: Page) -> StorageResult<SeriesPage> {
        Self::list_series(self, target.map(Convert::convert), page.convert()).convert()
    }

    fn list_anchors(&self, series: SeriesId, page: Page) -> StorageResult<AnchorPage> {
        Self::list_anchors(self, series.0, page.convert()).convert()
    }

    fn find_anchors(&self, targets: &[AnchorTarget], limit: u32) -> StorageResult<Vec<Anchor>> {
        Self::find_anchors(self, &twins(targets), limit).convert()
    }

    fn list_points(&self, series: SeriesId, filter: PointFilter, limit: u32) -> StorageResult<PointPage> {
        Self::list_points(self, series.0, filter.convert(), limit).convert()
    }

    fn get_points(&self, series: SeriesId, times: &[Micros]) -> StorageResult<Vec<Point>> {
        Self::get_points(self, series.0, &twins(times)).convert()
    }

    fn list_commits(&self, after: u64, limit: u32) -> StorageResult<CommitPage> {
        Self::list_commits(self, after, limit).convert()
    }

    fn list_runs(&self, after: u64, limit: u32) -> StorageResult<RunPage> {
        Self::list_runs(self, after, limit).convert()
    }
}

impl gligabao_core::storage::Dataset for storage::Dataset {
    type Snapshot = storage::Snapshot;

    fn latest(&self, turn: Turn) -> StorageResult<storage::Snapshot> {
        Self::latest(self, turn.convert()).map_err(Convert::convert)
    }

    fn commit(&self, plan: &Plan) -> StorageResult<Committed> {
        Self::commit(self, &plan.clone().convert()).convert()
    }
}

/// The bindings' form of a list that the core only lends.
fn twins<A: Clone + Convert<B>, B>(items: &[A]) -> Vec<B> {
    items.iter().cloned().map(Convert::convert).collect()
}
