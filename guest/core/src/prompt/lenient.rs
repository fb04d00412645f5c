//! JSON as models write it: fenced, with words around it, with commas too many. What is left out or mended is told.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::clean::clean;

/// Longest answer that is read, in bytes.
const MAX_ANSWER: usize = 1 << 20;
/// Places in an answer where its JSON is looked for.
const MAX_STARTS: usize = 16;
/// Kinds of problems that are told.
const MAX_PROBLEMS: usize = 20;
/// Longest key of an answer that is told.
const MAX_KEY: usize = 40;

/// What was left out of an answer or mended in it, each kind with how often.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Problems {
    kinds: BTreeMap<String, u32>,
    /// Items that were left out because they are over a limit.
    pub(crate) over_limit: u32,
}

impl Problems {
    /// Adds one.
    pub(crate) fn note(&mut self, problem: impl Into<String>) {
        self.add(problem, 1);
    }

    /// Adds several of a kind, if there are any.
    pub(crate) fn add(&mut self, problem: impl Into<String>, count: usize) {
        let problem = problem.into();
        if count > 0 && (self.kinds.len() < MAX_PROBLEMS || self.kinds.contains_key(&problem)) {
            *self.kinds.entry(problem).or_default() += u32::try_from(count).unwrap_or(u32::MAX);
        }
    }

    /// Adds items that were left out because they are over a limit.
    pub(crate) fn over_limit(&mut self, problem: impl Into<String>, count: usize) {
        self.over_limit = self.over_limit.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        self.add(problem, count);
    }

    /// As sentences.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let sentence = |(problem, count): (&String, &u32)| match count {
            1 => problem.clone(),
            count => format!("{problem} ({count} times)"),
        };
        self.kinds.iter().map(sentence).collect()
    }
}

/// The object of an answer, which has one of these keys.
pub(super) fn object(answer: &str, keys: &[&str], problems: &mut Problems) -> Result<Map<String, Value>, String> {
    if answer.len() > MAX_ANSWER {
        return Err(format!("the answer has {} bytes; at most {MAX_ANSWER} are read", answer.len()));
    }
    let trimmed = answer.trim_start_matches('\u{feff}').trim();
    let object = match serde_json::from_str(trimmed) {
        Ok(Value::Object(object)) => Some(object),
        Ok(Value::Array(mut items)) if items.len() == 1 && items[0].is_object() => {
            problems.note("a list around the answer was taken off");
            items.pop().and_then(|item| if let Value::Object(object) = item { Some(object) } else { None })
        }
        Ok(_) => return Err("the answer is no JSON object".to_owned()),
        Err(_) => {
            let found = search(trimmed, keys);
            problems.add("the JSON had to be found in the answer or mended", usize::from(found.is_some()));
            found
        }
    };
    let object = object.ok_or_else(|| "there is no whole JSON object in the answer".to_owned())?;
    unknown(&object, keys, problems);
    Ok(object)
}

/// Notes the keys that an object has beside these.
pub(super) fn unknown(object: &Map<String, Value>, keys: &[&str], problems: &mut Problems) {
    for key in object.keys().filter(|key| !keys.contains(&key.as_str())) {
        let key: String = clean(key).chars().take(MAX_KEY).collect();
        problems.note(format!("unknown key {key:?} was left out"));
    }
}

/// The first whole object in a text that has one of the keys, else the first one at all.
fn search(text: &str, keys: &[&str]) -> Option<Map<String, Value>> {
    let mut first = None;
    let mut from = 0;
    for _ in 0..MAX_STARTS {
        let Some(start) = text[from..].find('{').map(|at| from + at) else { break };
        let Some(end) = end_of_object(&text[start..]).map(|length| start + length) else {
            // Nothing closes it: it may be a brace of the words around.
            from = start + 1;
            continue;
        };
        let span = &text[start..end];
        let parsed = serde_json::from_str(span).or_else(|_| serde_json::from_str(&without_trailing_commas(span)));
        from = if parsed.is_ok() { end } else { start + 1 };
        let Ok(object) = parsed else { continue };
        let object: Map<String, Value> = object;
        if keys.iter().any(|key| object.contains_key(*key)) {
            return Some(object);
        }
        first = first.or(Some(object));
    }
    first
}

