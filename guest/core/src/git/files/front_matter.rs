//! Front matter: keys and values in YAML between `---` lines, then a text as it is.
//!
//! Strings are always double-quoted on one line, so that none of them is read as something else, ends the front matter or
//! begins another key. Source: "Double-Quoted Style" (7.3.1) and "Escaped Characters" (5.7) of YAML 1.2.

use std::fmt::{Display, Write as _};

/// Front matter that is being written. Keys are words of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatter(String);

impl FrontMatter {
    /// Without keys.
    #[must_use]
    pub fn new() -> Self {
        Self("---\n".to_owned())
    }

    /// With a string.
    #[must_use]
    pub fn text(mut self, key: &'static str, value: impl Display) -> Self {
        self.key(key);
        self.0.push(' ');
        quote(&mut self.0, &value.to_string());
        self.0.push('\n');
        self
    }

    /// With a string, if there is one.
    #[must_use]
    pub fn maybe_text(self, key: &'static str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// With a number or truth value.
    #[must_use]
    pub fn plain(mut self, key: &'static str, value: impl Into<Plain>) -> Self {
        self.key(key);
        let _ = match value.into() {
            Plain::Integer(value) => writeln!(self.0, " {value}"),
            Plain::Fraction(value) if value.is_finite() => writeln!(self.0, " {value:?}"),
            Plain::Fraction(_) => writeln!(self.0, " null"),
            Plain::Truth(value) => writeln!(self.0, " {value}"),
        };
        self
    }

    /// With strings on one line, if there are any.
    #[must_use]
    pub fn words<'a>(mut self, key: &'static str, values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut between = " [";
        for value in values {
            if between == " [" {
                self.key(key);
            }
            self.0.push_str(between);
            quote(&mut self.0, value);
            between = ", ";
        }
        if between == ", " {
            self.0.push_str("]\n");
        }
        self
    }

    /// With numbers, each on a line of its own, so that a diff shows the one that was added. Nothing if there are none.
    #[must_use]
    pub fn numbers(mut self, key: &'static str, values: impl IntoIterator<Item = u64>) -> Self {
        let mut values = values.into_iter().peekable();
        if values.peek().is_some() {
            self.key(key);
            self.0.push('\n');
        }
        for value in values {
            let _ = writeln!(self.0, "  - {value}");
        }
        self
    }

    /// The file: the front matter, then this text byte for byte.
    #[must_use]
    pub fn with_body(mut self, body: &str) -> Vec<u8> {
        self.0.push_str("---\n");
        self.0.push_str(body);
        self.0.into_bytes()
    }

    fn key(&mut self, key: &'static str) {
        debug_assert!(key.bytes().all(|c| c.is_ascii_lowercase() || c == b'_'));
        self.0.push_str(key);
        self.0.push(':');
    }
}

impl Default for FrontMatter {
    fn default() -> Self {
        Self::new()
    }
}

/// A value that needs no quotes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plain {
    /// A whole number.
    Integer(u64),
    /// A number with a fraction; null if it is none.
    Fraction(f64),
    /// True or false.
    Truth(bool),
}

impl From<u64> for Plain {
    fn from(value: u64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Plain {
    fn from(value: f64) -> Self {
        Self::Fraction(value)
    }
}

impl From<bool> for Plain {
    fn from(value: bool) -> Self {
        Self::Truth(value)
    }
}

/// Appends a double-quoted scalar on one line.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_printable(c) => out.push(c),
            c => {
                let _ = match u32::from(c) {
                    code @ ..=0xff => write!(out, "\\x{code:02x}"),
                    code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push('"');
}

/// What may stand in YAML as it is, less what some reader takes for a line break, a byte order mark or a change of
/// direction. Source: `c-printable` (5.1) of YAML 1.2.
fn is_printable(c: char) -> bool {
    match c {
        '\u{feff}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => false,
        ' '..='~' | '\u{a0}'..='\u{fffd}' => true,
        // The last two of every plane are no characters.
        '\u{10000}'.. => u32::from(c) & 0xfffe != 0xfffe,
        _ => false,
    }
}
