//! One call, told from its beginning to its end.

use serde_json::Value;

use super::super::screen::{self, BAD, FAINT, GOOD, NAME, STRONG, paint};
use super::{clock, dollars, duration, tokens, took, usage};
use crate::store::RunStatus;
use crate::wire::run::{ModelCall, Run, RunDetail, RunStage};

/// Lines of an output that are shown.
const MAX_LINES: usize = 12;

/// Columns where nothing says how many there are.
const PIPE_WIDTH: usize = 120;

/// The whole story.
pub(super) fn trajectory(detail: &RunDetail) -> String {
    let mut text = head(&detail.run);
    for (number, stage) in detail.stages.iter().enumerate() {
        text += &told(number + 1, stage);
    }
    if !detail.model_calls.is_empty() {
        text += &format!("\n{}\n", paint(STRONG, "Asked of models in stages that did not end"));
        detail.model_calls.iter().for_each(|call| text += &asked(call, true));
    }
    text
}

fn head(run: &Run) -> String {
    let style = match run.status.0 {
        RunStatus::Done => GOOD,
        RunStatus::Failed | RunStatus::Running => BAD,
    };
    let title = paint(STRONG, &format!("Run {}: {}", run.run_id, run.kind));
    let mut text = format!("{title}, {}\n", paint(style, &run.status.to_string()));
    let mut line = |name: &str, value: &str| text += &format!("{}{value}\n", paint(FAINT, &screen::fit(name, 16)));
    line("began", &format!("{} UTC", clock(run.started_at)));
    if let Some(took) = took(run) {
        line("took", &took);
    }
    if let Some(llm) = &run.llm {
        line("models", &usage(llm));
    }
    for (name, value) in run.params.as_object().into_iter().flatten() {
        line(name, &value.as_str().map_or_else(|| value.to_string(), super::line));
    }
    if let Some(error) = &run.error {
        text += &format!("{}{}\n", paint(FAINT, &screen::fit("error", 16)), paint(BAD, error));
    }
    text
}

fn told(number: usize, stage: &RunStage) -> String {
    let label = stage.label.as_ref().map_or_else(String::new, |label| format!("  {label}"));
    let mut text = format!("\n{number} {}{label}\n", paint(NAME, &stage.name));
    stage.model_calls.iter().for_each(|call| text += &asked(call, false));
    if let Some(error) = &stage.error {
        text += &format!("  {}\n", paint(BAD, error));
    }
    text + &output(&stage.output)
}

/// One question to a model, on one line.
fn asked(call: &ModelCall, name_stage: bool) -> String {
    let stage = if name_stage { format!("{}: ", call.stage) } else { String::new() };
    let mut parts = vec![format!("{stage}asked {} of {}", call.model, call.provider)];
    parts.extend(call.reasoning.as_ref().map(|reasoning| format!("reasoning {reasoning}")));
    parts.extend(tokens(call.tokens_in, call.tokens_out).map(|tokens| format!("{tokens} tokens")));
    parts.extend(call.cost_usd.map(dollars));
    parts.push(duration(call.latency_ms));
    if call.attempts > 1 {
        parts.push(format!("{} attempts", call.attempts));
    }
    let mut text = format!("  {}\n", paint(FAINT, &parts.join(", ")));
    if let Some(error) = &call.error {
        text += &format!("  {}\n", paint(BAD, error));
    }
    text
}

/// The beginning of what a stage gave.
fn output(output: &Value) -> String {
    if output.is_null() {
        return String::new();
    }
    let width = screen::width().unwrap_or(PIPE_WIDTH).saturating_sub(2);
    let short = output.to_string();
    if screen::columns(&short) <= width {
        return format!("  {short}\n");
    }
    let pretty = serde_json::to_string_pretty(output).unwrap_or(short);
    let mut lines = pretty.lines();
    let mut text = String::new();
    for line in lines.by_ref().take(MAX_LINES) {
        text += &format!("  {}\n", screen::fit(line, width).trim_end());
    }
    match lines.count() {
        0 => text,
        left => text + &format!("  {}\n", paint(FAINT, &format!("… {left} more lines; --json shows all"))),
    }
}
