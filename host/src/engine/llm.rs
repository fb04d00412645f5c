//! The `llm` import: asks the operator's model what a guest wants to know, and holds nothing of others meanwhile.
//!
//! A guest decides what is asked; how much at a time, how often and with which instructions is settled here. While a
//! model thinks, a call has neither a place nor a reader of the store, and none of its CPU time passes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gligabao_core::convert::Convert;
use tokio::sync::Semaphore;
use tokio::task::{Id, JoinError, JoinSet};

use super::bindings::gligabao::memory::llm::{self as wit, Host};
use super::incident::new_id;
use super::limits::Limits;
use super::state::State;
use super::storage::SnapshotHandle;
use crate::llm::{Answer, Completion, LanguageModel, LlmError, ModelCall, Prompt, Prompts};

/// What a caller can do about it.
const MISSING: &str = "no language model is configured; use the extractor `pattern`, which needs none, or have the \
                       operator name a model with --llm-url and --llm-model";

/// Seconds after which there may be room for another call that asks.
const COME_BACK: u32 = 5;

/// The model that calls ask, and what the operator tells it.
pub(crate) struct Llm {
    pub(crate) model: Arc<dyn LanguageModel>,
    pub(crate) prompts: Prompts,
}

/// The model calls of one call, as they end. They are there too when the call is cancelled.
#[derive(Clone, Default)]
pub(super) struct Calls(Arc<Mutex<Vec<ModelCall>>>);

impl Calls {
    fn push(&self, call: ModelCall) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }

    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Those that have ended by now.
    pub(super) fn so_far(&self) -> Vec<ModelCall> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes them out.
    pub(super) fn take(&self) -> Vec<ModelCall> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Host for State {
    async fn complete(
        &mut self,
        prompts: Vec<wit::Prompt>,
    ) -> wasmtime::Result<Vec<Result<wit::Completion, wit::LlmError>>> {
        let count = prompts.len();
        let answers = match self.ask(prompts).await {
            Ok(answers) => answers,
            Err(error) => vec![Err(error); count],
        };
        Ok(answers.into_iter().map(Convert::convert).collect())
    }
}

impl State {
    /// Asks them all, or none.
    async fn ask(&mut self, prompts: Vec<wit::Prompt>) -> Result<Vec<Result<Completion, LlmError>>, LlmError> {
        let Some(llm) = self.llm.clone() else { return Err(LlmError::Missing(MISSING.to_owned())) };
        let prompts: Vec<Prompt> = prompts.into_iter().map(|asked| prompt(asked, &llm.prompts)).collect();
        check(&prompts, self.calls.len(), &self.limits)?;
        if prompts.is_empty() {
            return Ok(Vec::new());
        }
        if !self.room.leave() {
            return Err(LlmError::Limited(COME_BACK));
        }
        let (room, calls, limits) = (Arc::clone(&self.room), self.calls.clone(), self.limits);
        let snapshots = self.table.iter_mut().filter_map(|entry| entry.downcast_mut::<SnapshotHandle>());
        let snapshots: Vec<_> = snapshots.collect();
        let away = async {
            for snapshot in snapshots {
                snapshot.release().await;
            }
            let answers = side_by_side(&llm.model, prompts, &calls, &limits).await;
            room.come_back().await;
            answers
        };
        Ok(self.cpu.away(away).await)
    }
}

/// Whether a call may ask so much.
fn check(prompts: &[Prompt], asked: usize, limits: &Limits) -> Result<(), LlmError> {
    let refused = |words: String| Err(LlmError::Refused(words));
    if prompts.len() > limits.prompts {
        return refused(format!("a call asks a language model at most {} questions at once", limits.prompts));
    }
    if asked + prompts.len() > limits.model_calls {
        return refused(format!("a call asks a language model at most {} questions", limits.model_calls));
    }
    let bytes: usize = prompts.iter().map(bytes).sum();
    if bytes > limits.prompt_bytes {
        let words = format!("{bytes} bytes of prompts, at most {} go at once; send less text", limits.prompt_bytes);
        return refused(words);
    }
    Ok(())
}

fn bytes(prompt: &Prompt) -> usize {
    let Prompt { stage, model, system, document, schema } = prompt;
    stage.len() + model.as_ref().map_or(0, String::len) + system.len() + document.len() + schema.len()
}

