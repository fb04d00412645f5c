//! Stages of a call, for its log: what each gave, as one JSON document without a user's text.

use serde::Serialize;

use crate::model::{Failure, Stage};

/// Items of a list that a stage shows; it tells how many there are.
pub(crate) const SHOWN: usize = 50;

/// The stages of a call in the order in which they ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Vec<Stage>);

impl Log {
    /// A stage that gave what it should.
    pub(crate) fn done(&mut self, name: &str, output: &impl Serialize) {
        self.push(name, output, None);
    }

    /// A stage that gave less than it should, or nothing.
    pub(crate) fn failed(&mut self, name: &str, output: &impl Serialize, error: &str) {
        self.push(name, output, Some(error.to_owned()));
    }

    fn push(&mut self, name: &str, output: &impl Serialize, error: Option<String>) {
        let output = serde_json::to_string(output).expect("outputs are plain data");
        self.0.push(Stage { name: name.to_owned(), label: None, output, error });
    }

    /// The stages.
    pub(crate) fn into_stages(self) -> Vec<Stage> {
        self.0
    }

    /// A failure of the call, with the stages that it reached.
    pub(crate) fn fail(self, failure: Failure) -> Failure {
        Failure { stages: self.0, ..failure }
    }
}

/// The first items of a list.
pub(crate) fn shown<T>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    items.into_iter().take(SHOWN).collect()
}
