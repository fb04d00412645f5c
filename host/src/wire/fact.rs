//! Facts, and lists of them.

use gligabao_core::model::{Direction, Failure, Target};
use gligabao_core::recall;
use gligabao_core::recall::{FactsRequest, Known, When};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::limit::ListLimit;
use super::time::{KnownInput, Time, TimeInput, UntilInput, WhenInput};
use super::word::{DirectionWord, EventWord, PrecisionWord, Word};

/// A fact as of the two times that were asked about. It is true in `[valid_at, invalid_at)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "id": 7, "source": "Anna Weber", "source_id": 1, "relation": "works_at", "target": "Acme", "target_id": 2,
    "target_text": null, "description": "Anna Weber works at Acme", "valid_at": "2022-03-01T00:00:00Z",
    "valid_at_precision": "month", "invalid_at": null, "invalid_at_precision": null, "start_known": true,
    "created_at": "2024-06-10T08:30:00.25Z", "expired_at": null, "artifact_id": 3, "confidence": 0.5, "wing": null,
    "contested": false, "superseded": false, "retracted_at": null,
}))]
pub struct Fact {
    /// Number of the fact in its dataset.
    pub id: u64,
    /// Name of the subject.
    pub source: String,
    /// The subject.
    pub source_id: u64,
    /// In snake_case.
    pub relation: String,
    /// Name of the object; null for a literal.
    #[schema(required = true)]
    pub target: Option<String>,
    /// The object; null for a literal.
    #[schema(required = true)]
    pub target_id: Option<u64>,
    /// The object as a literal; null for an entity.
    #[schema(required = true)]
    pub target_text: Option<String>,
    /// One sentence.
    pub description: String,
    /// Start in the world; `0001-01-01T00:00:00Z` when it is not known.
    pub valid_at: Time,
    /// How finely the start was stated.
    pub valid_at_precision: PrecisionWord,
    /// End in the world, exclusive; null: it still holds.
    #[schema(inline, required = true)]
    pub invalid_at: Option<Time>,
    /// How finely the end was stated.
    #[schema(inline, required = true)]
    pub invalid_at_precision: Option<PrecisionWord>,
    /// Whether the start is more than "some time before its end".
    pub start_known: bool,
    /// When the store began to believe it.
    pub created_at: Time,
    /// When a rule closed it; its closed interval stays believed.
    #[schema(inline, required = true)]
    pub expired_at: Option<Time>,
    /// The artifact that stated it first; null for a triple without source.
    #[schema(required = true)]
    pub artifact_id: Option<u64>,
    /// 0 to 1.
    pub confidence: f64,
    /// The wing; null is neutral.
    #[schema(required = true)]
    pub wing: Option<String>,
    /// Whether it contradicts another fact and no rule settles which one holds.
    pub contested: bool,
    /// Whether a rule has closed it.
    pub superseded: bool,
    /// When it was taken out of belief.
    #[schema(inline, required = true)]
    pub retracted_at: Option<Time>,
}

impl From<recall::Fact> for Fact {
    fn from(fact: recall::Fact) -> Self {
        let recall::Fact { edge, source_name, target_name, superseded } = fact;
        let bounds = edge.bounds;
        let (target_id, target_text) = match edge.target {
            Target::Entity(id) => (Some(id.0), None),
            Target::Text(text) => (None, Some(text)),
        };
        Self {
            id: edge.id.0,
            source: source_name,
            source_id: edge.source.0,
            relation: edge.relation,
            target: target_name,
            target_id,
            target_text,
            description: edge.description,
            valid_at: bounds.valid_at.at.into(),
            valid_at_precision: Word(bounds.valid_at.precision),
            invalid_at: bounds.invalid_at.map(|date| date.at.into()),
            invalid_at_precision: bounds.invalid_at.map(|date| Word(date.precision)),
            start_known: bounds.start_known(),
            created_at: edge.created_at.into(),
            expired_at: bounds.expired_at.map(Time::from),
            artifact_id: edge.artifact.map(|id| id.0),
            confidence: edge.confidence,
            wing: edge.wing,
            contested: bounds.contested,
            superseded,
            retracted_at: bounds.retracted_at.map(Time::from),
        }
    }
}

/// A part of a list of facts, by (`valid_at`, ID).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Facts {
    /// The facts.
    pub facts: Vec<Fact>,
    /// Where to go on; absent: that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl From<recall::FactsAnswer> for Facts {
    fn from(answer: recall::FactsAnswer) -> Self {
        Self { facts: answer.facts.into_iter().map(Fact::from).collect(), cursor: answer.cursor }
    }
}

