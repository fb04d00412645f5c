//! A model that says what a script has it say, and remembers what it was asked.

use std::cell::RefCell;

use gligabao_core::llm::{Completion, Llm, LlmError, Prompt};
use serde_json::Value;

/// What the model says to a document of a stage.
type Say<'a> = dyn Fn(&str, &Value) -> Result<String, LlmError> + 'a;

/// A scripted model.
pub(crate) struct Scripted<'a> {
    say: Box<Say<'a>>,
    asked: RefCell<Vec<Prompt>>,
}

impl<'a> Scripted<'a> {
    pub(crate) fn new(say: impl Fn(&str, &Value) -> Result<String, LlmError> + 'a) -> Self {
        Self { say: Box::new(say), asked: RefCell::default() }
    }

    /// Says the same whatever it is asked.
    pub(crate) fn saying(answer: &'a str) -> Self {
        Self::new(move |_, _| Ok(answer.to_owned()))
    }

    /// What it was asked, and forgets it.
    pub(crate) fn take_asked(&self) -> Vec<Prompt> {
        self.asked.take()
    }
}

impl Llm for Scripted<'_> {
    fn complete(&self, prompts: &[Prompt]) -> Vec<Result<Completion, LlmError>> {
        let answers = prompts.iter().map(|prompt| {
            let document: Value = serde_json::from_str(&prompt.document).expect("a document is JSON");
            assert_eq!(document["stage"], prompt.stage.as_str());
            self.asked.borrow_mut().push(prompt.clone());
            (self.say)(&prompt.stage, &document).map(|text| Completion { text, model: "scripted".to_owned() })
        });
        answers.collect()
    }
}