/// Questions that are on their way. When nobody waits for them any more, that is what the run log says of them.
struct Asked<'a> {
    stages: HashMap<Id, (usize, String)>,
    calls: &'a Calls,
    start: Instant,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        for (_, stage) in self.stages.values() {
            let error = Some("the call ended before the answer came".to_owned());
            let call = ModelCall { error, ..ModelCall::new(stage, "", "") }.after(self.start.elapsed());
            self.calls.push(call);
        }
    }
}

/// Answers in the order of the prompts, a few at a time. Those that are asked when nobody waits any more are dropped.
async fn side_by_side(
    model: &Arc<dyn LanguageModel>,
    prompts: Vec<Prompt>,
    calls: &Calls,
    limits: &Limits,
) -> Vec<Result<Completion, LlmError>> {
    let lost = || Err(LlmError::Unavailable("the language model was not asked".to_owned()));
    let mut answers: Vec<_> = prompts.iter().map(|_| lost()).collect();
    let turns = Arc::new(Semaphore::new(limits.side_by_side.max(1)));
    let mut tasks = JoinSet::new();
    let mut asked = Asked { stages: HashMap::new(), calls, start: Instant::now() };
    for (index, prompt) in prompts.into_iter().enumerate() {
        let (model, turns, limit) = (Arc::clone(model), Arc::clone(&turns), limits.answer);
        let stage = prompt.stage.clone();
        // A task of its own: what breaks in a model's client breaks nothing else.
        let task = tasks.spawn(async move {
            let _turn = turns.acquire().await;
            tokio::time::timeout(limit, model.complete(&prompt)).await
        });
        asked.stages.insert(task.id(), (index, stage));
    }
    while let Some(joined) = tasks.join_next_with_id().await {
        let id = joined.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let (index, stage) = asked.stages.remove(&id).expect("each task ends once");
        let answer = match joined {
            Ok((_, Ok(answer))) => answer,
            Ok((_, Err(_))) => failed(&stage, format!("no answer within {} s", limits.answer.as_secs_f64())),
            Err(error) => {
                let incident = new_id();
                tracing::error!(incident, panicked = error.is_panic(), "the client of a language model broke");
                failed(&stage, format!("the client of the language model broke; report incident {incident}"))
            }
        };
        calls.push(answer.call);
        answers[index] = answer.result;
    }
    answers
}

/// The answer of a client that gave none.
fn failed(stage: &str, why: String) -> Answer {
    let call = ModelCall { error: Some(why.clone()), attempts: 1, ..ModelCall::new(stage, "", "") };
    Answer { result: Err(LlmError::Unavailable(why)), call }
}

/// What is asked, with the operator's instructions where there are any.
fn prompt(asked: wit::Prompt, prompts: &Prompts) -> Prompt {
    let asked: Prompt = asked.convert();
    let system = prompts.get(&asked.stage).map_or(asked.system, str::to_owned);
    Prompt { system, ..asked }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Answers the first question, and no other.
    struct Slow;

    #[async_trait::async_trait]
    impl LanguageModel for Slow {
        async fn complete(&self, prompt: &Prompt) -> Answer {
            if prompt.document != "0" {
                std::future::pending::<()>().await;
            }
            let completion = Completion { text: String::new(), model: "slow".to_owned() };
            Answer { result: Ok(completion), call: ModelCall::new(&prompt.stage, "slow", "") }
        }
    }

    #[tokio::test]
    async fn what_was_asked_is_known_when_the_call_ends_before_the_answer() {
        let calls = Calls::default();
        let prompt = |document: u32| Prompt {
            stage: "query".to_owned(),
            model: None,
            system: String::new(),
            document: document.to_string(),
            schema: String::new(),
        };
        let model: Arc<dyn LanguageModel> = Arc::new(Slow);
        let limits = Limits::default();
        let asking = side_by_side(&model, vec![prompt(0), prompt(1)], &calls, &limits);
        assert!(tokio::time::timeout(Duration::from_millis(20), asking).await.is_err());
        let calls = calls.take();
        let shown: Vec<_> = calls.iter().map(|call| (&*call.stage, &*call.model, call.error.is_some())).collect();
        assert_eq!(shown, [("query", "slow", false), ("query", "", true)]);
    }
}
