//! Reads of series, and taking away.

use super::answer::{SeriesAnswer, SeriesList, SeriesSummary};
use super::reading::{self, ReadRequest};
use super::{Accumulator, pages};
use crate::commit::{Trouble, commit};
use crate::cursor::List;
use crate::model::{
    Anchor, AnchorTarget, ArtifactId, Call, EdgeId, EntityId, Failure, FailureCode, Page, Position, SeriesId,
};
use crate::plan::{Draft, Step};
use crate::recall::{first, missing, page};
use crate::storage::{
    Change, Dataset, DeleteAnchor, DeletePoints, PointFilter, PutSeries, Snapshot, StorageResult, StoredSeries,
};
use crate::time::Micros;

/// A list of series: of those that are anchored to a target, or of all. `limit` is 1 to 1,000.
///
/// # Errors
/// When the request is malformed, there is no such target or storage fails.
pub fn list_series<S: Snapshot>(
    snapshot: &S,
    target: Option<AnchorTarget>,
    limit: u32,
    cursor: Option<&str>,
) -> Result<SeriesList, Failure> {
    let list = List::new("series", &target);
    let page = page(list, limit, cursor)?;
    if let Some(target) = target.filter(|_| page.after.is_none()) {
        exists(snapshot, target)?;
    }
    let found = snapshot.list_series(target, page)?;
    let series =
        found.series.into_iter().map(|stored| summary(snapshot, stored, None)).collect::<StorageResult<_>>()?;
    Ok(SeriesList { series, cursor: found.next.map(|next| list.cursor(next)) })
}

fn exists<S: Snapshot>(snapshot: &S, target: AnchorTarget) -> Result<(), Failure> {
    let there = match target {
        AnchorTarget::Artifact(id) => !snapshot.get_artifacts(&[id])?.is_empty(),
        AnchorTarget::Entity(id) => !snapshot.get_entities(&[id])?.is_empty(),
        AnchorTarget::Edge(id) => !snapshot.get_edges(&[id])?.is_empty(),
    };
    if there { Ok(()) } else { Err(missing(target.kind(), target.number())) }
}

/// A series with what its points amount to, as of the snapshot or as known at a time, and what it is tied to.
pub(crate) fn summary<S: Snapshot>(
    snapshot: &S,
    stored: StoredSeries,
    known_at: Option<Micros>,
) -> StorageResult<SeriesSummary> {
    let id = stored.series.id;
    let stats = pages::stats(snapshot, &stored, known_at)?;
    let anchors = first(|page| snapshot.list_anchors(id, page).map(|found| (found.anchors, found.next)))?;
    Ok(SeriesSummary { series: stored.series, stats, anchors })
}

fn stored<S: Snapshot>(snapshot: &S, id: SeriesId) -> Result<StoredSeries, Trouble> {
    let found = snapshot.get_series(&[id])?.pop();
    found.ok_or_else(|| missing("series", id.0).into())
}

/// One series and a part of its points. With `known_at` the points and the stats are those of then, and the labels of
/// now.
///
/// # Errors
/// When the request is malformed, there is no such series or storage fails.
pub fn get_series<S: Snapshot>(snapshot: &S, id: SeriesId, request: &ReadRequest) -> Result<SeriesAnswer, Failure> {
    let reading = reading::check(request)?;
    let summary = summary(snapshot, stored(snapshot, id)?, request.known_at)?;
    let answer = reading::read(&reading, |period, limit| {
        let filter = PointFilter { from: Some(period.from), to: Some(period.to), known_at: request.known_at };
        snapshot.list_points(id, filter, limit)
    })?;
    Ok(SeriesAnswer { summary, rows: answer.rows, cursor: answer.cursor, window_stats: answer.window_stats })
}

/// Deletes a series with its points and anchors. Texts that told it stay.
///
/// # Errors
/// When there is no such series or storage fails.
pub fn delete_series<D: Dataset>(dataset: &D, _call: &Call, id: SeriesId) -> Result<(), Failure> {
    let ((), _) = commit(dataset, |snapshot| {
        stored(snapshot, id)?;
        Ok((draft(snapshot, vec![Change::DeleteSeries(id)])?, ()))
    })?;
    Ok(())
}

fn draft<S: Snapshot>(snapshot: &S, changes: Vec<Change>) -> StorageResult<Draft> {
    let steps = changes.into_iter().map(|change| Step { change, reason: "asked for".to_owned() }).collect();
    Ok(Draft { version: snapshot.head()?.version, steps, stages: Vec::new() })
}

