//! A store that counts how often its snapshots are asked.

use std::cell::Cell;
use std::rc::Rc;

use gligabao_core::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, Edge, EdgeEvent, EdgeEventKind, EdgeId, Entity, EntityId, Page,
    Predicate, SeriesId,
};
use gligabao_core::reference::{ReferenceSnapshot, ReferenceStore};
use gligabao_core::series::Point;
use gligabao_core::storage::{self, Committed, Dataset, Plan, Snapshot, StorageResult, Turn};
use gligabao_core::time::Micros;

pub(crate) struct Counted {
    store: ReferenceStore,
    /// How often storage was asked.
    pub(crate) asked: Rc<Cell<u32>>,
}

impl Counted {
    pub(crate) fn new(store: ReferenceStore) -> Self {
        Self { store, asked: Rc::default() }
    }
}

impl Dataset for Counted {
    type Snapshot = CountedSnapshot;

    fn latest(&self, turn: Turn) -> StorageResult<CountedSnapshot> {
        Ok(CountedSnapshot { inner: self.store.latest(turn)?, asked: Rc::clone(&self.asked) })
    }

    fn commit(&self, plan: &Plan) -> StorageResult<Committed> {
        self.store.commit(plan)
    }
}

pub(crate) struct CountedSnapshot {
    inner: ReferenceSnapshot,
    asked: Rc<Cell<u32>>,
}

macro_rules! counted {
    ($($verb:ident($($name:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Snapshot for CountedSnapshot {
            $(fn $verb(&self, $($name: $type),*) -> StorageResult<$answer> {
                self.asked.set(self.asked.get() + 1);
                self.inner.$verb($($name),*)
            })*
        }
    };
}

counted! {
    head() -> storage::Head;
    changed_at(seq: u64) -> Option<Micros>;
    find_names(names: &[String]) -> Vec<storage::NameMatch>;
    get_entities(ids: &[EntityId]) -> Vec<Entity>;
    get_entities_at(ids: &[EntityId], seq: u64) -> Vec<Entity>;
    degrees(ids: &[EntityId]) -> Vec<storage::Degree>;
    aliases(id: EntityId) -> Vec<String>;
    list_entities(r#type: Option<&str>, page: Page) -> storage::EntityPage;
    get_artifacts(ids: &[ArtifactId]) -> Vec<Artifact>;
    get_texts(ids: &[ArtifactId]) -> Vec<storage::ArtifactText>;
    list_artifacts(filter: &storage::ArtifactFilter, page: Page) -> storage::ArtifactPage;
    get_edges(ids: &[EdgeId]) -> Vec<Edge>;
    find_edges(queries: &[storage::EdgeQuery]) -> Vec<storage::EdgePage>;
    last_events(edges: &[EdgeId], kinds: &[EdgeEventKind], known_at: Option<Micros>) -> Vec<EdgeEvent>;
    list_events(filter: storage::EventFilter, page: Page) -> storage::EventPage;
    list_mentions(entity: EntityId, seq: Option<u64>, page: Page) -> storage::MentionPage;
    list_statements(edge: EdgeId, seq: Option<u64>, page: Page) -> storage::StatementPage;
    list_predicates(after: Option<&str>, limit: u32) -> Vec<Predicate>;
    find_series(keys: &[storage::SeriesKey]) -> Vec<storage::StoredSeries>;
    get_series(ids: &[SeriesId]) -> Vec<storage::StoredSeries>;
    list_series(target: Option<AnchorTarget>, page: Page) -> storage::SeriesPage;
    list_anchors(series: SeriesId, page: Page) -> storage::AnchorPage;
    find_anchors(targets: &[AnchorTarget], limit: u32) -> Vec<Anchor>;
    list_points(series: SeriesId, filter: storage::PointFilter, limit: u32) -> storage::PointPage;
    get_points(series: SeriesId, times: &[Micros]) -> Vec<Point>;
    list_commits(after: u64, limit: u32) -> storage::CommitPage;
    list_runs(after: u64, limit: u32) -> storage::RunPage;
    get_predicates(names: &[String]) -> Vec<Predicate>;
}
