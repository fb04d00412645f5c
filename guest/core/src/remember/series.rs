//! The plan of the series of a call: what is written, what that amounts to, and what it is tied to.

use serde::Serialize;

use super::anchors::{Found, Targets, check_ids};
use super::cast::Cast;
use super::validate::Batch;
use crate::commit::Trouble;
use crate::model::{self, Anchor, AnchorTarget, ArtifactId, EntityId, Moment, Series, SeriesSource};
use crate::reconcile::Overlay;
use crate::series::anchor::{Selector, to_write};
use crate::series::answer::{WrittenAnchor, WrittenSeries};
use crate::series::merge::{Merge, merge};
use crate::series::request::{Labels, SentSeries};
use crate::series::{Accumulator, Point, anchors_at, pages};
use crate::stage::Log;
use crate::storage::{Change, PointFilter, PutPoints, PutSeries, SeriesKey, Snapshot, StorageResult, StoredSeries};
use crate::time::Micros;

/// The series of a call as its plan leaves them.
#[derive(Debug, Default)]
pub(super) struct Written<'r> {
    /// In the order of the request.
    pub(super) items: Vec<Item<'r>>,
    /// What is odd about them.
    pub(super) warnings: Vec<String>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Item<'r> {
    pub(super) sent: &'r SentSeries,
    pub(super) series: Series,
    /// Whether it was stored before.
    pub(super) is_stored: bool,
    /// The last point that was stored before, as far as that is known.
    pub(super) last: Option<Micros>,
    /// What is written of the points that were sent.
    pub(super) writes: Vec<Point>,
    /// The entity that its first selector of one names, and how.
    pub(super) about: Option<(String, EntityId)>,
    pub(super) answer: WrittenSeries,
}

/// Checks what the series of a request need of the dataset, before a model is asked.
pub(super) fn check_stored<S: Snapshot>(snapshot: &S, batch: &Batch) -> Result<(), Trouble> {
    let anchors: Vec<_> = batch.series.iter().flat_map(|series| &series.anchors).collect();
    check_ids(snapshot, &anchors)?;
    if batch.series.iter().any(|series| series.points.is_none()) {
        for (series, stored) in batch.series.iter().zip(find(snapshot, &batch.series)?) {
            if stored.is_none() {
                series.needs_points()?;
            }
        }
    }
    Ok(())
}

/// Those of the series that are stored, each in its place.
fn find<S: Snapshot>(snapshot: &S, series: &[SentSeries]) -> StorageResult<Vec<Option<StoredSeries>>> {
    if series.is_empty() {
        return Ok(Vec::new());
    }
    let key = |series: &SentSeries| SeriesKey { provider: None, key: series.key.clone(), field: series.field.clone() };
    let keys: Vec<SeriesKey> = series.iter().map(key).collect();
    let mut found = snapshot.find_series(&keys)?;
    let mut take = |key: &SeriesKey| {
        let place = found.iter().position(|stored| SeriesKey::of(&stored.series) == *key)?;
        Some(found.swap_remove(place))
    };
    Ok(keys.iter().map(&mut take).collect())
}

/// Plans the series of a call, but for their points, which come last in the plan.
pub(super) fn write<'r, S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    batch: &'r Batch,
    home: Option<ArtifactId>,
    cast: Option<&Cast>,
) -> Result<Written<'r>, Trouble> {
    let anchors: Vec<_> = batch.series.iter().flat_map(|series| &series.anchors).collect();
    let stored = find(overlay.snapshot(), &batch.series)?;
    let mut targets = Targets::find(overlay, &anchors, home, cast)?;
    let mut written = Written { items: Vec::new(), warnings: batch.warnings.clone() };
    for (sent, stored) in batch.series.iter().zip(stored) {
        let is_clipped = sent.points.as_ref().is_some_and(Vec::is_empty);
        if stored.is_none() && is_clipped {
            written.warnings.push(format!("{}: no point is left of it, so it was not stored", sent.place));
            continue;
        }
        let unit = stored.as_ref().and_then(|stored| stored.series.unit.as_deref());
        written.warnings.extend(sent.unit_warning(unit));
        let mut item = write_one(overlay, sent, stored.as_ref())?;
        anchor(overlay, &mut targets, &mut item)?;
        written.items.push(item);
    }
    Ok(written)
}