/// Erases the points between two times, both inside, and what they replaced. How many points there were.
///
/// # Errors
/// When the times are not in order, there is no such series or storage fails.
pub fn delete_points<D: Dataset>(
    dataset: &D,
    _call: &Call,
    id: SeriesId,
    from: Option<Micros>,
    to: Option<Micros>,
) -> Result<u64, Failure> {
    if let Some((from, to)) = from.zip(to).filter(|(from, to)| from > to) {
        return Err(Failure::field("from", format!("{from} is after to, {to}; swap them")));
    }
    let (deleted, _) = commit(dataset, |snapshot| {
        let stored = stored(snapshot, id)?;
        let left = left(snapshot, id, from, to)?;
        let deleted = stored.points - left.count();
        let delete = Change::DeletePoints(DeletePoints { series: id, from, to });
        let put = Change::PutSeries(PutSeries { series: stored.series, state: left.to_bytes() });
        let changes = if deleted == 0 { Vec::new() } else { vec![delete, put] };
        Ok((draft(snapshot, changes)?, deleted))
    })?;
    Ok(deleted)
}

/// What the points outside of a period amount to.
fn left<S: Snapshot>(
    snapshot: &S,
    id: SeriesId,
    from: Option<Micros>,
    to: Option<Micros>,
) -> StorageResult<Accumulator> {
    let mut left = Accumulator::default();
    let before = from.map(|from| PointFilter { to: Some(Micros(from.0.saturating_sub(1))), ..PointFilter::default() });
    let after = to.map(|to| PointFilter { from: Some(Micros(to.0.saturating_add(1))), ..PointFilter::default() });
    for period in [before, after].into_iter().flatten() {
        pages::scan(snapshot, id, period, &[], |points| left.extend(points))?;
    }
    Ok(left)
}

/// Takes an anchor away.
///
/// # Errors
/// When there is no such series or anchor or storage fails.
pub fn delete_anchor<D: Dataset>(dataset: &D, _call: &Call, id: SeriesId, target: AnchorTarget) -> Result<(), Failure> {
    let ((), _) = commit(dataset, |snapshot| {
        stored(snapshot, id)?;
        if anchors_at(snapshot, id, &[target])?.is_empty() {
            let message = format!("series {id} is not anchored to {target}");
            return Err(Failure::new(FailureCode::NotFound, message).into());
        }
        Ok((draft(snapshot, vec![Change::DeleteAnchor(DeleteAnchor { series: id, target })])?, ()))
    })?;
    Ok(())
}

/// The anchors of a series at these targets, which ascend.
pub(crate) fn anchors_at<S: Snapshot>(
    snapshot: &S,
    series: SeriesId,
    mut targets: &[AnchorTarget],
) -> StorageResult<Vec<Anchor>> {
    let mut found = Vec::new();
    while let Some(first) = targets.first() {
        let page = snapshot.list_anchors(series, Page { limit: 100, after: Some(before(*first)) })?;
        let read = page.next.and(page.anchors.last()).map(|last| last.target);
        found.extend(page.anchors.into_iter().filter(|anchor| targets.contains(&anchor.target)));
        let Some(read) = read else { break };
        targets = &targets[targets.partition_point(|target| *target <= read)..];
    }
    Ok(found)
}

/// The first entity that a series is anchored to.
pub(crate) fn first_entity<S: Snapshot>(snapshot: &S, series: SeriesId) -> StorageResult<Option<EntityId>> {
    let page = Page { limit: 1, after: Some(before(AnchorTarget::Entity(EntityId(1)))) };
    let found = snapshot.list_anchors(series, page)?.anchors.into_iter().next();
    Ok(found.and_then(|anchor| match anchor.target {
        AnchorTarget::Entity(id) => Some(id),
        AnchorTarget::Artifact(_) | AnchorTarget::Edge(_) => None,
    }))
}

/// The place just before a target in a list of anchors.
fn before(target: AnchorTarget) -> Position {
    let (at, id) = match target {
        AnchorTarget::Artifact(ArtifactId(id)) => (0, id),
        AnchorTarget::Entity(EntityId(id)) => (1, id),
        AnchorTarget::Edge(EdgeId(id)) => (2, id),
    };
    Position { at, id: id.saturating_sub(1) }
}
