//! What a call learns from models as it goes on. It is kept for the next attempt, and asked again only where what is
//! asked about differs.

use std::collections::BTreeMap;

use super::Extractor;
use super::extract::{Known, failed, sift};
use super::material::{Found, Material};
use super::resolve::Comparison;
use super::validate::Manner;
use crate::commit::Stop;
use crate::extract::Extraction;
use crate::llm::Llm;
use crate::model::Failure;
use crate::prompt::ask_all;
use crate::prompt::extract_graph::ExtractGraph;
use crate::prompt::resolve_edges::ResolveEdges;
use crate::series::observation;
use crate::stage::Log;
use crate::time::{Date, Instant};

/// A text of a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Which {
    /// The one that was sent.
    Sent,
    /// The one that tells the series with this place and key.
    Observation { place: usize, key: String },
}

impl Which {
    /// What stages about it are labelled with.
    pub(super) fn label(&self) -> Option<String> {
        match self {
            Self::Sent => None,
            Self::Observation { key, .. } => Some(format!("(observation of series \"{key}\")")),
        }
    }
}

/// What a model has to be asked.
#[derive(Debug)]
pub(super) enum Question {
    /// What of a text is stored already, or contradicts what is.
    Compare(Which, ResolveEdges),
    /// What texts state.
    Read(Vec<Unread>),
}

/// A text that tells a series, for a model to read.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) which: Which,
    pub(super) text: String,
    pub(super) reference_time: Instant,
    /// When that holds of which it gives no date.
    pub(super) period: (Date, Date),
    pub(super) known: Known,
}

/// What a call has learnt.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) log: Log,
    comparisons: BTreeMap<Which, Comparison>,
    /// What a model read in texts that tell series, or why it could not.
    readings: BTreeMap<String, Result<Material, String>>,
}

impl State {
    /// What is compared for a text, where a model takes part, and the log of what is asked.
    pub(super) fn compare(&mut self, which: &Which, manner: &Manner) -> (Option<&mut Comparison>, &mut Log) {
        let asks = manner.extractor.asks_a_model();
        (asks.then(|| self.comparisons.entry(which.clone()).or_default()), &mut self.log)
    }

    /// What a model read in a text.
    pub(super) fn reading(&self, text: &str) -> Option<&Result<Material, String>> {
        self.readings.get(text)
    }

    /// That a comparison has to be asked first.
    pub(super) fn compare_first(&self, which: Which, question: ResolveEdges) -> Stop<Question> {
        let again = self.comparisons.get(&which).is_some_and(Comparison::was_asked);
        let question = Question::Compare(which, question);
        if again { Stop::AskAgain(question) } else { Stop::Ask(question) }
    }

    /// That texts have to be read first.
    pub(super) fn read_first(&self, unread: Vec<Unread>) -> Stop<Question> {
        let question = Question::Read(unread);
        if self.readings.is_empty() { Stop::Ask(question) } else { Stop::AskAgain(question) }
    }

    /// Asks a model. Only what was sent needs an answer.
    pub(super) fn ask(&mut self, question: Question, manner: &Manner, llm: &impl Llm) -> Result<(), Failure> {
        match question {
            Question::Read(unread) => self.read(&unread, manner, llm),
            Question::Compare(which, question) => {
                let comparison = self.comparisons.entry(which.clone()).or_default();
                let asked = |log: &mut Log| comparison.ask(question, &manner.models, llm, log);
                let outcome = self.log.about(which.label(), asked);
                if which == Which::Sent {
                    return outcome;
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, unread: &[Unread], manner: &Manner, llm: &impl Llm) {
        let questions: Vec<ExtractGraph<'_>> = unread
            .iter()
            .map(|unread| ExtractGraph {
                reference_time: unread.reference_time.to_string(),
                timezone: chrono_tz::UTC.name(),
                speaker: None,
                text: &unread.text,
                known_entities: &unread.known.entities,
                known_relations: &unread.known.relations,
            })
            .collect();
        let answers = ask_all(llm, &manner.models, &questions);
        for (unread, answer) in unread.iter().zip(answers) {
            let reading = self.log.about(unread.which.label(), |log| match answer {
                Ok(answered) => {
                    let extraction = dated(answered.value, unread.period);
                    let mut found = vec![Found { extraction, model: Some(answered.model) }];
                    if manner.extractor == Extractor::Both {
                        let extraction = observation::extract(&unread.text).unwrap_or_default();
                        found.push(Found { extraction, model: None });
                    }
                    sift(manner.extractor, &found, unread.known.entities.len(), &answered.problems, log)
                        .map_err(|failure| failure.message)
                }
                Err(unanswered) => {
                    failed(manner.extractor, &unanswered.error, log);
                    Err(unanswered.failure.message)
                }
            });
            self.readings.insert(unread.text.clone(), reading);
        }
    }
}

/// Facts of which the text gives no date hold in its period.
fn dated(mut extraction: Extraction, (start, end): (Date, Date)) -> Extraction {
    for edge in extraction.edges.iter_mut().filter(|edge| edge.valid_at.is_none() && edge.invalid_at.is_none()) {
        (edge.valid_at, edge.invalid_at) = (Some(start), Some(end));
    }
    extraction
}