/// Plans a series and what is kept with it.
fn write_one<'r, S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    sent: &'r SentSeries,
    stored: Option<&StoredSeries>,
) -> Result<Item<'r>, Trouble> {
    let points = sent.points.as_deref().unwrap_or_default();
    let state = stored.and_then(pages::state);
    let last = state.and_then(|state| state.last()).map(|point| point.at);
    let merge = compare(overlay.snapshot(), stored, state.as_ref(), points)?;
    let series = match stored {
        Some(stored) => stored.series.clone(),
        None => {
            sent.needs_points()?;
            new_series(overlay, sent)
        }
    };
    let series = labelled(series, &sent.labels);
    let kept = match stored {
        Some(stored) if merge.writes.is_empty() => {
            let is_other = stored.series != series;
            is_other.then(|| (stored.state.clone(), "it has other labels"))
        }
        _ => {
            let reason = if stored.is_some() { "it has other points" } else { "no series has this key and field" };
            Some((amounts(overlay.snapshot(), stored, state, &merge)?.to_bytes(), reason))
        }
    };
    if let Some((state, reason)) = kept {
        overlay.push(Change::PutSeries(PutSeries { series: series.clone(), state }), reason);
    }
    let count = |count: usize| u32::try_from(count).expect("the number of points was checked");
    let answer = WrittenSeries {
        id: series.id,
        key: series.key.clone(),
        field: series.field.clone(),
        created: stored.is_none(),
        points: count(sent.sent),
        replaced: count(merge.replaced.len()),
        point_count: stored.map_or(0, |stored| stored.points) + merge.added,
        anchors: Vec::new(),
        skipped_anchors: Vec::new(),
    };
    Ok(Item { sent, series, is_stored: stored.is_some(), last, writes: merge.writes, about: None, answer })
}

fn new_series<S: Snapshot>(overlay: &mut Overlay<'_, S>, sent: &SentSeries) -> Series {
    Series {
        id: overlay.new_series_id(),
        provider: None,
        key: sent.key.clone(),
        field: sent.field.clone(),
        name: None,
        unit: None,
        frequency: None,
        source: SeriesSource::Supplied,
        definition: None,
        created_at: Moment::Now,
    }
}

fn labelled(series: Series, sent: &Labels) -> Series {
    let Series { name, unit, frequency, .. } = series.clone();
    let Labels { name, unit, frequency } = Labels { name, unit, frequency }.updated(sent);
    Series { name, unit, frequency, ..series }
}

/// What writing the points changes. Of a series whose end is known nothing is read for points after it.
fn compare<S: Snapshot>(
    snapshot: &S,
    stored: Option<&StoredSeries>,
    state: Option<&Accumulator>,
    points: &[Point],
) -> StorageResult<Merge> {
    let Some((stored, first)) = stored.zip(points.first()) else { return Ok(merge(&[], points)) };
    let is_after = |state: &Accumulator| state.last().is_none_or(|last| last.at < first.at);
    if state.is_some_and(is_after) {
        return Ok(merge(&[], points));
    }
    let times: Vec<Micros> = points.iter().map(|point| point.at).collect();
    Ok(merge(&snapshot.get_points(stored.series.id, &times)?, points))
}

