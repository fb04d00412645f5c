//! Storage that fails now and then.

use std::cell::Cell;

use gligabao_core::git::Format;
use gligabao_core::history::{Exporter, Layout};
use gligabao_core::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, Edge, EdgeEvent, EdgeEventKind, EdgeId, Entity, EntityId, FailureCode,
    Page, Predicate, SeriesId,
};
use gligabao_core::reference::ReferenceSnapshot;
use gligabao_core::series::Point;
use gligabao_core::storage::{
    AnchorPage, ArtifactFilter, ArtifactPage, ArtifactText, CommitPage, Degree, EdgePage, EdgeQuery, EntityPage,
    EventFilter, EventPage, Head, MentionPage, NameMatch, PointFilter, PointPage, RunPage, SeriesKey, SeriesPage,
    Snapshot, StatementPage, StorageError, StorageResult, StoredSeries,
};
use gligabao_core::time::Micros;

use super::dataset::{Memory, Step};
use super::{anew, export};

/// Every so many reads one finds the snapshot gone.
struct Flaky {
    snapshot: ReferenceSnapshot,
    every: u32,
    reads: Cell<u32>,
}

macro_rules! flaky {
    ($($verb:ident($($name:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Snapshot for Flaky {
            $(fn $verb(&self, $($name: $type),*) -> StorageResult<$answer> {
                self.reads.set(self.reads.get() + 1);
                if self.reads.get().is_multiple_of(self.every) {
                    return Err(StorageError::SnapshotGone);
                }
                self.snapshot.$verb($($name),*)
            })*
        }
    };
}

flaky! {
    head() -> Head;
    changed_at(seq: u64) -> Option<Micros>;
    find_names(names: &[String]) -> Vec<NameMatch>;
    get_entities(ids: &[EntityId]) -> Vec<Entity>;
    get_entities_at(ids: &[EntityId], seq: u64) -> Vec<Entity>;
    degrees(ids: &[EntityId]) -> Vec<Degree>;
    aliases(id: EntityId) -> Vec<String>;
    list_entities(r#type: Option<&str>, page: Page) -> EntityPage;
    get_artifacts(ids: &[ArtifactId]) -> Vec<Artifact>;
    get_texts(ids: &[ArtifactId]) -> Vec<ArtifactText>;
    list_artifacts(filter: &ArtifactFilter, page: Page) -> ArtifactPage;
    get_edges(ids: &[EdgeId]) -> Vec<Edge>;
    find_edges(queries: &[EdgeQuery]) -> Vec<EdgePage>;
    last_events(edges: &[EdgeId], kinds: &[EdgeEventKind], known_at: Option<Micros>) -> Vec<EdgeEvent>;
    list_events(filter: EventFilter, page: Page) -> EventPage;
    list_mentions(entity: EntityId, seq: Option<u64>, page: Page) -> MentionPage;
    list_statements(edge: EdgeId, seq: Option<u64>, page: Page) -> StatementPage;
    get_predicates(names: &[String]) -> Vec<Predicate>;
    list_predicates(after: Option<&str>, limit: u32) -> Vec<Predicate>;
    find_series(keys: &[SeriesKey]) -> Vec<StoredSeries>;
    get_series(ids: &[SeriesId]) -> Vec<StoredSeries>;
    list_series(target: Option<AnchorTarget>, page: Page) -> SeriesPage;
    list_anchors(series: SeriesId, page: Page) -> AnchorPage;
    find_anchors(targets: &[AnchorTarget], limit: u32) -> Vec<Anchor>;
    list_points(series: SeriesId, filter: PointFilter, limit: u32) -> PointPage;
    get_points(series: SeriesId, times: &[Micros]) -> Vec<Point>;
    list_commits(after: u64, limit: u32) -> CommitPage;
    list_runs(after: u64, limit: u32) -> RunPage;
}

#[test]
fn a_step_that_storage_failed_is_made_again_and_nothing_is_lost() {
    let text = |n: i64| Step::Remember(format!("Ana{} works at Acme. Ana1 lives in Town{n}.", n % 5), None);
    let steps: Vec<(i64, Step)> = (0..60).map(|n| (n, text(n))).collect();
    let snapshot = Memory::after(0, &steps).snapshot();
    for format in [Format::Pack, Format::Loose] {
        let whole = export(&snapshot, anew(Layout::Flat, format)).unwrap();
        for every in [11, 13, 17] {
            let flaky = Flaky { snapshot: snapshot.clone(), every, reads: Cell::new(0) };
            let mut exporter = Exporter::new(anew(Layout::Flat, format));
            let (mut parts, mut failed) = (Vec::new(), 0);
            loop {
                match exporter.next(&flaky) {
                    Ok(Some(some)) => parts.extend(some),
                    Ok(None) => break,
                    Err(failure) => {
                        assert_eq!(failure.code, FailureCode::Conflict);
                        failed += 1;
                    }
                }
            }
            assert!(failed > 5);
            assert!(parts == whole, "every {every}");
        }
    }
}
