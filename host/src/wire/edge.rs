//! One fact with its history, and what a retraction changed.

use gligabao_core::model::{Bounds, EdgeEvent};
use gligabao_core::{knowledge, recall};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fact::Fact;
use super::time::Time;
use super::word::{EventWord, Word};

/// One line of the log of a fact: what happened, and its bounds before and after. An absent bound is open, or, before
/// the fact was created, not there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// What happened.
    pub event: EventWord,
    /// When, in transaction time.
    pub at: Time,
    /// The artifact that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_id: Option<u64>,
    /// The run that it was part of.
    pub run_id: u64,
    /// The commit that it was part of.
    pub seq: u64,
    /// Start before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub valid_at_before: Option<Time>,
    /// Start after.
    pub valid_at_after: Time,
    /// End before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub invalid_at_before: Option<Time>,
    /// End after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub invalid_at_after: Option<Time>,
    /// When a rule had closed it, before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub expired_at_before: Option<Time>,
    /// When a rule had closed it, after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub expired_at_after: Option<Time>,
}

impl From<EdgeEvent> for Event {
    fn from(event: EdgeEvent) -> Self {
        let invalid_at = |bounds: Bounds| bounds.invalid_at.map(|date| Time::from(date.at));
        let expired_at = |bounds: Bounds| bounds.expired_at.map(Time::from);
        Self {
            event: Word(event.kind),
            at: event.at.into(),
            artifact_id: event.artifact.map(|id| id.0),
            run_id: event.run.0,
            seq: event.seq,
            valid_at_before: event.before.map(|bounds| bounds.valid_at.at.into()),
            valid_at_after: event.after.valid_at.at.into(),
            invalid_at_before: event.before.and_then(invalid_at),
            invalid_at_after: invalid_at(event.after),
            expired_at_before: event.before.and_then(expired_at),
            expired_at_after: expired_at(event.after),
        }
    }
}

/// A fact with its log and its sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EdgeDetail {
    /// The fact.
    #[serde(flatten)]
    pub fact: Fact,
    /// The first 1,000 artifacts that state it, ascending.
    pub artifacts: Vec<u64>,
    /// The first 1,000 of its events, oldest first.
    pub events: Vec<Event>,
}

impl From<recall::EdgeAnswer> for EdgeDetail {
    fn from(answer: recall::EdgeAnswer) -> Self {
        Self {
            fact: answer.fact.into(),
            artifacts: answer.artifacts.into_iter().map(|id| id.0).collect(),
            events: answer.events.into_iter().map(Event::from).collect(),
        }
    }
}

/// What a retraction changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Retracted {
    /// The run that logs the call.
    pub run_id: u64,
    /// The fact, out of belief from now on.
    pub fact: Fact,
    /// Facts that it had closed and that hold longer now, ascending.
    pub reopened_edges: Vec<u64>,
}

impl Retracted {
    /// What a run changed.
    #[must_use]
    pub fn new(run_id: u64, retraction: knowledge::Retraction) -> Self {
        Self {
            run_id,
            fact: retraction.fact.into(),
            reopened_edges: retraction.reopened_edges.into_iter().map(|id| id.0).collect(),
        }
    }
}
