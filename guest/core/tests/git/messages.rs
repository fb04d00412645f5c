//! Messages: what git takes for trailers is what was given as trailers.

use std::path::Path;

use gligabao_core::git::{CommitTime, Message, Options, SUBJECT_LIMIT, Summary, Trailer, Writer};
use gligabao_core::model::{EdgeEventKind, EdgeId};
use proptest::prelude::*;

use crate::model::message;
use crate::oracle::{Repository, git};

const KEYS: [Trailer; 8] = [
    Trailer::ArtifactId,
    Trailer::Kind,
    Trailer::SessionId,
    Trailer::ValidAt,
    Trailer::RememberRunId,
    Trailer::Artifacts,
    Trailer::QueryRunId,
    Trailer::EditRunId,
];

const HOSTILE: &[&str] = &[
    "Artifact-Id: 999",
    "x\n\nArtifact-Id: 999\nKind: forged",
    "x\r\rArtifact-Id: 999",
    "x\u{2028}\u{2028}Kind: forged",
    "---\nid: 1\n---\n",
    "--- a\n+++ b\n@@ -1 +1 @@",
    "# a comment",
    "\n# ------------------------ >8 ------------------------\n",
    "(cherry picked from commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904)",
    "Signed-off-by: Mallory <m@example.com>",
    "a\0b",
    "\u{feff}\u{202e}x",
    "<script> gligabao <other@host> 1 +0000",
    "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent x",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦👩\u{200d}👩\u{200d}👧\u{200d}👦",
    ": x",
    "",
    " ",
];

fn text() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(HOSTILE.to_vec());
    prop_oneof![
        any::<String>(),
        hostile.clone().prop_map(str::to_owned),
        prop::collection::vec(hostile, 1..4).prop_map(|texts| texts.join("\n\n")),
        "\\PC{60,90}",
    ]
}

#[derive(Debug, Clone)]
struct Given {
    subject: String,
    changed: u64,
    facts: Vec<String>,
    trailers: Vec<(usize, String)>,
}

fn given() -> impl Strategy<Value = Given> {
    let trailers = prop::collection::vec((0..KEYS.len(), text()), 0..4);
    (text(), 0..3u64, prop::collection::vec(text(), 0..4), trailers)
        .prop_map(|(subject, changed, facts, trailers)| Given { subject, changed, facts, trailers })
}

fn made(given: &Given) -> Message {
    let mut message = message(&given.subject).summary(Summary { changed: given.changed, ..Summary::default() });
    for fact in &given.facts {
        message = message.event(EdgeEventKind::Ended, EdgeId(1), fact);
    }
    for (key, value) in &given.trailers {
        message = message.trailer(KEYS[*key], value);
    }
    message
}

/// What git parses as the trailers of a message.
fn trailers(message: &Message) -> Vec<String> {
    let mut text = Vec::new();
    message.write_to(&mut text);
    let parsed = git(Path::new("."), &["interpret-trailers", "--parse"], &text);
    parsed.lines().map(str::to_owned).collect()
}

/// One line, as a value is folded; git cuts none.
fn folded(value: &str) -> String {
    let blank = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let words: Vec<&str> = value.split(blank).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn no_text_forges_a_trailer_or_a_line(given in given()) {
        let message = made(&given);
        let expected: Vec<String> = given
            .trailers
            .iter()
            .map(|(key, value)| (KEYS[*key], folded(value)))
            .filter(|(_, value)| !value.is_empty())
            .map(|(key, value)| format!("{}: {value}", key.as_str()))
            .collect();
        prop_assert_eq!(trailers(&message), expected);
        let mut text = Vec::new();
        message.write_to(&mut text);
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        prop_assert!(!text.contains('\0'));
        prop_assert!(lines[0].chars().count() <= SUBJECT_LIMIT && lines[0].len() > "remember #1: ".len());
        let facts = lines.iter().skip(1).filter(|line| line.starts_with("- ended edge 1:")).count();
        prop_assert_eq!(facts, given.facts.len());
    }
}

#[test]
fn git_shows_of_each_hostile_text_what_was_meant() {
    let mut writer = Writer::new(Options::default(), "messages");
    let messages: Vec<Message> = HOSTILE
        .iter()
        .map(|text| message(text).event(EdgeEventKind::Ended, EdgeId(1), text).trailer(Trailer::SessionId, text))
        .collect();
    for message in &messages {
        writer.commit(CommitTime::new(-5), message.clone());
    }
    writer.publish().unwrap();
    let repository = Repository::of(&mut writer);
    repository.check();
    let log = repository.git(&["log", "--reverse", "--format=%an <%ae>%x00%at%x00%cn%x00%s%x00%(trailers:unfold)%x01"]);
    let commits: Vec<&str> = log.split("\u{1}\n").filter(|commit| !commit.is_empty()).collect();
    assert_eq!(commits.len(), HOSTILE.len());
    for ((commit, message), text) in commits.iter().zip(&messages).zip(HOSTILE) {
        let trailer = folded(text);
        let trailer = if trailer.is_empty() { trailer } else { format!("Session-Id: {trailer}\n") };
        let expected = format!("gligabao <gligabao@localhost>\0{}\0gligabao\0{}\0{trailer}", 0, message.subject());
        assert_eq!(*commit, expected, "{text:?}");
    }
}
