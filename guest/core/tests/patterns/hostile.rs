//! Texts that are meant to break the reader.

use gligabao_core::extract::ExtractedTarget;
use gligabao_core::pattern::{Patterns, extract};
use proptest::prelude::*;

use crate::{CONTEXT, lines};

/// A text without hidden characters, blanks collapsed: as names are spelled.
pub(crate) fn visible(text: &str) -> String {
    let hidden = |c: char| {
        (c.is_control() && !c.is_whitespace())
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let visible: String = text.chars().filter(|c| !hidden(*c)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every name is spelled in the text or is the speaker, and nothing is empty.
fn is_sound(text: &str) {
    let visible = visible(text);
    let read = extract(text, &CONTEXT).expect("all languages");
    for edge in &read.edges {
        let target = match &edge.target {
            ExtractedTarget::Entity(name) => {
                assert!(read.entities.iter().any(|entity| entity.name == *name), "{text:?}: {name:?}");
                name
            }
            ExtractedTarget::Text(literal) => literal,
        };
        for name in [&edge.source, target] {
            assert!(
                !name.trim().is_empty() && (visible.contains(name.as_str()) || name == "Zoe"),
                "{text:?}: {name:?}"
            );
        }
        let raw = edge.raw_text.as_deref().expect("every fact has its words");
        assert!(!raw.is_empty() && text.contains(raw), "{text:?}: {raw:?}");
        if let (Some(start), Some(end)) = (edge.valid_at, edge.invalid_at) {
            assert!(start.at < end.at, "{text:?}: {start} to {end}");
        }
    }
}

#[test]
fn hostile_texts_are_read_to_the_end() {
    for unit in [
        "a ",
        "and ",
        "é de ",
        ", ",
        "\"",
        "(",
        "' ",
        "\n",
        "now\n",
        "😀",
        "Lars works at Acme and ",
        "joined and left ",
        "I like a, ",
        "if ",
        "doesn't work at ",
        "the price of a is ",
        "gosta de a e de ",
        "2015 - ",
        "Mr. ",
        "a. ",
        "U.S. ",
        "\u{300}",
        "ﷺ",
        "İ",
        "\u{200b}",
        "a\u{300}",
        "from 2015 to ",
        "Ama, who ",
        "- a\n",
        "is and ",
        "não mora mais em ",
        "left A in 2019 and ",
        "\u{feff}'s ",
        "«",
        "„“",
        "three years ago ",
        "moved from A to ",
        "o preço de e ",
        "em 2015 de 2015 a ",
        "\"Noor met Kofi ",
        "Noor met Kofi. ",
        "I like b, ",
        "my sister ",
        "my sister, ",
        "Ana's brother ",
        ", engineer at ",
        "works since 2019 ",
        "works as a b ",
        "studied a b ",
        "now works now ",
        "lives in A, Rui in ",
        "A Inc. moved to B. ",
        "> a\n",
        "> a ",
        "\"a ",
        "in 3/3/",
        "in '9 ",
        "by 2019 ",
        "lives in A, not. ",
        "lives in A (not ",
        "Rumor: ",
        "Rumor:\n- a\n",
        "- [ ] a\n",
        "From: a\n",
        "if a but for now lives in A ",
        "works at Acme and St. ",
        "a@a ",
        "was born on 3 May ",
    ] {
        let text = unit.repeat((1 << 14) / unit.len());
        is_sound(&text);
        Patterns::built_in().explain(&text, &CONTEXT).expect("all languages");
        is_sound(&format!("Kofi likes {}", unit.repeat(500)));
        is_sound(&format!("{} works at Acme", unit.repeat(500)));
        is_sound(&format!("Kofi works at {} and works at Acme", unit.repeat(500)));
        is_sound(&format!("Kofi {} likes a, b, c", unit.repeat(500)));
    }
    is_sound(&format!("{} likes tea and likes rice", "x".repeat(1 << 16)));
    // A clause that ends with the comma after which the date of the one around it would stand.
    for text in ["Ana, who lives in Porto,", "Ana met Bia, CTO of Volt,", "Ana met Bia, CTO of,"] {
        is_sound(text);
    }
}

/// Pieces of sentences, which find more than letters at random do.
const PIECES: &[&str] = &[
    "Noor",
    "Kofi",
    "the",
    "The",
    "a",
    "works at",
    "lives in",
    "moved to",
    "left",
    "joined",
    "likes",
    "knows",
    "met",
    "and",
    ", and",
    ",",
    ".",
    "!",
    "?",
    ";",
    ":",
    "-",
    "\n",
    "\n\n",
    "who",
    "that",
    "not",
    "doesn't",
    "no longer",
    "maybe",
    "if",
    "in",
    "on",
    "since",
    "until",
    "from",
    "to",
    "between",
    "2019",
    "2024-05-06",
    "June",
    "5",
    "three",
    "years",
    "ago",
    "yesterday",
    "last month",
    "in 2019",
    "she",
    "He",
    "I",
    "me",
    "my",
    "is",
    "was",
    "'s",
    "'ve",
    "\"",
    "(",
    ")",
    "“",
    "”",
    "costs",
    "the price of",
    "49 euros",
    "Inc.",
    "Dr.",
    "U.S.",
    "now",
    "also",
    "but",
    "because",
    "or",
    "trabalha na",
    "mora em",
    "e",
    "é",
    "de",
    "da",
    "é amiga da",
    "gosta de",
    "não",
    "mais",
    "mora mais em",
    "desde",
    "até",
    "em",
    "março",
    "há",
    "anos",
    "ontem",
    "ela",
    "Ele",
    "eu",
    "moro em",
    "trabalho na",
    "o preço do",
    "custa",
    "R$ 49,90",
    "que",
    "se",
    "talvez",
    "São",
    "Pará",
    "😀",
    "\u{300}",
    "works",
    "at",
    "live in",
    "like",
    "Marks and Spencer",
    "have",
    "been",
    "reports to",
    "anymore",
    "does",
    "moved from",
    "se mudou de",
    "para",
    "my sister",
    "another",
    "an engineer at",
    ", CTO of",
    "works as",
    "engenheira na",
    "Rui",
    "studied",
    "allergic to",
    "is",
    "Ltd",
    "end of",
    "today",
    ">",
    "[ ]",
    "@",
    "http://x.y",
    "03/04/2021",
    "25/12/2021",
    "'09",
    "Q3",
    "by",
    "before",
    "circa",
    "never",
    "not true",
    "Just kidding",
    "Rumor:",
    "From:",
    "but for now",
    "nobody",
    "half of",
    "dinner",
    "second place",
    "was born on",
    "nasceu em",
    "mentira",
    "né",
    "antes de",
];

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC*") {
        is_sound(&text);
        Patterns::built_in().explain(&text, &CONTEXT).expect("all languages");
    }

    #[test]
    fn no_text_with_control_characters_makes_it_panic(text in any::<String>()) {
        is_sound(&text);
    }

    #[test]
    fn no_mix_of_words_makes_it_panic(
        pieces in proptest::collection::vec((proptest::sample::select(PIECES), any::<bool>()), 0..40),
    ) {
        let text: String = pieces.iter().flat_map(|(piece, space)| [*piece, if *space { " " } else { "" }]).collect();
        is_sound(&text);
        let count = |text: &str| lines(&extract(text, &CONTEXT).expect("all languages")).len();
        prop_assert_eq!(count(&text), count(&text.to_lowercase()));
        let explained = Patterns::built_in().explain(&text, &CONTEXT).expect("all languages");
        let facts: usize = explained.iter().flat_map(|one| &one.clauses).map(|clause| clause.facts.len()).sum();
        prop_assert_eq!(facts, count(&text));
        let spaced: Vec<&str> = pieces.iter().map(|(piece, _)| *piece).collect();
        is_sound(&spaced.join(" "));
    }
}
