//! Questions: the facts that a question is about, and an answer made of them, by a model if there is one.

mod evidence;
mod question;
mod sentence;
mod series;

use std::fmt;

use serde::Serialize;

use self::evidence::retrieve;
use self::question::Question;
use super::facts::Belief;
use super::{EvidenceSeries, Fact, QueryAnswer, QueryMode, QueryRequest, Turn};
use crate::check::{MAX_WING, limit, optional_label, text};
use crate::llm::Llm;
use crate::model::{Call, EdgeId, Failure, ModelChoice};
use crate::pattern::{PatternContext, Patterns};
use crate::prompt::query::{self, Query, Said, Spoken};
use crate::prompt::statement::Existing;
use crate::prompt::{Answered, Ask, ask, check_models, cut};
use crate::stage::Log;
use crate::storage::{Snapshot, Validity};
use crate::time::{Date, Instant, Interval, Micros, Precision};

const MAX_QUESTION: usize = 4_096;
const MAX_EVIDENCE: u32 = 100;
/// Turns of a session that a question may bring along.
const MAX_TURNS: usize = 10;
/// Bytes of each question and answer among them that a model is shown.
const MAX_SAID: usize = 4_096;

/// Finds the facts that a question is about, and answers with them. The snapshot is the caller's, so it is held while a
/// model answers.
///
/// # Errors
/// When the request is malformed, the model that it asks for is missing, a model gives no usable answer, or storage
/// fails. Without any model the evidence itself is the answer.
pub fn query<S: Snapshot>(
    snapshot: &S,
    llm: &impl Llm,
    call: &Call,
    request: &QueryRequest,
) -> Result<QueryAnswer, Failure> {
    text("question", &request.question, MAX_QUESTION)?;
    let limit = limit(request.limit, MAX_EVIDENCE)?;
    let wing = optional_label("wing", request.wing.as_deref(), MAX_WING)?;
    let models = check_models(&request.models, &[Query::STAGE])?;
    if request.history.len() > MAX_TURNS {
        let message = format!("has {} turns; send the last {MAX_TURNS} at most", request.history.len());
        return Err(Failure::field("history", message));
    }
    let now = call.now.to_instant();
    let named = || named_time(&request.question, now);
    let time = request.at.map(Date::second).or_else(named).unwrap_or_else(|| Date::second(now));
    let question = Question::read(&request.question);
    let belief = Belief::of(snapshot, request.known_at)?;
    let mut evidence = retrieve(snapshot, &question, request, wing.as_ref(), Asked(time), belief)?;
    let sentence = sentence::answer(&question, &evidence, Asked(time));
    evidence.truncate(limit as usize);
    let series = series::series(snapshot, &evidence, belief, Asked(time))?;
    let mut log = Log::default();
    let spoken = match by_model(llm, call, request, &models, (&evidence, &series), &mut log) {
        Ok(spoken) => spoken,
        Err(failure) => return Err(log.fail(failure)),
    };
    let mode = if spoken.is_some() { QueryMode::Llm } else { QueryMode::Evidence };
    let Spoken { answer, used } = spoken.unwrap_or_else(|| {
        let output = Output {
            mode: mode.as_str(),
            model: None,
            answer: &sentence,
            used: vec![],
            evidence: ids(&evidence),
            series: series_ids(&series),
            problems: vec![],
        };
        log.done(Query::STAGE, &output);
        Spoken { answer: sentence.clone(), used: Vec::new() }
    });
    // What the model used comes first, in its order; the rest stays in order behind.
    evidence.sort_by_key(|fact| used.iter().position(|id| *id == fact.edge.id).unwrap_or(usize::MAX));
    Ok(QueryAnswer { answer, mode, evidence, series, used, stages: log.into_stages() })
}

/// What the stage gave.
#[derive(Serialize)]
struct Output<'a> {
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    answer: &'a str,
    used: Vec<u64>,
    evidence: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    series: Vec<u64>,
    problems: Vec<String>,
}

fn ids(evidence: &[Fact]) -> Vec<u64> {
    evidence.iter().map(|fact| fact.edge.id.0).collect()
}

fn series_ids(series: &[EvidenceSeries]) -> Vec<u64> {
    series.iter().map(|series| series.summary.series.id.0).collect()
}

/// What a model says; `None` where there is nothing to say it of, or no model.
fn by_model(
    llm: &impl Llm,
    call: &Call,
    request: &QueryRequest,
    models: &[ModelChoice],
    (evidence, series): (&[Fact], &[EvidenceSeries]),
    log: &mut Log,
) -> Result<Option<Spoken>, Failure> {
    if evidence.is_empty() && request.history.is_empty() {
        return Ok(None);
    }
    let question = Query {
        now: request.at.unwrap_or_else(|| call.now.to_instant()).to_string(),
        question: &request.question,
        facts: evidence.iter().map(shown).collect(),
        series: series.iter().map(query::Series::of).collect(),
        history: request.history.iter().map(said).collect(),
    };
    match ask(llm, models, &question) {
        Ok(Answered { value, model, problems }) => {
            let output = Output {
                mode: QueryMode::Llm.as_str(),
                model: Some(&model),
                answer: &value.answer,
                used: value.used.iter().map(|id: &EdgeId| id.0).collect(),
                evidence: ids(evidence),
                series: series_ids(series),
                problems: problems.sentences(),
            };
            log.done(Query::STAGE, &output);
            Ok(Some(value))
        }
        Err(unanswered) if unanswered.is_missing && models.is_empty() => Ok(None),
        Err(unanswered) => {
            log.failed(Query::STAGE, &serde_json::json!({"evidence": ids(evidence)}), &unanswered.error);
            Err(unanswered.failure)
        }
    }
}

fn shown(fact: &Fact) -> query::Fact {
    query::Fact { fact: Existing::of(fact), superseded: fact.superseded }
}

fn said(turn: &Turn) -> Said {
    Said { question: cut(&turn.question, MAX_SAID), answer: cut(&turn.answer, MAX_SAID) }
}

/// The time that a question names, unless that includes the present.
fn named_time(question: &str, now: Instant) -> Option<Date> {
    let context = PatternContext { reference_time: now, timezone: chrono_tz::UTC, speaker: None, language: None };
    Patterns::built_in().date(question, &context).filter(|date| !date.contains(now))
}

/// The time that a question is about: an instant, or all of a period.
#[derive(Debug, Clone, Copy)]
struct Asked(Date);

impl Asked {
    /// Its last second.
    fn until(self) -> Instant {
        Instant(self.0.period_end().0 - i64::from(self.0.precision != Precision::Second))
    }

    /// A period from its first to its last time; `None` for an instant.
    fn period(self) -> Option<(Micros, Micros)> {
        let end = Micros(self.0.period_end().to_micros().0 - 1);
        Some((self.0.at.to_micros(), end)).filter(|_| self.0.precision != Precision::Second)
    }

    /// Which facts it is about.
    fn validity(self) -> Validity {
        match self.0.precision {
            Precision::Second => Validity::At(self.0.at),
            _ => Validity::Meets((Some(self.0.at), Some(self.until()))),
        }
    }

    /// Whether a fact holds in it.
    fn meets(self, fact: Interval) -> bool {
        !fact.is_empty() && fact.start <= self.until() && fact.end.is_none_or(|end| self.0.at < end)
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
