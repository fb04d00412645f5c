//! The series that the facts of an answer are tied to.

use std::collections::{BTreeMap, BTreeSet};

use super::Asked;
use crate::model::{Anchor, AnchorTarget, Artifact, ArtifactId, EdgeId, Moment, Page, SeriesId, Target};
use crate::recall::facts::Belief;
use crate::recall::{EvidenceSeries, Fact};
use crate::series::answer::SeriesSummary;
use crate::series::{Accumulator, Stats, pages};
use crate::storage::rules::MAX_ITEMS;
use crate::storage::{PointFilter, Snapshot, StorageResult, StoredSeries};
use crate::time::Micros;

/// Series of an answer.
const MAX_SERIES: usize = 20;
/// Facts whose sources are looked at.
const MAX_FACTS: usize = 10;
/// Sources of a fact that are.
const MAX_SOURCES: u32 = 10;
/// Points of a stretch of a series: there are no stats of a longer one.
const MAX_POINTS: u32 = 100_000;
/// Points that are read for one question.
const MAX_READ: u32 = 500_000;

/// The series that facts are tied to, those of the best facts first, each once: to a fact itself, to one of its entities,
/// or to an artifact that states it or is the parent of one that does.
pub(super) fn series<S: Snapshot>(
    snapshot: &S,
    evidence: &[Fact],
    belief: Belief,
    asked: Asked,
) -> StorageResult<Vec<EvidenceSeries>> {
    // Where there never was a series, nothing has to be looked for.
    if evidence.is_empty() || snapshot.head()?.next.series == SeriesId(1) {
        return Ok(Vec::new());
    }
    let targets = targets(snapshot, evidence)?;
    let anchors = anchors(snapshot, &targets)?;
    let mut chosen: Vec<(EdgeId, &Anchor)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (edge, target) in &targets {
        // Those of the newest series come last.
        for anchor in anchors.get(target).into_iter().flatten().rev() {
            if seen.insert(anchor.series) {
                chosen.push((*edge, anchor));
            }
        }
    }
    chosen.truncate(MAX_SERIES);
    let ids: Vec<SeriesId> = chosen.iter().map(|(_, anchor)| anchor.series).collect();
    let stored = if ids.is_empty() { Vec::new() } else { snapshot.get_series(&ids)? };
    let mut stored: BTreeMap<SeriesId, StoredSeries> =
        stored.into_iter().map(|stored| (stored.series.id, stored)).collect();
    let mut reader = Reader { snapshot, known_at: belief.known_at(), left: MAX_READ };
    let mut series = Vec::with_capacity(chosen.len());
    for (edge_id, anchor) in chosen {
        if let Some(stored) = stored.remove(&anchor.series).filter(|stored| reader.knows(stored)) {
            series.push(reader.read(edge_id, anchor, stored, asked)?);
        }
    }
    Ok(series)
}

/// What series can be anchored to, for each fact in turn.
fn targets<S: Snapshot>(snapshot: &S, evidence: &[Fact]) -> StorageResult<Vec<(EdgeId, AnchorTarget)>> {
    let mut sources: BTreeMap<EdgeId, Vec<ArtifactId>> = BTreeMap::new();
    for fact in evidence.iter().take(MAX_FACTS) {
        let page = Page { limit: MAX_SOURCES, after: None };
        let stated = snapshot.list_statements(fact.edge.id, None, page)?.statements;
        sources.insert(fact.edge.id, stated.into_iter().map(|statement| statement.artifact).collect());
    }
    let ids: BTreeSet<ArtifactId> = sources.values().flatten().copied().collect();
    let ids: Vec<ArtifactId> = ids.into_iter().collect();
    let artifacts = if ids.is_empty() { Vec::new() } else { snapshot.get_artifacts(&ids)? };
    let parents: BTreeMap<ArtifactId, Artifact> =
        artifacts.into_iter().map(|artifact| (artifact.id, artifact)).collect();
    let mut targets = Vec::new();
    for Fact { edge, .. } in evidence {
        let mut add = |target| targets.push((edge.id, target));
        add(AnchorTarget::Edge(edge.id));
        add(AnchorTarget::Entity(edge.source));
        if let Target::Entity(target) = edge.target {
            add(AnchorTarget::Entity(target));
        }
        for artifact in sources.get(&edge.id).into_iter().flatten() {
            add(AnchorTarget::Artifact(*artifact));
            if let Some(parent) = parents.get(artifact).and_then(|artifact| artifact.parent) {
                add(AnchorTarget::Artifact(parent));
            }
        }
    }
    Ok(targets)
}

/// The anchors at these targets.
fn anchors<S: Snapshot>(
    snapshot: &S,
    targets: &[(EdgeId, AnchorTarget)],
) -> StorageResult<BTreeMap<AnchorTarget, Vec<Anchor>>> {
    let targets: BTreeSet<AnchorTarget> = targets.iter().map(|(_, target)| *target).collect();
    let targets: Vec<AnchorTarget> = targets.into_iter().collect();
    let mut anchors: BTreeMap<AnchorTarget, Vec<Anchor>> = BTreeMap::new();
    for targets in targets.chunks(MAX_ITEMS as usize) {
        for anchor in snapshot.find_anchors(targets, MAX_SERIES as u32)? {
            anchors.entry(anchor.target).or_default().push(anchor);
        }
    }
    Ok(anchors)
}

/// Reads points, as they were known, and not too many.
struct Reader<'s, S> {
    snapshot: &'s S,
    known_at: Option<Micros>,
    left: u32,
}

impl<S: Snapshot> Reader<'_, S> {
    /// Whether a series was known at that time.
    fn knows(&self, stored: &StoredSeries) -> bool {
        match (self.known_at, stored.series.created_at) {
            (Some(known_at), Moment::At(created_at)) => created_at <= known_at,
            _ => true,
        }
    }

    fn read(
        &mut self,
        edge_id: EdgeId,
        anchor: &Anchor,
        stored: StoredSeries,
        asked: Asked,
    ) -> StorageResult<EvidenceSeries> {
        let id = stored.series.id;
        let stats = match (self.known_at, pages::state(&stored)) {
            (None, Some(state)) => state.stats(),
            _ => self.stats(id, None, None)?,
        };
        let mut within = |period: Option<(Micros, Micros)>| match (period, &stats) {
            (None, _) => Ok(None),
            (Some((from, to)), Some(all)) if from <= all.first_ts && all.last_ts <= to => Ok(stats),
            (Some((from, to)), _) => self.stats(id, Some(from), Some(to)),
        };
        let window_stats = within(anchor.window)?;
        let asked_stats = within(asked.period())?;
        let summary = SeriesSummary { series: stored.series, stats, anchors: Vec::new() };
        Ok(EvidenceSeries { edge_id, anchor: anchor.clone(), summary, window_stats, asked_stats })
    }

    /// The stats of a stretch; `None` if it has no point, or too many.
    fn stats(&mut self, series: SeriesId, from: Option<Micros>, to: Option<Micros>) -> StorageResult<Option<Stats>> {
        let mut period = PointFilter { from, to, known_at: self.known_at };
        let mut all = Accumulator::default();
        let mut left = self.left.min(MAX_POINTS);
        while left > 0 {
            let page = self.snapshot.list_points(series, period, left)?;
            let count = u32::try_from(page.points.len()).unwrap_or(u32::MAX);
            (left, self.left) = (left.saturating_sub(count), self.left.saturating_sub(count));
            all.extend(&page.points);
            let Some(rest) = page.rest() else { return Ok(all.stats()) };
            period.from = Some(rest);
        }
        Ok(None)
    }
}
