//! Reading one version.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::Bound;
use std::sync::Arc;

use super::ReferenceDataset;
use crate::model::{
    Anchor, AnchorTarget, Artifact, ArtifactId, Edge, EdgeEvent, EdgeEventKind, EdgeId, Entity, EntityId, Page,
    Position, Predicate, SeriesId,
};
use crate::series::Point;
use crate::storage::answer::{self, Weigh};
use crate::storage::rules::{MAX_ITEMS, check_artifacts, check_list, check_page};
use crate::storage::{
    AnchorPage, ArtifactFilter, ArtifactPage, ArtifactText, CommitPage, Degree, EdgePage, EdgeQuery, EntityPage,
    EventFilter, EventPage, Head, MentionPage, NameMatch, PointFilter, PointPage, RunPage, SeriesKey, SeriesPage,
    Snapshot, Statement, StatementPage, StorageResult, StoredSeries,
};
use crate::time::Micros;

/// One version of a [`ReferenceDataset`].
#[derive(Debug, Clone)]
pub struct ReferenceSnapshot(ReferenceDataset);

impl ReferenceSnapshot {
    pub(super) fn new(dataset: ReferenceDataset) -> Self {
        Self(dataset)
    }
}

impl Snapshot for ReferenceSnapshot {
    fn head(&self) -> StorageResult<Head> {
        Ok(self.0.head.clone())
    }

    fn changed_at(&self, seq: u64) -> StorageResult<Option<Micros>> {
        Ok(self.0.changes.range(..=seq).next_back().map(|(_, at)| *at))
    }

    fn find_names(&self, names: &[String]) -> StorageResult<Vec<NameMatch>> {
        check_list("names", names.len())?;
        answer::list(once_each(names).into_iter().flat_map(|name| {
            let from = (name.as_str().into(), EntityId(0));
            let found = self.0.names.range(from..).take_while(move |(found, _)| **found == **name);
            found.map(move |(_, entity)| Ok(NameMatch { name: name.clone(), entity: *entity }))
        }))
    }

    fn get_entities(&self, ids: &[EntityId]) -> StorageResult<Vec<Entity>> {
        check_list("entities", ids.len())?;
        let rows = once_each(ids).into_iter().filter_map(|id| self.0.entities.get(id));
        answer::list(rows.map(|row| Ok(row.entity.clone())))
    }

    fn degrees(&self, ids: &[EntityId]) -> StorageResult<Vec<Degree>> {
        check_list("entities", ids.len())?;
        let rows = once_each(ids).into_iter().filter_map(|id| self.0.entities.get(id));
        Ok(rows.map(|row| Degree { entity: row.entity.id, edges: row.degree }).collect())
    }

    fn aliases(&self, id: EntityId) -> StorageResult<Vec<String>> {
        let Some(row) = self.0.entities.get(&id) else { return Ok(Vec::new()) };
        let names = self.0.names.iter().filter(|(name, entity)| *entity == id && *name != row.normalized_name);
        Ok(names.map(|(name, _)| name.to_string()).take(MAX_ITEMS as usize).collect())
    }

