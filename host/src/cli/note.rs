//! Notes in files: a text, with an optional header that says when and how it was told.
//!
//! ```text
//! ---
//! reference_time: 2022-03-14
//! title: Anna joins
//! ---
//! Anna Weber joined Acme in March 2022.
//! ```

use crate::nearest::nearest;

/// What a header may say: the fields of `remember` that are about one text.
const FIELDS: [&str; 8] = ["reference_time", "title", "kind", "session_id", "wing", "speaker", "language", "timezone"];

/// A text and what its header says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// Field and value, in the order of the header.
    pub(crate) header: Vec<(&'static str, String)>,
    /// The text without the header, and without blanks around it.
    pub(crate) text: String,
}

/// Reads a note. A file that doesn't begin with a line `---` is text as a whole.
pub(crate) fn parse(content: &str) -> Result<Note, String> {
    let content = content.strip_prefix('\u{FEFF}').unwrap_or(content);
    let plain = || Note { header: Vec::new(), text: content.trim().to_owned() };
    let mut lines = content.split_inclusive('\n');
    if lines.next().map(str::trim_end) != Some("---") {
        return Ok(plain());
    }
    let mut header: Vec<(&'static str, String)> = Vec::new();
    for line in lines.by_ref() {
        let line = line.trim();
        if line == "---" {
            let text = lines.collect::<String>().trim().to_owned();
            return Ok(Note { header, text });
        }
        // A rule above a paragraph is no header.
        let Some((name, value)) = line.split_once(':') else { return Ok(plain()) };
        let (name, value) = (name.trim(), value.trim());
        let Some(&field) = FIELDS.iter().find(|field| **field == name) else {
            let hint = nearest(name, FIELDS).map_or(FIELDS.join(", "), str::to_owned);
            return Err(format!("the header has no field {name}; did you mean {hint}?"));
        };
        if header.iter().any(|(known, _)| *known == field) {
            return Err(format!("the header gives {field} twice"));
        }
        header.push((field, value.to_owned()));
    }
    Err("the header is not closed; end it with a line ---".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(header: &[(&'static str, &str)], text: &str) -> Result<Note, String> {
        let header = header.iter().map(|(field, value)| (*field, (*value).to_owned())).collect();
        Ok(Note { header, text: text.to_owned() })
    }

    #[test]
    fn a_header_is_read_and_taken_off() {
        let content = "---\nreference_time: 2022-03-14\ntitle: Anna: day one\n---\n\nAnna joined Acme.\n";
        assert_eq!(
            parse(content),
            note(&[("reference_time", "2022-03-14"), ("title", "Anna: day one")], "Anna joined Acme.")
        );
        assert_eq!(parse(&content.replace('\n', "\r\n")), parse(content));
    }

    #[test]
    fn a_file_without_header_is_all_text() {
        for content in ["Anna joined Acme.", "Anna joined Acme.\n---\nkind: x\n---", "---\nA rule above.\n"] {
            assert_eq!(parse(content), note(&[], content.trim()));
        }
    }

    #[test]
    fn a_header_that_nobody_understands_is_an_error() {
        for (content, problem) in [
            ("---\nrefrence_time: 2022\n---\nx", "the header has no field refrence_time; did you mean reference_time?"),
            ("---\ntitle: a\ntitle: b\n---\nx", "the header gives title twice"),
            ("---\ntitle: a\n", "the header is not closed; end it with a line ---"),
        ] {
            assert_eq!(parse(content), Err(problem.to_owned()), "{content}");
        }
    }
}
