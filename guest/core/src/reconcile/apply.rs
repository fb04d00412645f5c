//! Carries out on the overlay what a told or retracted fact means.

use super::functional::{change_of_limit, limited};
use super::invalidate::{contradict, give_back};
use super::overlay::{FactKey, Overlay, Side, ValueKey, event, position};
use super::repeat::{Repeat, decide};
use super::told::Told;
use crate::model::{ArtifactId, Bounds, Edge, EdgeEventKind, EdgeId, EntityId, Moment, StartSource, Target};
use crate::remember::Outcome;
use crate::storage::{Snapshot, Statement, StorageResult};
use crate::time::{Date, Instant};

/// A fact as it is told: names and relation are resolved, nothing is decided about it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFact {
    /// The subject.
    pub source: EntityId,
    /// In snake_case, synonyms mapped.
    pub relation: String,
    /// The object.
    pub target: Target,
    /// When it holds.
    pub told: Told,
    /// Whether the relation has one target at a time.
    pub functional: bool,
    /// One sentence.
    pub description: String,
    /// The words that it was read from.
    pub raw_text: Option<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// The model that found it.
    pub model: Option<String>,
    /// The wing.
    pub wing: Option<String>,
    /// The artifact that states it; `None` for a triple without source.
    pub artifact: Option<ArtifactId>,
}

impl NewFact {
    /// What makes it the same as others.
    #[must_use]
    pub fn key(&self) -> FactKey {
        FactKey::of(&self.row(EdgeId(0)))
    }

    /// The same fact told as a stored row tells it.
    #[must_use]
    pub fn in_words_of(&self, row: &Edge, functional: bool) -> Self {
        let (source, relation, target) = (row.source, row.relation.clone(), row.target.clone());
        Self { source, relation, target, functional, ..self.clone() }
    }

    fn row(&self, id: EdgeId) -> Edge {
        Edge {
            id,
            source: self.source,
            relation: self.relation.clone(),
            target: self.target.clone(),
            description: self.description.clone(),
            bounds: Bounds::stated(self.told.start, self.told.source, self.told.end),
            created_at: Moment::Now,
            artifact: self.artifact,
            model: self.model.clone(),
            confidence: self.confidence,
            wing: self.wing.clone(),
            raw_text: self.raw_text.clone(),
        }
    }
}

/// What a model said of a told fact that is no repeat and that no rule of its relation settles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolved {
    /// Stored rows that say the same in other words, each with whether its relation has one target at a time; the one
    /// that counts first.
    pub duplicates: Vec<(EdgeId, bool)>,
    /// Stored rows that can't be true at the same time.
    pub contradictions: Vec<EdgeId>,
}

/// What became of a told fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applied {
    /// The row that the fact is now.
    pub edge: EdgeId,
    /// What became of it.
    pub outcome: Outcome,
    /// Whether it repeats a row, which the plan may have added itself.
    pub is_repeat: bool,
}

/// Tells a fact of which only the rules know: confirms a stored row, adds one, or both. The row that the fact is now,
/// and what became of it.
///
/// # Errors
/// When storage fails.
pub fn tell<S: Snapshot>(overlay: &mut Overlay<'_, S>, fact: &NewFact) -> StorageResult<(EdgeId, Outcome)> {
    let applied = tell_resolved(overlay, fact, &Resolved::default())?;
    Ok((applied.edge, applied.outcome))
}

/// Tells a fact of which a model said more than the rules know.
///
/// # Errors
/// When storage fails.
pub fn tell_resolved<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    fact: &NewFact,
    resolved: &Resolved,
) -> StorageResult<Applied> {
    for &(duplicate, functional) in &resolved.duplicates {
        let Some(row) = overlay.edge(duplicate)? else { continue };
        if let Some(applied) = repeat(overlay, &fact.in_words_of(&row, functional), resolved)? {
            return Ok(applied);
        }
    }
    if let Some(applied) = repeat(overlay, fact, resolved)? {
        return Ok(applied);
    }
    let (edge, outcome) = insert(overlay, fact, fact.told, resolved)?;
    Ok(Applied { edge, outcome, is_repeat: false })
}

