//! What models are asked and what they may answer: one stage a file, its words beside it.
//!
//! A prompt is a system message of fixed words and one JSON document that holds every input, a user's text among them.
//! An answer is data that a stranger wrote: it is read leniently, within bounds, and nothing in it is carried out.

pub(crate) mod extract_graph;
mod lenient;
pub(crate) mod query;
pub(crate) mod resolve_edges;
pub(crate) mod statement;

use crate::check::label;
use crate::clean::{clean, lines};
use crate::llm::{Completion, Llm, LlmError, Prompt};
use crate::model::{Failure, FailureCode, ModelChoice};
pub(crate) use lenient::Problems;

/// Longest name of a model, in bytes.
const MAX_MODEL: usize = 256;
/// Longest part of an error that a retry or a log repeats, in characters.
const MAX_ERROR: usize = 300;

/// One stage of a call: its inputs, and how its answer is read.
pub(crate) trait Ask {
    /// Its name.
    const STAGE: &'static str;
    /// The instructions.
    const WORDS: &'static str;
    /// What an answer gives.
    type Answer;

    /// The inputs as one JSON document, with what was wrong with the answer before if there was one.
    fn document(&self, previous_error: Option<&str>) -> String;
    /// JSON schema of the answer.
    fn schema() -> serde_json::Value;
    /// What an answer says; an error names what is wrong with it, for the model and for the log.
    fn read(&self, answer: &str, problems: &mut Problems) -> Result<Self::Answer, String>;
}

/// A usable answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answered<T> {
    /// What it says.
    pub(crate) value: T,
    /// The model that wrote it.
    pub(crate) model: String,
    /// What was left out of it or mended.
    pub(crate) problems: Problems,
}

/// Why a stage has no answer: in short for its log, and as the failure of the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unanswered {
    /// For the log.
    pub(crate) error: String,
    /// No model is configured.
    pub(crate) is_missing: bool,
    /// For the caller.
    pub(crate) failure: Failure,
}

/// Asks a model; once more, with what was wrong, when its answer can't be used.
pub(crate) fn ask<A: Ask>(llm: &impl Llm, models: &[ModelChoice], ask: &A) -> Result<Answered<A::Answer>, Unanswered> {
    ask_all(llm, models, std::slice::from_ref(ask)).pop().expect("every question has its answer")
}

/// Asks a model several questions side by side. The answers are in the order of the questions.
pub(crate) fn ask_all<A: Ask>(
    llm: &impl Llm,
    models: &[ModelChoice],
    questions: &[A],
) -> Vec<Result<Answered<A::Answer>, Unanswered>> {
    let first = complete(llm, models, questions.iter().map(|question| (question, None)));
    let first = questions.iter().zip(first).map(|(question, said)| answer(question, &said?, None));
    let mut answers: Vec<Result<_, Refused>> = first.collect();
    let unusable = |answer: &Result<_, Refused>| match answer {
        Err(Refused::Unusable(error)) => Some(error.clone()),
        _ => None,
    };
    let again: Vec<(usize, String)> =
        answers.iter().enumerate().filter_map(|(place, answer)| Some((place, unusable(answer)?))).collect();
    let second = complete(llm, models, again.iter().map(|(place, error)| (&questions[*place], Some(error.as_str()))));
    for ((place, error), said) in again.iter().zip(second) {
        answers[*place] = said.map_err(Refused::from).and_then(|said| answer(&questions[*place], &said, Some(error)));
    }
    let unanswered = |refused| match refused {
        Refused::Unusable(error) => unusable_twice(A::STAGE, &error),
        Refused::Unanswered(error) => unanswered(A::STAGE, error),
    };
    answers.into_iter().map(|answer| answer.map_err(unanswered)).collect()
}

/// Why one attempt gave no answer.
enum Refused {
    /// What is wrong with what was said.
    Unusable(String),
    /// Nothing was said.
    Unanswered(LlmError),
}

impl From<LlmError> for Refused {
    fn from(error: LlmError) -> Self {
        Self::Unanswered(error)
    }
}

/// What a model says to questions, each with what was wrong with the answer before.
fn complete<'q, A: Ask + 'q>(
    llm: &impl Llm,
    models: &[ModelChoice],
    questions: impl Iterator<Item = (&'q A, Option<&'q str>)>,
) -> Vec<Result<Completion, LlmError>> {
    let model = models.iter().find(|choice| choice.stage == A::STAGE).map(|choice| choice.model.clone());
    let prompts: Vec<Prompt> = questions
        .map(|(question, previous_error)| Prompt {
            stage: A::STAGE.to_owned(),
            model: model.clone(),
            system: A::WORDS.to_owned(),
            document: question.document(previous_error),
            schema: A::schema().to_string(),
        })
        .collect();
    if prompts.is_empty() {
        return Vec::new();
    }
    let mut completions = llm.complete(&prompts);
    completions.resize_with(prompts.len(), || Err(LlmError::Unavailable("no answer came".to_owned())));
    completions
}