/// Where the object that a text starts with ends; `None` when it doesn't.
fn end_of_object(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The same without commas before a closing bracket.
fn without_trailing_commas(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    // Where in `mended` a comma stands that only white space follows so far.
    let mut comma = None;
    for c in text.chars() {
        if !in_string
            && matches!(c, '}' | ']')
            && let Some(at) = comma
        {
            mended.remove(at);
        }
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        comma = match c {
            ',' if !in_string => Some(mended.len()),
            c if c.is_whitespace() && !in_string => comma,
            _ => None,
        };
        mended.push(c);
    }
    mended
}

/// The items of a list, at most `max` of them; a single object stands for a list of one.
pub(super) fn list<'a>(
    object: &'a Map<String, Value>,
    key: &str,
    max: usize,
    problems: &mut Problems,
) -> Result<Vec<&'a Map<String, Value>>, String> {
    let items = match object.get(key) {
        None => return Err(format!("the key \"{key}\" is missing")),
        Some(Value::Object(item)) => {
            problems.note(format!("{key}: one object was taken for a list of one"));
            return Ok(vec![item]);
        }
        Some(Value::Array(items)) => items,
        Some(other) => return Err(format!("{key}: {} where a list is meant", kind(other))),
    };
    problems.over_limit(format!("{key}: items after the first {max} were dropped"), items.len().saturating_sub(max));
    let item = |(place, item): (usize, &'a Value)| match item {
        Value::Object(item) => Ok(item),
        other => Err(format!("{key}[{place}]: {} where an object is meant", kind(other))),
    };
    items.iter().take(max).enumerate().map(item).collect()
}

/// A string that has to be there; cleaned.
pub(super) fn required(item: &Map<String, Value>, key: &str, place: &str) -> Result<String, String> {
    match item.get(key) {
        Some(Value::String(text)) => Ok(clean(text)),
        None => Err(format!("{place}: the key \"{key}\" is missing")),
        Some(other) => Err(format!("{place}.{key}: {} where a string is meant", kind(other))),
    }
}

/// A string that may be left out or null; cleaned.
pub(super) fn optional(item: &Map<String, Value>, key: &str, place: &str) -> Result<Option<String>, String> {
    match item.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => required(item, key, place).map(Some),
    }
}

/// A whole number that is not negative; digits in a string are one too. `None` when it is a number of another kind.
pub(super) fn number(value: Option<&Value>, place: &str) -> Result<Option<u64>, String> {
    match value {
        Some(Value::Number(number)) => Ok(number.as_u64()),
        Some(Value::String(digits)) if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            Ok(digits.parse().ok())
        }
        None => Err(format!("{place} is missing")),
        Some(other) => Err(format!("{place}: {} where a number is meant", kind(other))),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: &str) -> Result<(String, Vec<String>), String> {
        let mut problems = Problems::default();
        let object = object(answer, &["a", "b"], &mut problems)?;
        Ok((Value::Object(object).to_string(), problems.sentences()))
    }

    #[test]
    fn json_is_found_however_it_is_wrapped() {
        let mended = "the JSON had to be found in the answer or mended";
        for (answer, expected, problems) in [
            (r#"{"a":1}"#, r#"{"a":1}"#, vec![]),
            ("\u{feff} {\"a\":1}\n", r#"{"a":1}"#, vec![]),
            (r#"[{"a":1}]"#, r#"{"a":1}"#, vec!["a list around the answer was taken off"]),
            ("```json\n{\"a\":[1,2,],}\n```", r#"{"a":[1,2]}"#, vec![mended]),
            ("Here {you} are: {\"a\":\",}\"} {\"b\":2}", r#"{"a":",}"}"#, vec![mended]),
            ("Thinking: {\"x\":1}. So: {\"b\":\"}\\\"\"}!", r#"{"b":"}\""}"#, vec![mended]),
            (r#"{"a":1,"c":2}"#, r#"{"a":1,"c":2}"#, vec!["unknown key \"c\" was left out"]),
            ("{ {\"a\": 1 , \n}", r#"{"a":1}"#, vec![mended]),
        ] {
            let problems: Vec<String> = problems.into_iter().map(str::to_owned).collect();
            assert_eq!(read(answer), Ok((expected.to_owned(), problems)), "{answer}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused_and_nothing_overflows() {
        let none = "there is no whole JSON object in the answer";
        for answer in [
            String::new(),
            "I can't do that.".to_owned(),
            r#"{"a": [1, "#.to_owned(),
            r#"{"a": NaN}"#.to_owned(),
            r#"{"a": 1e999}"#.to_owned(),
            "[".repeat(1 << 20),
            "{".repeat(1 << 20),
            "{\"a\":".repeat(100_000),
            format!("{}{}", "{\"a\":[".repeat(50_000), "]}".repeat(50_000)),
            "\0".to_owned(),
        ] {
            assert_eq!(read(&answer), Err(none.to_owned()), "{answer:.40}");
        }
        assert_eq!(read("3"), Err("the answer is no JSON object".to_owned()));
        assert!(read(&" ".repeat((1 << 20) + 1)).unwrap_err().contains("bytes"));
    }

    #[test]
    fn problems_are_counted() {
        let mut problems = Problems::default();
        for _ in 0..3 {
            problems.note("x");
        }
        problems.add("y", 0);
        assert_eq!(problems.sentences(), ["x (3 times)"]);
        for n in 0..100 {
            problems.note(n.to_string());
        }
        assert_eq!(problems.sentences().len(), MAX_PROBLEMS);
    }
}
