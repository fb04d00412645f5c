//! What a commit says: a subject, lines, trailers. Nothing in a text can forge a line or a trailer.
//!
//! A trailer is a line `Key: value` of the last paragraph; the first paragraph never counts, a line that begins with
//! `---` ends the message, and `#` begins a comment (`git-interpret-trailers(1)`). So every piece of data stays on one
//! line behind words of ours, and no line of a body begins as a trailer does.

use std::fmt;

use super::object::write_to_vec;
use super::text::one_line;
use crate::model::{ArtifactId, EdgeEventKind, EdgeId, RunId};

/// Longest subject in characters.
pub const SUBJECT_LIMIT: usize = 72;

/// Longest line of the body in characters, and longest value of a trailer.
pub const LINE_LIMIT: usize = 400;

/// What a commit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The start of a dataset.
    Begin {
        /// Its name.
        dataset: &'a str,
    },
    /// A text was remembered.
    Remember {
        /// The artifact that holds it.
        artifact: ArtifactId,
        /// The text, of which the first line that isn't blank is shown.
        text: &'a str,
    },
    /// A text was remembered that was deleted since.
    Deleted {
        /// The artifact that held it.
        artifact: ArtifactId,
    },
    /// A remember call stored nothing.
    Failed {
        /// Its run.
        run: RunId,
        /// Why.
        error: &'a str,
    },
    /// A question was asked.
    Query {
        /// Its run.
        run: RunId,
        /// The question.
        question: &'a str,
    },
    /// Something was changed by hand.
    Edit {
        /// Its run.
        run: RunId,
        /// What.
        what: &'a str,
    },
    /// What no call accounts for.
    Rest,
}

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Begin { dataset } => write!(f, "dataset {dataset}"),
            Self::Remember { artifact, text } => {
                let line = text.lines().find(|line| !one_line(line, 1).is_empty()).unwrap_or("(blank)");
                write!(f, "remember #{artifact}: {line}")
            }
            Self::Deleted { artifact } => write!(f, "remember #{artifact}: (deleted)"),
            Self::Failed { run, error } => write!(f, "remember run #{run} failed: {error}"),
            Self::Query { run, question } => write!(f, "query #{run}: {question}"),
            Self::Edit { run, what } => write!(f, "edit #{run}: {what}"),
            Self::Rest => f.write_str("entities and facts that no call accounts for"),
        }
    }
}

/// The keys of trailers. Only these are ever written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trailer {
    /// The artifact that a call stored.
    ArtifactId,
    /// What kind of artifact it is.
    Kind,
    /// The caller's session.
    SessionId,
    /// The reference time.
    ValidAt,
    /// The run of a remember call.
    RememberRunId,
    /// How many artifacts a call stored.
    Artifacts,
    /// The run of a query.
    QueryRunId,
    /// The run of an edit.
    EditRunId,
}

impl Trailer {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ArtifactId => "Artifact-Id",
            Self::Kind => "Kind",
            Self::SessionId => "Session-Id",
            Self::ValidAt => "Valid-At",
            Self::RememberRunId => "Remember-Run-Id",
            Self::Artifacts => "Artifacts",
            Self::QueryRunId => "Query-Run-Id",
            Self::EditRunId => "Edit-Run-Id",
        }
    }
}

/// How much a call changed, as the first line of a body tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Entities that are new.
    pub entities: u64,
    /// Facts that are new.
    pub edges: u64,
    /// Facts that were told again.
    pub confirmed: u64,
    /// Facts whose bounds changed.
    pub changed: u64,
}

impl fmt::Display for Summary {
    /// `+2 entities, +3 edges, 1 facts confirmed, 1 facts changed`, without the parts that are 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entities, edges, confirmed, changed } = *self;
        let parts = [
            ("+", entities, "entities"),
            ("+", edges, "edges"),
            ("", confirmed, "facts confirmed"),
            ("", changed, "facts changed"),
        ];
        let mut between = "";
        for (sign, count, what) in parts.into_iter().filter(|&(_, count, _)| count > 0) {
            write!(f, "{between}{sign}{count} {what}")?;
            between = ", ";
        }
        Ok(())
    }
}

