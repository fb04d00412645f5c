//! What is wrong with a request that could not be read, in words for the one who wrote it.
//!
//! serde says it for programmers and repeats the values that it was given; this says which field, what it must be, and,
//! for an unknown name, which known one is nearest.

use std::fmt::Display;

use serde_path_to_error::Segment;

use super::error::ApiError;
use crate::nearest::nearest;
use crate::wire::RESERVED_FIELDS;

/// An error about the field that serde stopped at. `what` is the noun for a name: `field` or `parameter`.
pub(crate) fn explain<E: Display>(error: &serde_path_to_error::Error<E>, what: &str) -> ApiError {
    let message = error.inner().to_string();
    let message = without_position(&message);
    let mut path = Path::of(error.path());
    if let Some(rest) = message.strip_prefix("unknown field `") {
        // The path ends with the name; the message names it too, but may cut it short at a backtick.
        let known: Vec<_> = rest.rsplit_once("`, expected ").map_or_else(Vec::new, |(_, list)| quoted(list));
        let name = path.last.clone().unwrap_or_default();
        return ApiError::field(path.text, unknown(&name, &known, what));
    }
    for (prefix, verdict) in [("missing field `", "is missing"), ("duplicate field `", "is given twice")] {
        if let Some(name) = message.strip_prefix(prefix) {
            path.push(name.trim_end_matches('`'));
            return ApiError::field(path.text, verdict);
        }
    }
    if let Some((_, verdict)) = PARSED.iter().find(|(parsed, _)| *parsed == message) {
        return ApiError::field(path.text, *verdict);
    }
    let verdict = match message.rsplit_once(", expected ") {
        Some((given, expected)) if given.starts_with("invalid ") => {
            format!("must be {}, not {}", noun(expected), given_kind(given))
        }
        _ => message.to_owned(),
    };
    if path.text.is_empty() {
        ApiError::malformed(format!("the body {verdict}"))
    } else {
        ApiError::field(path.text, verdict)
    }
}

/// What Rust says of a parameter that is no number or no truth value, and what its writer is told.
const PARSED: [(&str, &str); 4] = [
    ("cannot parse integer from empty string", "must be a whole number"),
    ("invalid digit found in string", "must be a whole number"),
    ("number too large to fit in target type", "must be a whole number of at most 20 digits"),
    ("provided string was not `true` or `false`", "must be true or false"),
];

/// What to say about a name that nothing knows.
fn unknown(name: &str, known: &[&str], what: &str) -> String {
    if RESERVED_FIELDS.contains(&name) {
        return format!("is reserved for a later version; leave this {what} out");
    }
    match nearest(name, known.iter().copied()) {
        Some(hint) => format!("there is no such {what}; did you mean {hint}?"),
        None => format!("there is no such {what}; known are {}", known.join(", ")),
    }
}

/// Where in the request: the path as text, and its last name.
struct Path {
    text: String,
    last: Option<String>,
}

impl Path {
    fn of(path: &serde_path_to_error::Path) -> Self {
        let last = path.iter().next_back().and_then(|segment| match segment {
            Segment::Map { key } => Some(key.clone()),
            _ => None,
        });
        let text = path.to_string();
        Self { text: if text == "." { String::new() } else { shorten(&text) }, last }
    }

    fn push(&mut self, name: &str) {
        if self.last.as_deref() == Some(name) {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('.');
        }
        self.text.push_str(name);
    }
}

/// A name is the caller's, so it may be of any length.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(64) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// serde_json puts the position behind every message; with a field named it only distracts.
fn without_position(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(message, _)| message)
}

/// The names in "`a`, `b` or `c`".
fn quoted(list: &str) -> Vec<&str> {
    list.split('`').skip(1).step_by(2).collect()
}

/// Of "invalid type: string \"…\"" the kind: the value is not repeated.
fn given_kind(given: &str) -> &str {
    let value = given.split_once(": ").map_or(given, |(_, value)| value);
    let kind = value.find(['"', '`']).map_or(value, |end| &value[..end]).trim();
    match kind {
        "map" => "an object",
        "sequence" => "an array",
        "string" => "a string",
        "boolean" => "a boolean",
        "integer" => "a number",
        "floating point" => "a number with a fraction",
        other => other,
    }
}

/// serde's name of a Rust type as a reader of JSON says it.
fn noun(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "i32" | "i64" | "usize" => "a whole number",
        "f64" => "a number",
        "a sequence" => "an array",
        "a map" => "an object",
        _ if expected.starts_with("struct ") => "an object",
        other => other,
    }
}