/// What all points amount to after the write. An append goes on where the series is.
fn amounts<S: Snapshot>(
    snapshot: &S,
    stored: Option<&StoredSeries>,
    state: Option<Accumulator>,
    merge: &Merge,
) -> StorageResult<Accumulator> {
    let state = if stored.is_none() { Some(Accumulator::default()) } else { state };
    match (state, stored) {
        (Some(mut state), _) if merge.appends_to(state.last().map(|last| last.at)) => {
            state.extend(&merge.writes);
            Ok(state)
        }
        (_, Some(stored)) => pages::accumulated(snapshot, stored.series.id, PointFilter::default(), &merge.writes),
        (_, None) => unreachable!("all points of a new series are appended"),
    }
}

/// Plans the anchors of a series.
fn anchor<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    targets: &mut Targets<'_>,
    item: &mut Item<'_>,
) -> Result<(), Trouble> {
    let series = item.series.id;
    let mut asked: Vec<Anchor> = Vec::new();
    for request in &item.sent.anchors {
        let (target, created) = match targets.resolve(overlay, request)? {
            Found::At { target, created } => (target, created),
            Found::Skipped(skipped) => {
                item.answer.skipped_anchors.push(skipped);
                continue;
            }
        };
        if let (None, AnchorTarget::Entity(id), Selector::Entity(entity)) = (&item.about, target, &request.selector) {
            item.about = Some((entity.name.clone(), id));
        }
        let anchor = Anchor { series, target, role: request.role.clone(), window: request.window };
        let written = &mut item.answer.anchors;
        match written.iter_mut().find(|written| written.anchor.target == target) {
            Some(before) => before.anchor = anchor.clone(),
            None => written.push(WrittenAnchor { anchor: anchor.clone(), created }),
        }
        asked.push(anchor);
    }
    let stored = if item.is_stored { stored_anchors(overlay.snapshot(), &asked)? } else { Vec::new() };
    for anchor in to_write(&stored, asked) {
        overlay.push(Change::PutAnchor(anchor), "the request ties it to this");
    }
    Ok(())
}

/// The stored anchors of a series at the targets of these.
fn stored_anchors<S: Snapshot>(snapshot: &S, asked: &[model::Anchor]) -> StorageResult<Vec<model::Anchor>> {
    let Some(first) = asked.first() else { return Ok(Vec::new()) };
    let mut targets: Vec<AnchorTarget> = asked.iter().map(|anchor| anchor.target).collect();
    targets.sort_unstable();
    targets.dedup();
    anchors_at(snapshot, first.series, &targets)
}

/// What the stage gave of a series.
#[derive(Serialize)]
struct Stored<'a> {
    id: u64,
    key: &'a str,
    field: &'a str,
    created: bool,
    points: u32,
    written: usize,
    replaced: u32,
    point_count: u64,
    anchors: usize,
    skipped_anchors: usize,
}

impl Written<'_> {
    /// Notes the stage.
    pub(super) fn log(&self, log: &mut Log) {
        let stored = self.items.iter().map(|item| Stored {
            id: item.answer.id.0,
            key: &item.answer.key,
            field: &item.answer.field,
            created: item.answer.created,
            points: item.answer.points,
            written: item.writes.len(),
            replaced: item.answer.replaced,
            point_count: item.answer.point_count,
            anchors: item.answer.anchors.len(),
            skipped_anchors: item.answer.skipped_anchors.len(),
        });
        let series: Vec<Stored<'_>> = stored.collect();
        log.done("store_timeseries", &serde_json::json!({"series": series, "warnings": self.warnings.len()}));
    }

    /// Plans the points, and what the call says of the series.
    pub(super) fn finish<S: Snapshot>(self, overlay: &mut Overlay<'_, S>) -> (Vec<WrittenSeries>, Vec<String>) {
        let mut answers = Vec::with_capacity(self.items.len());
        for Item { writes, series, answer, .. } in self.items {
            if !writes.is_empty() {
                overlay
                    .push(Change::PutPoints(PutPoints { series: series.id, points: writes }), "the request has them");
            }
            answers.push(answer);
        }
        (answers, self.warnings)
    }
}
