//! Stages of a call, for its log: what each gave, as one JSON document without a user's text.

use serde::Serialize;

use crate::model::{Failure, Stage};

/// Items of a list that a stage shows; it tells how many there are.
pub(crate) const SHOWN: usize = 50;

/// The stages of a call in the order in which they ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    stages: Vec<Stage>,
    /// What the next ones work on.
    label: Option<String>,
}

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
        self.stages.push(Stage { name: name.to_owned(), label: self.label.clone(), output, error });
    }

    /// Does something whose stages work on this; `None`: on the text or question of the call.
    pub(crate) fn about<T>(&mut self, label: Option<String>, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.label, label);
        let done = work(self);
        self.label = before;
        done
    }

    /// Takes in what came later.
    pub(crate) fn append(&mut self, later: Self) {
        self.stages.extend(later.stages);
    }

    /// The stages.
    pub(crate) fn into_stages(self) -> Vec<Stage> {
        self.stages
    }

    /// A failure of the call, with the stages that it reached.
    pub(crate) fn fail(self, failure: Failure) -> Failure {
        Failure { stages: self.stages, ..failure }
    }
}

/// The first items of a list.
pub(crate) fn shown<T>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    items.into_iter().take(SHOWN).collect()
}