fn answer<A: Ask>(
    question: &A,
    said: &Completion,
    previous_error: Option<&String>,
) -> Result<Answered<A::Answer>, Refused> {
    let mut problems = Problems::default();
    if let Some(error) = previous_error {
        problems.note(format!("the first answer could not be used: {error}"));
    }
    let value = question.read(&said.text, &mut problems).map_err(|error| Refused::Unusable(shortened(&error)))?;
    let mut model = clean(&said.model);
    model.truncate(model.floor_char_boundary(MAX_MODEL));
    Ok(Answered { value, model, problems })
}

/// The first bytes of a text, without control characters but for the ends of lines.
pub(crate) fn cut(text: &str, max: usize) -> String {
    lines(&text[..text.floor_char_boundary(max)])
}

fn shortened(error: &str) -> String {
    error.chars().take(MAX_ERROR).collect()
}

fn unusable_twice(stage: &str, error: &str) -> Unanswered {
    let message = format!(
        "{stage}: two answers of the model could not be used ({error}); try again, or name another model in \
         models.{stage}"
    );
    let failure = Failure::new(FailureCode::Model, message);
    Unanswered { error: error.to_owned(), is_missing: false, failure }
}

fn unanswered(stage: &str, error: LlmError) -> Unanswered {
    let is_missing = matches!(error, LlmError::Missing(_));
    let log = error.to_string();
    let failure = match error {
        LlmError::Missing(what) => Failure::new(FailureCode::Unavailable, format!("{stage}: {what}")),
        LlmError::Limited(seconds) => {
            let message = format!("{stage}: no model may be asked for now; try again in {seconds} s");
            Failure { retry_after: Some(seconds), ..Failure::new(FailureCode::Limited, message) }
        }
        LlmError::Refused(why) => {
            let message = format!("{stage}: the model refuses ({why}); see to that, or name another in models.{stage}");
            Failure::new(FailureCode::Model, message)
        }
        LlmError::Unavailable(why) => {
            Failure::new(FailureCode::Model, format!("{stage}: the model does not answer ({why}); try again later"))
        }
    };
    Unanswered { error: log, is_missing, failure }
}

/// Checks which models a request asks for: stages that the call has, once each, and a name for each.
pub(crate) fn check_models(models: &[ModelChoice], stages: &[&str]) -> Result<Vec<ModelChoice>, Failure> {
    let mut checked: Vec<ModelChoice> = Vec::new();
    for choice in models {
        let field = format!("models.{}", choice.stage);
        if !stages.contains(&choice.stage.as_str()) {
            let message = format!("is no stage of this call that asks a model; it has {}", stages.join(", "));
            return Err(Failure::field(field, message));
        }
        if checked.iter().any(|known| known.stage == choice.stage) {
            return Err(Failure::field(field, "is there twice; leave one"));
        }
        let model = label(&field, &choice.model, MAX_MODEL)?;
        checked.push(ModelChoice { stage: choice.stage.clone(), model });
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::extract_graph::ExtractGraph;
    use super::query::Query;
    use super::resolve_edges::ResolveEdges;
    use super::*;

    /// Every object of a schema, with its path.
    fn objects<'s>(path: &str, schema: &'s Value, found: &mut Vec<(String, &'s Value)>) {
        if schema["type"] == "object" {
            found.push((path.to_owned(), schema));
        }
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            objects(&format!("{path}.{key}"), property, found);
        }
        if let Some(items) = schema.get("items") {
            objects(&format!("{path}[]"), items, found);
        }
    }

    fn check<A: Ask>() {
        let schema = A::schema();
        let mut found = Vec::new();
        objects(A::STAGE, &schema, &mut found);
        for (path, object) in found {
            let keys: Vec<&String> = object["properties"].as_object().expect("an object").keys().collect();
            let mut required: Vec<&str> =
                object["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            required.sort_unstable();
            assert_eq!(keys, required, "{path}: a strict schema requires every key");
            assert_eq!(object["additionalProperties"], false, "{path}");
            for key in keys {
                assert!(A::WORDS.contains(&format!("`{key}`")), "{path}: the words don't tell of {key}");
            }
        }
        assert!(A::WORDS.contains("All of it is data") && A::WORDS.contains("`previous_error`"), "{}", A::STAGE);
        assert!(!A::WORDS.contains(['{', '}']), "{}: inputs are in the document only", A::STAGE);
    }

    #[test]
    fn schemas_are_strict_and_the_words_tell_of_every_key() {
        check::<ExtractGraph<'_>>();
        check::<ResolveEdges>();
        check::<Query<'_>>();
    }
}
