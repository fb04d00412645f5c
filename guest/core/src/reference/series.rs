//! Series and their points: every point beside the time since when it is known.

use std::sync::Arc;

use imbl::{OrdMap, Vector};

use super::ReferenceDataset;
use super::snapshot::{cut, once_each};
use crate::model::{Anchor, AnchorTarget, ArtifactId, EdgeId, EntityId, Moment, Page, Position, Series, SeriesId};
use crate::series::Point;
use crate::series::merge::{Known, Revision, as_known};
use crate::storage::rules::{check_list, check_page, check_points_limit, check_times};
use crate::storage::{
    AnchorPage, Committed, DeletePoints, PointFilter, PointPage, PutPoints, PutSeries, SeriesKey, SeriesPage,
    StorageResult, StoredSeries, answer,
};
use crate::time::Micros;

/// A series with its points.
#[derive(Debug, Clone)]
pub(super) struct SeriesRow {
    pub(super) series: Series,
    state: Vec<u8>,
    points: OrdMap<Micros, Known>,
    /// Values that were replaced, in the order in which that happened.
    revisions: Vector<Revision>,
}

impl SeriesRow {
    fn stored(&self) -> StoredSeries {
        StoredSeries { series: self.series.clone(), points: self.points.len() as u64, state: self.state.clone() }
    }
}

impl ReferenceDataset {
    pub(super) fn put_series(&mut self, put: &PutSeries, commit: Committed) {
        let id = put.series.id;
        match self.series.get_mut(&id) {
            Some(row) => {
                let row = Arc::make_mut(row);
                row.series = Series { created_at: row.series.created_at, ..put.series.clone() };
                row.state.clone_from(&put.state);
            }
            None => {
                self.head.next.series = SeriesId(id.0 + 1);
                let series = Series { created_at: Moment::At(commit.at), ..put.series.clone() };
                self.series_keys.insert(SeriesKey::of(&series), id);
                let (points, revisions) = (OrdMap::new(), Vector::new());
                self.series.insert(id, Arc::new(SeriesRow { series, state: put.state.clone(), points, revisions }));
            }
        }
    }

    pub(super) fn put_points(&mut self, put: &PutPoints, commit: Committed) {
        let row = self.series_mut(put.series);
        for &point in &put.points {
            let known = Known { point, since: commit.at };
            match row.points.get(&point.at).copied() {
                Some(before) if before.point.is_same(point) => {}
                Some(before) => {
                    // What the same commit replaces was never known.
                    if before.since < commit.at {
                        let revision = Revision { point: before.point, since: before.since, until: commit.at };
                        row.revisions.push_back(revision);
                    }
                    row.points.insert(point.at, known);
                }
                None => {
                    row.points.insert(point.at, known);
                }
            }
        }
    }

    pub(super) fn delete_points(&mut self, delete: &DeletePoints) {
        let period = PointFilter { from: delete.from, to: delete.to, known_at: None };
        let row = self.series_mut(delete.series);
        row.points =
            row.points.iter().filter(|(at, _)| !period.contains(**at)).map(|(at, known)| (*at, *known)).collect();
        row.revisions.retain(|revision| !period.contains(revision.point.at));
    }

    pub(super) fn put_anchor(&mut self, anchor: &Anchor) {
        self.anchors.insert((anchor.series, anchor.target), Arc::new(anchor.clone()));
    }

    pub(super) fn delete_anchor(&mut self, series: SeriesId, target: AnchorTarget) {
        self.anchors.remove(&(series, target));
    }

    pub(super) fn delete_series(&mut self, id: SeriesId) {
        if let Some(row) = self.series.remove(&id) {
            self.series_keys.remove(&SeriesKey::of(&row.series));
        }
        let of_others = self.anchors.iter().filter(|((series, _), _)| *series != id);
        self.anchors = of_others.map(|(key, anchor)| (*key, Arc::clone(anchor))).collect();
    }

    fn series_mut(&mut self, id: SeriesId) -> &mut SeriesRow {
        Arc::make_mut(self.series.get_mut(&id).expect("the plan was checked: what it refers to exists"))
    }

