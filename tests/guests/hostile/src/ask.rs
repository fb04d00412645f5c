//! Questions to a language model: as many as are asked for, or without end.

use crate::bindings::exports::gligabao::memory::{recall, remember};
use crate::bindings::gligabao::memory::llm::{Completion, LlmError, Prompt, complete};
use crate::bindings::gligabao::memory::storage::{Dataset, Snapshot, Turn};
use crate::bindings::gligabao::memory::types::Failure;
use crate::polite;

/// `ask 3` asks three questions at once, `ask endlessly` one after the other until one is refused. The answer is what
/// came back, and what the snapshot says afterwards.
pub(crate) fn query(snapshot: &Snapshot, deed: &str) -> recall::QueryAnswer {
    let told = told(deed);
    let after = match snapshot.head() {
        Ok(head) => format!("version {}", head.version),
        Err(error) => format!("{error:?}"),
    };
    let answer = format!("{told}; {after}");
    let (mode, evidence) = (recall::QueryMode::Evidence, Vec::new());
    recall::QueryAnswer { answer, mode, evidence, series: Vec::new(), used: Vec::new(), stages: Vec::new() }
}

/// Asks between the reading and the writing of a commit.
pub(crate) fn remember(dataset: &Dataset, deed: &str) -> Result<remember::Answer, Failure> {
    let snapshot = dataset.latest(Turn::Race).map_err(polite::refused)?;
    let told = told(deed);
    let plan = polite::plan(&snapshot, told).map_err(|failure| polite::failure(&failure.message))?;
    let committed = dataset.commit(&plan).map_err(polite::refused)?;
    Ok(polite::answer(committed.seq))
}

fn told(deed: &str) -> String {
    let words: Vec<String> = match deed.strip_prefix("ask ").and_then(|count| count.parse().ok()) {
        Some(count) => complete(&(0..count).map(prompt).collect::<Vec<_>>()).iter().map(word).collect(),
        None => endlessly(),
    };
    words.join(", ")
}

fn endlessly() -> Vec<String> {
    let mut asked = 0_u32;
    loop {
        match complete(&[prompt(asked)]).as_slice() {
            [Ok(_)] => asked += 1,
            refused => return vec![asked.to_string(), refused.iter().map(word).collect()],
        }
    }
}

fn prompt(number: u32) -> Prompt {
    Prompt {
        stage: "query".to_owned(),
        model: None,
        system: "of the component".to_owned(),
        document: format!("{{\"stage\":\"query\",\"question\":{number}}}"),
        schema: "{}".to_owned(),
    }
}

fn word(answer: &Result<Completion, LlmError>) -> String {
    match answer {
        Ok(completion) => completion.text.clone(),
        Err(LlmError::Missing(words)) => format!("missing: {words}"),
        Err(LlmError::Limited(seconds)) => format!("limited: {seconds}"),
        Err(LlmError::Refused(words)) => format!("refused: {words}"),
        Err(LlmError::Unavailable(words)) => format!("unavailable: {words}"),
    }
}