    fn list_entities(&self, r#type: Option<&str>, page: Page) -> StorageResult<EntityPage> {
        check_page(page)?;
        let rows = self.0.entities.range(after(page, EntityId)).map(|(_, row)| &row.entity);
        let fitting = rows.filter(|entity| r#type.is_none_or(|wanted| wanted == entity.r#type)).cloned();
        let (entities, next) = cut(fitting, page, |entity| entity.id.0);
        Ok(EntityPage { entities, next })
    }

    fn get_artifacts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<Artifact>> {
        check_list("artifacts", ids.len())?;
        let rows = once_each(ids).into_iter().filter_map(|id| self.0.artifacts.get(id));
        answer::list(rows.map(|row| Ok(Artifact::clone(row))))
    }

    fn get_texts(&self, ids: &[ArtifactId]) -> StorageResult<Vec<ArtifactText>> {
        check_list("artifacts", ids.len())?;
        let rows = once_each(ids).into_iter().filter_map(|id| self.0.texts.get_key_value(id));
        answer::list(rows.map(|(id, text)| Ok(ArtifactText { artifact: *id, text: text.to_string() })))
    }

    fn list_artifacts(&self, filter: &ArtifactFilter, page: Page) -> StorageResult<ArtifactPage> {
        check_page(page)?;
        check_artifacts(filter)?;
        let before = page.after.map_or(Bound::Unbounded, |position| Bound::Excluded(ArtifactId(position.id)));
        let rows = self.0.artifacts.range((Bound::Unbounded, before)).rev().map(|(_, row)| &**row);
        let is_child = |artifact: &Artifact| match (filter.parent, filter.series) {
            (None, Some(series)) => artifact.series == Some(series),
            (None, None) => artifact.parent.is_none(),
            (Some(parent), _) => artifact.parent == Some(parent) || self.0.parents.contains(&(parent, artifact.id)),
        };
        let fitting = rows.filter(|artifact| {
            is_child(artifact)
                && filter.valid_at.is_none_or(|at| at == artifact.valid_at)
                && filter.session_id.as_ref().is_none_or(|_| filter.session_id == artifact.session_id)
                && in_wing(artifact.wing.as_deref(), filter.wing.as_deref())
        });
        let (artifacts, next) = cut(fitting.cloned(), page, |artifact| artifact.id.0);
        Ok(ArtifactPage { artifacts, next })
    }

    fn get_edges(&self, ids: &[EdgeId]) -> StorageResult<Vec<Edge>> {
        check_list("edges", ids.len())?;
        let rows = once_each(ids).into_iter().filter_map(|id| self.0.edges.get(id));
        answer::list(rows.map(|row| Ok(row.edge.clone())))
    }

    fn find_edges(&self, queries: &[EdgeQuery]) -> StorageResult<Vec<EdgePage>> {
        check_list("queries", queries.len())?;
        answer::pages(queries.iter().map(|query| self.0.find_edges(query)))
    }

    fn last_events(
        &self,
        edges: &[EdgeId],
        kinds: &[EdgeEventKind],
        known_at: Option<Micros>,
    ) -> StorageResult<Vec<EdgeEvent>> {
        check_list("edges", edges.len())?;
        let rows = once_each(edges).into_iter().filter_map(|id| self.0.edges.get(id));
        let wanted =
            |event: &EdgeEvent| kinds.contains(&event.kind) && known_at.is_none_or(|known_at| event.at <= known_at);
        Ok(rows
            .filter_map(|row| row.events.iter().rev().find(|event| wanted(event)))
            .map(|event| EdgeEvent::clone(event))
            .collect())
    }

    fn list_events(&self, filter: EventFilter, page: Page) -> StorageResult<EventPage> {
        check_page(page)?;
        let after = page.after.map(|position| (u64::try_from(position.at).unwrap_or(0), position.id));
        let goes_on = |event: &EdgeEvent| after.is_none_or(|after| (event.seq, u64::from(event.number)) > after);
        let (mut events, next) = match filter {
            EventFilter::Edge(edge) => {
                let log = self.0.edges.get(&edge).into_iter().flat_map(|row| &row.events);
                cut_events(log.filter(|event| goes_on(event)), page)
            }
            EventFilter::Cause(cause) => {
                let places = self.0.by_cause.range((cause, (0, 0))..).take_while(|(of, _)| *of == cause);
                let log = places.filter_map(|(_, place)| self.0.events.get(place));
                cut_events(log.filter(|event| goes_on(event)), page)
            }
            EventFilter::Seq(seq) => {
                let log = self.0.events.range((seq, 0)..).take_while(|((of, _), _)| *of == seq);
                cut_events(log.map(|(_, event)| event).filter(|event| goes_on(event)), page)
            }
        };
        let events = events.drain(..).map(|event| EdgeEvent::clone(&event)).collect();
        Ok(EventPage { events, next })
    }

    fn list_mentions(&self, entity: EntityId, seq: Option<u64>, page: Page) -> StorageResult<MentionPage> {
        check_page(page)?;
        let from = page.after.map_or(0, |position| position.id);
        let rows = self.0.mentions.range((Bound::Excluded((entity, ArtifactId(from))), Bound::Unbounded));
        let rows = rows.take_while(|((of, _), _)| *of == entity);
        let rows = rows.filter(|(_, (since, _))| seq.is_none_or(|seq| *since <= seq));
        let artifacts = rows.map(|((_, artifact), _)| *artifact);
        let (artifacts, next) = cut(artifacts, page, |artifact| artifact.0);
        Ok(MentionPage { artifacts, next })
    }

    fn list_statements(&self, edge: EdgeId, seq: Option<u64>, page: Page) -> StorageResult<StatementPage> {
        check_page(page)?;
        let from = page.after.map_or(0, |position| position.id);
        let rows = self.0.statements.range((Bound::Excluded((edge, ArtifactId(from))), Bound::Unbounded));
        let rows = rows.take_while(|((of, _), _)| *of == edge);
        let rows = rows.filter(|(_, (since, _))| seq.is_none_or(|seq| *since <= seq));
        let rows = rows.map(|(_, (_, row))| Statement::clone(row));
        let (statements, next) = cut(rows, page, |statement| statement.artifact.0);
        Ok(StatementPage { statements, next })
    }

    fn get_predicates(&self, names: &[String]) -> StorageResult<Vec<Predicate>> {
        check_list("names", names.len())?;
        let rows = once_each(names).into_iter().filter_map(|name| self.0.predicates.get(name));
        answer::list(rows.map(|row| Ok(Predicate::clone(row))))
    }

    fn list_predicates(&self, after: Option<&str>, limit: u32) -> StorageResult<Vec<Predicate>> {
        check_page(Page { limit, after: None })?;
        let from = after.map_or(Bound::Unbounded, |name| Bound::Excluded(name.to_owned()));
        let rows = self.0.predicates.range((from, Bound::Unbounded));
        answer::list(rows.take(limit as usize).map(|(_, row)| Ok(Predicate::clone(row))))
    }

    fn find_series(&self, keys: &[SeriesKey]) -> StorageResult<Vec<StoredSeries>> {
        self.0.find_series(keys)
    }

    fn get_series(&self, ids: &[SeriesId]) -> StorageResult<Vec<StoredSeries>> {
        self.0.get_series(ids)
    }

    fn list_series(&self, target: Option<AnchorTarget>, page: Page) -> StorageResult<SeriesPage> {
        self.0.list_series(target, page)
    }

    fn list_anchors(&self, series: SeriesId, page: Page) -> StorageResult<AnchorPage> {
        self.0.list_anchors(series, page)
    }

    fn find_anchors(&self, targets: &[AnchorTarget], limit: u32) -> StorageResult<Vec<Anchor>> {
        self.0.find_anchors(targets, limit)
    }

    fn list_points(&self, series: SeriesId, filter: PointFilter, limit: u32) -> StorageResult<PointPage> {
        self.0.list_points(series, filter, limit)
    }

    fn get_points(&self, series: SeriesId, times: &[Micros]) -> StorageResult<Vec<Point>> {
        self.0.get_points(series, times)
    }

    fn list_commits(&self, after: u64, limit: u32) -> StorageResult<CommitPage> {
        self.0.list_commits(after, limit)
    }

    fn list_runs(&self, after: u64, limit: u32) -> StorageResult<RunPage> {
        self.0.list_runs(after, limit)
    }
}

/// With this wing or without any; whatever the wing if none is wanted.
pub(super) fn in_wing(wing: Option<&str>, wanted: Option<&str>) -> bool {
    wanted.is_none() || wing.is_none() || wing == wanted
}

/// Takes one page of a list that is sorted by ID.
pub(super) fn cut<T: Weigh>(
    items: impl Iterator<Item = T>,
    page: Page,
    id: impl Fn(&T) -> u64,
) -> (Vec<T>, Option<Position>) {
    let (taken, more) = answer::page(items.map(Ok::<T, Infallible>), page.limit).unwrap_or_else(|never| match never {});
    let next = taken.last().filter(|_| more).map(|last| Position { at: 0, id: id(last) });
    (taken, next)
}

/// The IDs after the page's position.
fn after<Id>(page: Page, id: fn(u64) -> Id) -> (Bound<Id>, Bound<Id>) {
    let from = page.after.map_or(Bound::Unbounded, |position| Bound::Excluded(id(position.id)));
    (from, Bound::Unbounded)
}

/// Takes one page of a part of the log.
fn cut_events<'e>(
    mut events: impl Iterator<Item = &'e Arc<EdgeEvent>>,
    page: Page,
) -> (Vec<Arc<EdgeEvent>>, Option<Position>) {
    let taken: Vec<_> = events.by_ref().take(page.limit as usize).cloned().collect();
    let more = events.next().is_some();
    let place = |event: &Arc<EdgeEvent>| Position {
        at: i64::try_from(event.seq).unwrap_or(i64::MAX),
        id: u64::from(event.number),
    };
    let next = taken.last().filter(|_| more).map(place);
    (taken, next)
}

pub(super) fn once_each<T: Ord>(items: &[T]) -> BTreeSet<&T> {
    items.iter().collect()
}
