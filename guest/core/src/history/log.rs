//! The file of a run: what was asked for, what was reached, and what models were asked on the way.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::model::{ModelCall, Run};

/// Deepest level that is indented further.
const MAX_INDENT: usize = 32;

/// The file of a run. What storage has as JSON is in it token by token, so that numbers stay as they were written.
pub(super) fn file(run: &Run) -> Vec<u8> {
    let document = Document {
        id: run.id.0,
        seq: run.seq,
        kind: run.kind.as_str(),
        status: if run.error.is_some() { "failed" } else { "done" },
        error: run.error.as_deref(),
        session_id: run.session_id.as_deref(),
        started_at: run.started_at.to_string(),
        ended_at: run.ended_at.to_string(),
        changed_at: run.changed_at.map(|at| at.to_string()),
        params: raw(&run.params),
        stages: stages(run),
    };
    let compact = serde_json::to_string(&document).expect("a run is plain data");
    spread(&compact).into_bytes()
}

#[derive(Serialize)]
struct Document<'a> {
    id: u64,
    seq: u64,
    kind: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    started_at: String,
    ended_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_at: Option<String>,
    params: Box<RawValue>,
    stages: Vec<Stage<'a>>,
}

#[derive(Serialize)]
struct Stage<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    model_calls: Vec<Asked<'a>>,
}

#[derive(Serialize)]
struct Asked<'a> {
    model: &'a str,
    provider: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'a str>,
    tokens_in: Option<u64>,
    tokens_out: Option<u64>,
    cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// The stages in order. What models were asked is with the first stage of that name; at the end is what belongs to a
/// stage that was not reached.
fn stages(run: &Run) -> Vec<Stage<'_>> {
    let mut stages: Vec<Stage<'_>> = Vec::new();
    for stage in &run.stages {
        let (label, error, output) = (stage.label.as_deref(), stage.error.as_deref(), Some(raw(&stage.output)));
        stages.push(Stage { name: &stage.name, label, error, output, model_calls: Vec::new() });
    }
    for call in &run.model_calls {
        let place = stages.iter().position(|stage| stage.name == call.stage).unwrap_or_else(|| {
            let (label, error, output) = (None, None, None);
            stages.push(Stage { name: &call.stage, label, error, output, model_calls: Vec::new() });
            stages.len() - 1
        });
        stages[place].model_calls.push(asked(call));
    }
    stages
}

fn asked(call: &ModelCall) -> Asked<'_> {
    let ModelCall { model, provider, reasoning, tokens_in, tokens_out, cost_usd, error, .. } = call;
    let (reasoning, error) = (reasoning.as_deref(), error.as_deref());
    let (tokens_in, tokens_out, cost_usd) = (*tokens_in, *tokens_out, *cost_usd);
    Asked { model, provider, reasoning, tokens_in, tokens_out, cost_usd, error }
}

/// A document as it is; what is none is a string.
fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned())
        .or_else(|_| RawValue::from_string(serde_json::Value::from(json).to_string()))
        .expect("a string is JSON")
}

/// The same JSON, an item a line.
fn spread(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut quoted = Quoted::No;
    // After an opening bracket a line breaks only if something is in it.
    let mut is_open = false;
    for c in json.chars() {
        if quoted != Quoted::No {
            out.push(c);
            quoted = quoted.after(c);
            continue;
        }
        if matches!(c, ' ' | '\t' | '\r' | '\n') {
            continue;
        }
        let closes = matches!(c, '}' | ']');
        depth -= usize::from(closes);
        if is_open != closes {
            line(&mut out, depth);
        }
        is_open = matches!(c, '{' | '[');
        depth += usize::from(is_open);
        out.push(c);
        match c {
            ':' => out.push(' '),
            ',' => line(&mut out, depth),
            '"' => quoted = Quoted::Yes,
            _ => {}
        }
    }
    out.push('\n');
    out
}

/// Where a character stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoted {
    No,
    Yes,
    Escaped,
}

impl Quoted {
    /// Where the next one stands.
    fn after(self, c: char) -> Self {
        match (self, c) {
            (Self::Yes, '"') => Self::No,
            (Self::Yes, '\\') => Self::Escaped,
            _ => Self::Yes,
        }
    }
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    (0..depth.min(MAX_INDENT)).for_each(|_| out.push_str("  "));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn json_is_spread_over_lines_and_its_tokens_stay() {
        for (json, expected) in [
            ("{}", "{}\n"),
            (" [ ] ", "[]\n"),
            ("1.0", "1.0\n"),
            ("\"a\\\"{,}\"", "\"a\\\"{,}\"\n"),
            ("{\"b\":[1.50,{}],\"a\":\"\\\\\"}", "{\n  \"b\": [\n    1.50,\n    {}\n  ],\n  \"a\": \"\\\\\"\n}\n"),
            ("123456789012345678901234567890", "123456789012345678901234567890\n"),
        ] {
            assert_eq!(spread(json), expected, "{json}");
        }
    }

    #[test]
    fn what_is_no_json_is_a_string() {
        assert_eq!(raw("{\"a\": 1").get(), "\"{\\\"a\\\": 1\"");
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf =
            prop_oneof![Just(Value::Null), any::<i64>().prop_map(Value::from), any::<String>().prop_map(Value::from)];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn spread_json_is_written_as_serde_writes_it(value in json()) {
            let expected = serde_json::to_string_pretty(&value).expect("JSON") + "\n";
            prop_assert_eq!(spread(&value.to_string()), expected);
        }
    }
}