/// What closed a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Closing {
    /// What happened.
    pub event: EventWord,
    /// When, in transaction time.
    pub at: Time,
    /// The artifact that caused it.
    #[schema(required = true)]
    pub artifact_id: Option<u64>,
    /// The fact that caused it.
    #[schema(required = true)]
    pub edge_id: Option<u64>,
}

impl From<recall::Closing> for Closing {
    fn from(closing: recall::Closing) -> Self {
        Self {
            event: Word(closing.event),
            at: closing.at.into(),
            artifact_id: closing.artifact_id.map(|id| id.0),
            edge_id: closing.edge_id.map(|id| id.0),
        }
    }
}

/// A fact in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TimelineFact {
    /// The fact.
    #[serde(flatten)]
    pub fact: Fact,
    /// What closed it; null while it is open.
    #[schema(required = true)]
    pub closed_by: Option<Closing>,
}

/// A part of a timeline, by (`valid_at`, ID).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Timeline {
    /// The facts, retracted ones too.
    pub facts: Vec<TimelineFact>,
    /// Where to go on; absent: that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl From<recall::TimelineAnswer> for Timeline {
    fn from(answer: recall::TimelineAnswer) -> Self {
        let facts = answer.facts.into_iter();
        let facts =
            facts.map(|fact| TimelineFact { fact: fact.fact.into(), closed_by: fact.closed_by.map(Into::into) });
        Self { facts: facts.collect(), cursor: answer.cursor }
    }
}

/// Which facts.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FactsParams {
    /// Whose data it is; also accepted as header `gb-user-id`.
    pub user_id: Option<String>,
    /// The dataset; `main` when absent.
    pub dataset: Option<String>,
    /// Facts of what this name means, aliases included. Required for a timeline.
    pub entity: Option<String>,
    /// Facts with this relation.
    pub relation: Option<String>,
    /// Which end of the fact the entity is; `both` when absent.
    #[param(inline)]
    pub direction: Option<DirectionWord>,
    /// When they hold; `now` when absent. A timeline takes only `any`.
    #[param(inline)]
    pub at: Option<WhenInput>,
    /// As believed when; `now` when absent.
    #[param(inline)]
    pub known_at: Option<KnownInput>,
    /// Facts whose interval meets this time or a later one. Replaces the default of `at`.
    #[param(inline)]
    pub from: Option<TimeInput>,
    /// Facts whose interval meets this time or an earlier one. Replaces the default of `at`.
    #[param(inline)]
    pub until: Option<UntilInput>,
    /// Facts of this wing or of none.
    pub wing: Option<String>,
    /// How many facts at most.
    #[param(inline)]
    pub limit: Option<ListLimit>,
    /// Where a list before this one left off.
    pub cursor: Option<String>,
}

impl FactsParams {
    /// As a request for facts.
    ///
    /// # Errors
    /// When `at` and a stretch of time are both given, or the stretch ends before it begins.
    pub fn into_facts(self) -> Result<FactsRequest, Failure> {
        let when = match (self.at, self.stretch()?) {
            (Some(_), Some(_)) => {
                return Err(Failure::field("at", "give either `at` or `from` and `until`, not both"));
            }
            (Some(WhenInput(when)), None) => when,
            (None, Some(stretch)) => stretch,
            (None, None) => When::Now,
        };
        Ok(self.request(when))
    }

    /// As a request for a timeline.
    ///
    /// # Errors
    /// When no entity is given, or `at` asks for less than all times, or the stretch ends before it begins.
    pub fn into_timeline(self) -> Result<FactsRequest, Failure> {
        if self.entity.is_none() {
            return Err(Failure::field("entity", "is missing; a timeline is about one entity"));
        }
        if self.at.is_some_and(|at| at.0 != When::Any) {
            return Err(Failure::field("at", "a timeline shows all times; narrow it with `from` and `until`"));
        }
        let when = self.stretch()?.unwrap_or(When::Any);
        Ok(self.request(when))
    }

    fn stretch(&self) -> Result<Option<When>, Failure> {
        let (from, until) = (self.from.map(|at| at.0), self.until.map(|at| at.0));
        if let (Some(from), Some(until)) = (from, until)
            && until < from
        {
            return Err(Failure::field("until", "must not be before `from`"));
        }
        Ok((from.is_some() || until.is_some()).then_some(When::Meets((from, until))))
    }

    fn request(self, at: When) -> FactsRequest {
        FactsRequest {
            entity: self.entity,
            direction: self.direction.map_or(Direction::Both, |word| word.0),
            relation: self.relation,
            at,
            known_at: self.known_at.map_or(Known::Now, |known| known.0),
            wing: self.wing,
            limit: self.limit.unwrap_or_default().0,
            cursor: self.cursor,
        }
    }
}