/// The message of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    subject: String,
    body: Vec<String>,
    trailers: Vec<(Trailer, String)>,
}

impl Message {
    /// A message with a subject of at most [`SUBJECT_LIMIT`] characters on one line.
    #[must_use]
    pub fn new(subject: Subject<'_>) -> Self {
        Self { subject: one_line(&subject.to_string(), SUBJECT_LIMIT), body: Vec::new(), trailers: Vec::new() }
    }

    /// With a line that says how much changed; none if nothing did.
    #[must_use]
    pub fn summary(mut self, summary: Summary) -> Self {
        if summary != Summary::default() {
            self.body.push(summary.to_string());
        }
        self
    }

    /// With a line `- <what happened> edge <ID>: <the fact>`, of which the fact is at most [`LINE_LIMIT`] characters.
    #[must_use]
    pub fn event(mut self, kind: EdgeEventKind, edge: EdgeId, fact: &str) -> Self {
        self.body.push(format!("- {kind} edge {edge}: {}", one_line(fact, LINE_LIMIT)));
        self
    }

    /// With a trailer whose value is at most [`LINE_LIMIT`] characters on one line; none if the value is blank.
    #[must_use]
    pub fn trailer(mut self, key: Trailer, value: impl fmt::Display) -> Self {
        let value = one_line(&value.to_string(), LINE_LIMIT);
        if !value.is_empty() {
            self.trailers.push((key, value));
        }
        self
    }

    /// Its first line.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The lines of its body.
    #[must_use]
    pub fn into_body(self) -> Vec<String> {
        self.body
    }

    /// Appends it: paragraphs with an empty line between them, and a line break at the end.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        write_to_vec(out, format_args!("{}\n", self.subject));
        let mut gap = "\n";
        for line in &self.body {
            write_to_vec(out, format_args!("{gap}{line}\n"));
            gap = "";
        }
        gap = "\n";
        for (key, value) in &self.trailers {
            write_to_vec(out, format_args!("{gap}{}: {value}\n", key.as_str()));
            gap = "";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &Message, expected: &str) {
        let mut text = Vec::new();
        message.write_to(&mut text);
        assert_eq!(String::from_utf8(text).expect("UTF-8"), expected);
    }

    #[test]
    fn a_message_has_paragraphs_for_what_it_has() {
        check(
            &Message::new(Subject::Query { run: RunId(3), question: "Where is\nAlice?" }),
            "query #3: Where is Alice?\n",
        );
        let summary = Summary { entities: 2, edges: 3, confirmed: 1, changed: 1 };
        let message = Message::new(Subject::Remember {
            artifact: ArtifactId(2),
            text: "\n \nAlice left Acme.\nShe joined Initech.",
        })
        .summary(summary)
        .event(EdgeEventKind::Invalidated, EdgeId(1), "Alice works_at Acme")
        .trailer(Trailer::ArtifactId, 2)
        .trailer(Trailer::SessionId, "s\n\nKind: forged");
        check(
            &message,
            "remember #2: Alice left Acme.\n\n\
             +2 entities, +3 edges, 1 facts confirmed, 1 facts changed\n\
             - invalidated edge 1: Alice works_at Acme\n\n\
             Artifact-Id: 2\nSession-Id: s Kind: forged\n",
        );
    }

    #[test]
    fn parts_of_a_summary_that_are_zero_are_left_out() {
        assert_eq!(Summary { confirmed: 1, ..Summary::default() }.to_string(), "1 facts confirmed");
        check(&Message::new(Subject::Begin { dataset: "main" }).summary(Summary::default()), "dataset main\n");
    }
}