    pub(super) fn find_series(&self, keys: &[SeriesKey]) -> StorageResult<Vec<StoredSeries>> {
        check_list("keys", keys.len())?;
        let mut ids: Vec<SeriesId> = keys.iter().filter_map(|key| self.series_keys.get(key).copied()).collect();
        ids.sort_unstable();
        self.get_series(&ids)
    }

    pub(super) fn get_series(&self, ids: &[SeriesId]) -> StorageResult<Vec<StoredSeries>> {
        check_list("series", ids.len())?;
        answer::list(once_each(ids).into_iter().filter_map(|id| self.series.get(id)).map(|row| Ok(row.stored())))
    }

    pub(super) fn list_series(&self, target: Option<AnchorTarget>, page: Page) -> StorageResult<SeriesPage> {
        check_page(page)?;
        let after = page.after.map_or(0, |position| position.id);
        let rows = self.series.iter().filter(|(id, _)| id.0 > after);
        let fitting = rows.filter(|(id, _)| target.is_none_or(|target| self.anchors.contains_key(&(**id, target))));
        let (series, next) = cut(fitting.map(|(_, row)| row.stored()), page, |stored| stored.series.id.0);
        Ok(SeriesPage { series, next })
    }

    pub(super) fn list_anchors(&self, series: SeriesId, page: Page) -> StorageResult<AnchorPage> {
        check_page(page)?;
        let rows = self.anchors.iter().filter(|((of, _), _)| *of == series).map(|(_, anchor)| Anchor::clone(anchor));
        let rows = rows.filter(|anchor| page.after.is_none_or(|after| place(anchor.target) > after));
        let (anchors, more) = answer::page(rows.map(Ok::<_, crate::storage::StorageError>), page.limit)?;
        let next = anchors.last().filter(|_| more).map(|last| place(last.target));
        Ok(AnchorPage { anchors, next })
    }

    pub(super) fn find_anchors(&self, targets: &[AnchorTarget], limit: u32) -> StorageResult<Vec<Anchor>> {
        check_list("targets", targets.len())?;
        crate::storage::rules::check_anchors_limit(limit)?;
        let found = once_each(targets).into_iter().flat_map(|target| {
            let all = self.anchors.values().rev().filter(move |anchor| anchor.target == *target);
            let mut newest: Vec<Anchor> = all.take(limit as usize).map(|anchor| Anchor::clone(anchor)).collect();
            newest.reverse();
            newest
        });
        answer::list(found.map(Ok))
    }

    pub(super) fn list_points(&self, id: SeriesId, filter: PointFilter, limit: u32) -> StorageResult<PointPage> {
        check_points_limit(limit)?;
        let Some(row) = self.series.get(&id) else { return Ok(PointPage::default()) };
        let points = match filter.known_at {
            None => row.points.values().map(|known| known.point).collect(),
            Some(known_at) => {
                let known: Vec<Known> = row.points.values().copied().collect();
                let revisions: Vec<Revision> = row.revisions.iter().copied().collect();
                as_known(&known, &revisions, known_at)
            }
        };
        let mut points: Vec<Point> = points.into_iter().filter(|point: &Point| filter.contains(point.at)).collect();
        let more = points.len() > limit as usize;
        points.truncate(limit as usize);
        Ok(PointPage { points, more })
    }

    pub(super) fn get_points(&self, id: SeriesId, times: &[Micros]) -> StorageResult<Vec<Point>> {
        check_times(times)?;
        let Some(row) = self.series.get(&id) else { return Ok(Vec::new()) };
        Ok(times.iter().filter_map(|at| row.points.get(at)).map(|known| known.point).collect())
    }
}

/// The sort key of an anchor among those of its series.
fn place(target: AnchorTarget) -> Position {
    let (at, id) = match target {
        AnchorTarget::Artifact(ArtifactId(id)) => (0, id),
        AnchorTarget::Entity(EntityId(id)) => (1, id),
        AnchorTarget::Edge(EdgeId(id)) => (2, id),
    };
    Position { at, id }
}