/// Tells a fact that is known; `None` when it is not.
fn repeat<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    fact: &NewFact,
    resolved: &Resolved,
) -> StorageResult<Option<Applied>> {
    let key = fact.key();
    let limit = next_other_start(overlay, fact, &key)?;
    let stored = overlay.same_fact(&key, &fact.told, limit)?;
    let Repeat::Known { edge, start, end, again_from } = decide(&fact.told, &stored, limit) else { return Ok(None) };
    // The new row comes first: what the known row gives free by an earlier start must not open in between.
    let again = match again_from {
        None => None,
        Some(from) => {
            let told = Told { start: from, source: StartSource::Stated, ..fact.told };
            Some(insert(overlay, fact, told, resolved)?)
        }
    };
    // A row from the stated end on leaves the row before it as it is.
    let row = stored.into_iter().find(|row| row.id == edge).expect("a repeat is one of the rows given");
    let outcome = confirm(overlay, fact, row, start, end)?;
    let (edge, outcome) = again.unwrap_or((edge, outcome));
    Ok(Some(Applied { edge, outcome, is_repeat: true }))
}

/// The start of the next value other than this one, up to which the told fact counts.
fn next_other_start<S: Snapshot>(
    overlay: &Overlay<'_, S>,
    fact: &NewFact,
    key: &FactKey,
) -> StorageResult<Option<Instant>> {
    if !fact.functional || fact.told.source == StartSource::Unknown {
        return Ok(None);
    }
    let mut place = position(&fact.row(EdgeId(i64::MAX as u64)));
    while let Some(next) = overlay.neighbour(&key.value, Side::After, place)? {
        if FactKey::of(&next).target != key.target {
            return Ok(Some(next.bounds.valid_at.at));
        }
        place = position(&next);
    }
    Ok(None)
}

/// Adds a row; its relation's rule comes first, then what contradicts it.
fn insert<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    fact: &NewFact,
    told: Told,
    resolved: &Resolved,
) -> StorageResult<(EdgeId, Outcome)> {
    let id = overlay.new_edge_id();
    let edge = NewFact { told, ..fact.clone() }.row(id);
    overlay.add_edge(edge.clone(), "told for the first time");
    state(overlay, fact, id);
    let mut superseded = false;
    if in_chain(fact.functional, &edge) {
        let before = overlay.neighbour(&FactKey::of(&edge).value, Side::Before, position(&edge))?;
        let next = limit_of(overlay, true, &edge)?;
        let here = Limit { starts: edge.bounds.valid_at, row: id };
        superseded = settle(overlay, edge, next, Trigger::Itself, fact.artifact);
        if let Some(before) = before {
            settle(overlay, before, Some(here), Trigger::Other(id), fact.artifact);
        }
    }
    if !resolved.contradictions.is_empty() {
        superseded |= contradict(overlay, id, &resolved.contradictions, fact.artifact)?;
    }
    Ok((id, if superseded { Outcome::Superseded } else { Outcome::Created }))
}

/// Notes the source; whether this plan hadn't yet.
fn state<S: Snapshot>(overlay: &mut Overlay<'_, S>, fact: &NewFact, edge: EdgeId) -> bool {
    let Some(artifact) = fact.artifact else { return true };
    let (description, raw_text) = (fact.description.clone(), fact.raw_text.clone());
    overlay.add_statement(Statement { edge, artifact, description, raw_text })
}

fn confirm<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    fact: &NewFact,
    mut row: Edge,
    start: Option<(Date, StartSource)>,
    end: Option<Date>,
) -> StorageResult<Outcome> {
    let (id, artifact) = (row.id, fact.artifact);
    let mut outcome = Outcome::Confirmed;
    if state(overlay, fact, id) {
        let confirmed = event(id, EdgeEventKind::Confirmed, artifact, None, row.bounds);
        overlay.add_event(&mut row, confirmed, "told again");
    }
    if let Some((valid_at, start_source)) = start {
        let moved = Bounds { valid_at, start_source, ..row.bounds };
        row = restart(overlay, fact, row, moved)?;
        outcome = Outcome::Revised;
    }
    if let Some(end) = end {
        let stated = Bounds { stated_end: Some(end), ..row.bounds };
        let after = limited(&stated, limit_of(overlay, fact.functional, &row)?.map(|next| next.starts));
        let ended = event(id, EdgeEventKind::Ended, artifact, None, after);
        overlay.add_event(&mut row, ended, format!("the text says that it ended {end}"));
        outcome = Outcome::Ended;
    }
    Ok(outcome)
}

