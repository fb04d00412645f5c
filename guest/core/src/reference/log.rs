//! The past: what commits changed, as it was told, and the calls that made them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use super::ReferenceDataset;
use crate::model::{Moment, Page, Run, RunId, RunKind, SeriesId};
use crate::storage::rules::{check_page, resolve_bounds};
use crate::storage::{Change, CommitLog, CommitPage, Committed, Plan, RunPage, StorageError, StorageResult, answer};
use crate::time::Micros;

impl ReferenceDataset {
    /// What a plan changes, to be called before it is applied.
    pub(super) fn commit_log(&self, plan: &Plan, commit: Committed) -> CommitLog {
        let mut sorted: BTreeMap<(u8, u64, u64), Change> = BTreeMap::new();
        let mut series = BTreeSet::new();
        for (number, change) in (0..).zip(&plan.changes) {
            if let Some(id) = touched(change) {
                series.insert(id);
            }
            let key = match change {
                Change::AddArtifact(add) => (0, add.artifact.id.0, 0),
                Change::AddParent(add) if self.parents.contains(&(add.parent, add.artifact)) => continue,
                Change::AddParent(add) => (1, add.artifact.0, add.parent.0),
                Change::AddEntity(add) => (2, add.entity.id.0, 0),
                Change::AddEntityEvent(_) => (3, number, 0),
                Change::AddMention(mention) if self.mentions.contains_key(&(mention.entity, mention.artifact)) => {
                    continue;
                }
                Change::AddMention(mention) => (4, mention.entity.0, mention.artifact.0),
                Change::AddEdge(add) => (5, add.edge.id.0, 0),
                Change::AddStatement(statement)
                    if self.statements.contains_key(&(statement.edge, statement.artifact)) =>
                {
                    continue;
                }
                Change::AddStatement(statement) => (6, statement.edge.0, statement.artifact.0),
                Change::AddEvent(_) => (7, number, 0),
                Change::PutPredicate(_) => (8, number, 0),
                Change::SetDataset(_) => (9, 0, 0),
                _ => continue,
            };
            let change = spelled_out(change.clone(), commit.at);
            match (sorted.get_mut(&key), change) {
                // What a plan says of the dataset twice is one change.
                (Some(Change::SetDataset(before)), Change::SetDataset(set)) => {
                    before.description = set.description.or_else(|| before.description.take());
                    before.tags = set.tags.or_else(|| before.tags.take());
                }
                (Some(_), _) => {}
                (None, change) => {
                    sorted.insert(key, change);
                }
            }
        }
        if let Some(Change::SetDataset(set)) = sorted.get_mut(&(9, 0, 0)) {
            // Storage keeps what holds from then on.
            set.description.get_or_insert_with(|| self.head.description.clone());
            set.tags.get_or_insert_with(|| self.head.tags.clone());
        }
        let mut changes: Vec<Change> = sorted.into_values().collect();
        last_predicates(&mut changes);
        CommitLog { seq: commit.seq, at: commit.at, changes, series: series.into_iter().collect() }
    }

    /// The log of a call that has ended; one of the same `seq` gives way.
    pub fn log_run(&mut self, run: Run) {
        self.runs.insert(run.seq, Arc::new(run));
    }

    /// What is logged of a commit of which nobody says more.
    pub(super) fn log_commit(&mut self, plan: &Plan, run: RunId, commit: Committed) {
        let told = plan.changes.iter().any(|change| matches!(change, Change::AddArtifact(_)));
        self.log_run(Run {
            id: run,
            seq: commit.seq,
            kind: if told { RunKind::Remember } else { RunKind::Edit },
            params: "{}".to_owned(),
            session_id: None,
            started_at: commit.at,
            ended_at: commit.at,
            changed_at: Some(commit.at),
            error: None,
            stages: plan.stages.clone(),
            model_calls: Vec::new(),
        });
    }

    pub(super) fn list_commits(&self, after: u64, limit: u32) -> StorageResult<CommitPage> {
        check_page(Page { limit, after: None })?;
        let logs = self.commits.range((Bound::Excluded(after), Bound::Unbounded));
        let logs = logs.map(|(_, log)| {
            let mut log = CommitLog::clone(log);
            log.series.retain(|id| self.series.contains_key(id));
            Ok::<_, StorageError>(log)
        });
        let (commits, more) = answer::page(logs, limit)?;
        Ok(CommitPage { commits, more })
    }

    pub(super) fn list_runs(&self, after: u64, limit: u32) -> StorageResult<RunPage> {
        check_page(Page { limit, after: None })?;
        let runs = self.runs.range((Bound::Excluded(after), Bound::Unbounded));
        let (runs, more) = answer::page(runs.map(|(_, run)| Ok::<_, StorageError>(Run::clone(run))), limit)?;
        Ok(RunPage { runs, more })
    }
}

/// Of a predicate that a plan puts twice the last holds; by name.
fn last_predicates(changes: &mut Vec<Change>) {
    let mut last = BTreeMap::new();
    let (others, set): (Vec<Change>, Vec<Change>) =
        std::mem::take(changes).into_iter().partition(|change| !matches!(change, Change::SetDataset(_)));
    for change in others {
        match change {
            Change::PutPredicate(predicate) => {
                last.insert(predicate.name.clone(), predicate);
            }
            other => changes.push(other),
        }
    }
    changes.extend(last.into_values().map(Change::PutPredicate));
    changes.extend(set);
}

/// The series that a change puts, or whose points it touches.
fn touched(change: &Change) -> Option<SeriesId> {
    match change {
        Change::PutSeries(put) => Some(put.series.id),
        Change::PutPoints(put) => Some(put.series),
        Change::DeletePoints(delete) => Some(delete.series),
        _ => None,
    }
}

/// A change as storage kept it: `now` is the time of the commit.
fn spelled_out(mut change: Change, at: Micros) -> Change {
    match &mut change {
        Change::AddArtifact(add) => add.artifact.created_at = Moment::At(at),
        Change::AddEntity(add) => add.entity.created_at = Moment::At(at),
        Change::AddEdge(add) => {
            add.edge.created_at = Moment::At(at);
            add.edge.bounds = resolve_bounds(add.edge.bounds, at);
        }
        Change::AddEvent(add) => add.after = resolve_bounds(add.after, at),
        _ => {}
    }
    change
}
