//! What must hold of series, points and anchors.

use super::{MAX_ITEMS, PlanCheck, Reference, check_id, check_now, ensure};
use crate::model::{Anchor, AnchorTarget, Series, SeriesId};
use crate::series::points::{FIRST_TIME, LAST_TIME, MAX_POINTS};
use crate::storage::{ArtifactFilter, PutPoints, PutSeries, SeriesKey, StorageResult};
use crate::time::Micros;

/// Most bytes that are kept with a series for its writer.
pub const MAX_STATE: usize = 4_096;

/// Most anchors of one target in one answer.
const MAX_ANCHORS: u32 = 100;

/// Checks how many points are asked for.
///
/// # Errors
/// [`StorageError::Invalid`](crate::storage::StorageError::Invalid) when it is not in 1 to 100,000.
pub fn check_points_limit(limit: u32) -> StorageResult<()> {
    ensure(limit >= 1 && limit as usize <= MAX_POINTS, || format!("limit: {limit} is not in 1 to {MAX_POINTS}"))
}

/// Checks how many anchors of a target are asked for.
///
/// # Errors
/// [`StorageError::Invalid`](crate::storage::StorageError::Invalid) when it is not in 1 to 100.
pub fn check_anchors_limit(limit: u32) -> StorageResult<()> {
    ensure((1..=MAX_ANCHORS).contains(&limit), || format!("limit: {limit} is not in 1 to {MAX_ANCHORS}"))
}

/// Checks which artifacts are asked for.
///
/// # Errors
/// [`StorageError::Invalid`](crate::storage::StorageError::Invalid) when what is given does not go together.
pub fn check_artifacts(filter: &ArtifactFilter) -> StorageResult<()> {
    let ArtifactFilter { parent, series, valid_at, session_id, wing } = filter;
    let alone = parent.is_none() && session_id.is_none() && wing.is_none();
    ensure(series.is_none() || alone, || "series: goes with no parent, session or wing".to_owned())?;
    ensure(series.is_some() || valid_at.is_none(), || "valid_at: goes with a series only".to_owned())
}

/// Checks times of points.
///
/// # Errors
/// [`StorageError::Invalid`](crate::storage::StorageError::Invalid) when there are too many or they don't ascend.
pub fn check_times(times: &[Micros]) -> StorageResult<()> {
    ensure(times.len() <= MAX_POINTS, || format!("times: {} of them, at most {MAX_POINTS} go at once", times.len()))?;
    ensure(times.is_sorted_by(|a, b| a < b), || "times: they do not strictly ascend".to_owned())
}

impl PlanCheck<'_> {
    pub(super) fn put_series(&mut self, put: &PutSeries) -> StorageResult<()> {
        let Series { id, created_at, .. } = put.series;
        let key = SeriesKey::of(&put.series);
        ensure(put.state.len() <= MAX_STATE, || {
            format!("series {id}: state has {} bytes, at most {MAX_STATE} are possible", put.state.len())
        })?;
        ensure(!key.key.is_empty() && !key.field.is_empty(), || format!("series {id}: key or field is empty"))?;
        if id == self.next.series {
            let taken = match self.series.get(&key) {
                Some(planned) => Some(*planned),
                None => self.stored.series(&key)?,
            };
            let taken = taken.filter(|taken| !self.deleted.contains(taken));
            ensure(taken.is_none(), || format!("series {id}: there is one of this provider, key and field already"))?;
            check_id(Reference::Series(id), id.0, &mut self.next.series.0)?;
            self.series.insert(key, id);
            return check_now("created_at", created_at);
        }
        self.exists(Reference::Series(id))?;
        let stored = if id < self.base.series { self.stored.key(id)? } else { None };
        let same = match stored {
            Some(stored) => stored == key,
            None => self.series.get(&key) == Some(&id),
        };
        ensure(same, || format!("series {id}: provider, key and field of a series stay as they are"))
    }

    pub(super) fn put_points(&mut self, put: &PutPoints) -> StorageResult<()> {
        self.exists(Reference::Series(put.series))?;
        let (series, points) = (put.series, &put.points);
        ensure(points.len() <= MAX_POINTS, || {
            format!("series {series}: {} points, at most {MAX_POINTS} go in one change", points.len())
        })?;
        ensure(points.is_sorted_by(|a, b| a.at < b.at), || {
            format!("series {series}: the times of points do not strictly ascend")
        })?;
        let inside = |at: Micros| (FIRST_TIME..=LAST_TIME).contains(&at);
        ensure(points.iter().all(|point| inside(point.at) && point.value.is_finite()), || {
            format!("series {series}: a point is not finite, or not in the years 1 to 9999")
        })
    }

    pub(super) fn put_anchor(&mut self, anchor: &Anchor) -> StorageResult<()> {
        self.exists(Reference::Series(anchor.series))?;
        self.exists(match anchor.target {
            AnchorTarget::Artifact(id) => Reference::Artifact(id),
            AnchorTarget::Entity(id) => Reference::Entity(id),
            AnchorTarget::Edge(id) => Reference::Edge(id),
        })?;
        let in_order = anchor.window.is_none_or(|(start, end)| start <= end);
        ensure(in_order, || format!("series {}: the window of an anchor starts after its end", anchor.series))?;
        self.anchors.insert((anchor.series, anchor.target), true);
        Ok(())
    }

    pub(super) fn delete_anchor(&mut self, series: SeriesId, target: AnchorTarget) -> StorageResult<()> {
        self.exists(Reference::Series(series))?;
        let there = match self.anchors.insert((series, target), false) {
            Some(planned) => planned,
            None => series < self.base.series && self.stored.is_anchored(series, target)?,
        };
        ensure(there, || format!("series {series}: is not anchored to {target}"))
    }

    pub(super) fn delete_series(&mut self, id: SeriesId) -> StorageResult<()> {
        self.exists(Reference::Series(id))?;
        self.deleted.insert(id);
        Ok(())
    }
}

const _: () = assert!(MAX_POINTS >= MAX_ITEMS as usize, "points have a limit of their own");