/// Moves a row to an earlier start, and settles the rows before its old and its new place.
fn restart<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    fact: &NewFact,
    mut row: Edge,
    moved: Bounds,
) -> StorageResult<Edge> {
    let (id, artifact) = (row.id, fact.artifact);
    let value = FactKey::of(&row).value;
    let old_place = in_chain(fact.functional, &row).then(|| position(&row));
    let new = Edge { bounds: moved, ..row.clone() };
    let next = limit_of(overlay, fact.functional, &new)?;
    let after = limited(&moved, next.map(|next| next.starts));
    let cause = next.map(|next| next.row).filter(|_| after.expired_at.is_some());
    let revised = event(id, EdgeEventKind::Revised, artifact, cause, after);
    overlay.add_event(&mut row, revised, format!("the text knows an earlier start, {}", moved.valid_at));
    if fact.functional {
        for place in [old_place, Some(position(&row))].into_iter().flatten() {
            if let Some(before) = overlay.neighbour(&value, Side::Before, place)?.filter(|before| before.id != id) {
                let next = limit_of(overlay, true, &before)?;
                settle(overlay, before, next, Trigger::Other(id), artifact);
            }
        }
    }
    Ok(row)
}

/// Takes a row out of belief; what it had cut holds again.
///
/// # Errors
/// When storage fails.
pub fn retract<S: Snapshot>(overlay: &mut Overlay<'_, S>, mut row: Edge, functional: bool) -> StorageResult<Edge> {
    let (id, place, value) = (row.id, position(&row), FactKey::of(&row).value);
    let after = Bounds { retracted_at: Some(Moment::Now), ..row.bounds };
    overlay.add_event(&mut row, event(id, EdgeEventKind::Retracted, None, None, after), "taken out of belief");
    if in_chain(functional, &row)
        && let Some(before) = overlay.neighbour(&value, Side::Before, place)?
    {
        let next = limit_of(overlay, true, &before)?;
        settle(overlay, before, next, Trigger::Other(id), None);
    }
    give_back(overlay, id, |overlay, functional, row| {
        Ok(limit_of(overlay, functional, row)?.map(|limit| limit.starts))
    })?;
    Ok(row)
}

fn in_chain(functional: bool, row: &Edge) -> bool {
    functional && row.bounds.start_known()
}

/// The next value of a functional relation, before which a row must end.
#[derive(Debug, Clone, Copy)]
struct Limit {
    starts: Date,
    row: EdgeId,
}

fn limit_of<S: Snapshot>(overlay: &Overlay<'_, S>, functional: bool, row: &Edge) -> StorageResult<Option<Limit>> {
    if !in_chain(functional, row) {
        return Ok(None);
    }
    let value: ValueKey = FactKey::of(row).value;
    let mut place = position(row);
    while let Some(next) = overlay.neighbour(&value, Side::After, place)? {
        if next.id != row.id {
            return Ok(Some(Limit { starts: next.bounds.valid_at, row: next.id }));
        }
        // The row itself, still at the place that it is about to leave.
        place = position(&next);
    }
    Ok(None)
}

/// Why the limit of a row may have changed.
#[derive(Debug, Clone, Copy)]
enum Trigger {
    /// The row itself has just come.
    Itself,
    /// This other row came, moved or went.
    Other(EdgeId),
}

/// Gives a row of a functional relation the limit that its chain sets; whether that closed it. The cause of the event is
/// the row that limits it from now on, or the one whose going gave it back.
fn settle<S: Snapshot>(
    overlay: &mut Overlay<'_, S>,
    mut row: Edge,
    limit: Option<Limit>,
    trigger: Trigger,
    artifact: Option<ArtifactId>,
) -> bool {
    let after = limited(&row.bounds, limit.map(|limit| limit.starts));
    let limiting = limit.map(|limit| limit.row).filter(|_| after.expired_at.is_some());
    let (is_new, cause) = match trigger {
        Trigger::Itself => (true, limiting),
        Trigger::Other(row) => (false, limiting.or(Some(row))),
    };
    let Some(kind) = change_of_limit(&row.bounds, &after, is_new) else { return false };
    let reason = match after.invalid_at {
        Some(end) => format!("its relation has one target at a time; it holds until {end}"),
        None => "nothing limits it any more".to_owned(),
    };
    let change = event(row.id, kind, artifact, cause, after);
    overlay.add_event(&mut row, change, reason);
    matches!(kind, EdgeEventKind::Superseded | EdgeEventKind::Invalidated)
}
