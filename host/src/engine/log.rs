//! What a guest may leave in the log of its call: of a reasonable size, and JSON where it says so.

use gligabao_core::model::Stage;
use serde_json::Value;

use super::incident::truncate;
use crate::store::RunLog;

/// Stages of a call that are kept; a call of many chunks has a few for each of them.
const MAX_STAGES: usize = 10_000;

/// Outputs of a call that are kept, in bytes together.
const MAX_OUTPUTS: usize = 8 << 20;

/// Longest name of a stage, in bytes.
const MAX_NAME: usize = 64;

/// Longest label, in bytes.
const MAX_LABEL: usize = 512;

/// Longest error, in bytes.
const MAX_ERROR: usize = 4 << 10;

/// Longest answer that is kept for later questions, in bytes.
const MAX_ANSWER: usize = 16 << 10;

/// Stages as they are kept.
pub(super) fn stages(stages: Vec<Stage>) -> Vec<Stage> {
    let mut room = MAX_OUTPUTS;
    let kept = stages.into_iter().take(MAX_STAGES);
    kept.map(|stage| {
        let Stage { mut name, mut label, output, mut error } = stage;
        clean(&mut name, MAX_NAME);
        label.iter_mut().for_each(|label| clean(label, MAX_LABEL));
        let output = match room.checked_sub(output.len()) {
            Some(left) => {
                room = left;
                document(output)
            }
            None => {
                error.get_or_insert_with(|| format!("its output of {} bytes is too much to keep", output.len()));
                "null".to_owned()
            }
        };
        error.iter_mut().for_each(|error| clean(error, MAX_ERROR));
        Stage { name, label, output, error }
    })
    .collect()
}

/// A log as it is kept.
pub(super) fn log(log: RunLog) -> RunLog {
    let mut answer = log.answer;
    answer.iter_mut().for_each(|answer| clean(answer, MAX_ANSWER));
    RunLog { stages: stages(log.stages), answer, ..log }
}

/// What is no JSON becomes a string of it.
fn document(output: String) -> String {
    match serde_json::from_str::<Value>(&output) {
        Ok(_) => output,
        Err(_) => Value::from(output).to_string(),
    }
}

/// No database keeps a NUL in a text.
fn clean(text: &mut String, max: usize) {
    text.retain(|c| c != '\0');
    truncate(text, max);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(output: &str) -> Stage {
        Stage { name: "query".to_owned(), label: None, output: output.to_owned(), error: None }
    }

    #[test]
    fn outputs_are_json_whatever_a_guest_says() {
        let deep = "[".repeat(500) + &"]".repeat(500);
        for (output, kept) in [
            (r#"{"answer": "yes"}"#, r#"{"answer": "yes"}"#),
            ("yes", r#""yes""#),
            ("", r#""""#),
            ("{\"a\": \"\0\"}", r#""{\"a\": \"\u0000\"}""#),
            (&deep, &format!("{deep:?}")),
        ] {
            assert_eq!(stages(vec![stage(output)])[0].output, kept);
        }
    }

    #[test]
    fn a_log_has_a_reasonable_size() {
        let long = "é".repeat(MAX_ANSWER);
        let label = Some(long.clone());
        let large = Stage { name: long.clone(), label, error: Some("a\0b".to_owned()), ..stage("1") };
        let outputs = [format!("\"{}\"", "x".repeat(MAX_OUTPUTS - 3)), "22".to_owned(), "3".to_owned()];
        let outputs = outputs.iter().map(|output| stage(output));
        let many = std::iter::repeat_n(stage("1"), MAX_STAGES);
        let all = std::iter::once(large).chain(outputs).chain(many).collect();
        let kept = log(RunLog { stages: all, answer: Some(long), ..RunLog::default() });
        assert_eq!(kept.stages.len(), MAX_STAGES);
        assert!(kept.stages[0].name.len() <= MAX_NAME && kept.answer.is_some_and(|answer| answer.len() <= MAX_ANSWER));
        assert!(kept.stages[0].label.as_ref().is_some_and(|label| label.len() <= MAX_LABEL));
        assert_eq!(kept.stages[0].error.as_deref(), Some("ab"));
        let without = |stage: &Stage| stage.output == "null" && stage.error.is_some();
        assert_eq!(kept.stages[1..4].iter().map(without).collect::<Vec<_>>(), [false, true, true]);
    }
}
