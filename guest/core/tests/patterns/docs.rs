//! The how-to of pattern sets does what it says.

use gligabao_core::pattern::Patterns;

use crate::{CONTEXT, lines, set};

const HOW_TO: &str = include_str!("../../../../docs/patterns.md");

/// The texts of the how-to's fences of one kind.
fn fences(kind: &str) -> Vec<&'static str> {
    let open = format!("```{kind}\n");
    let all = HOW_TO.split(open.as_str()).skip(1);
    all.map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// The facts that a fence of kind `facts` says a text gives: `text => fact; fact`.
fn examples() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    fences("facts").into_iter().flat_map(str::lines).filter_map(|line| line.split_once("=>")).map(|(text, facts)| {
        let facts = facts.split(';').map(str::trim).filter(|fact| !fact.is_empty() && *fact != "nothing");
        (text.trim(), facts.collect())
    })
}

#[test]
fn the_example_set_gives_what_the_how_to_says() {
    let yaml = fences("yaml")[0];
    assert!(yaml.lines().count() <= 12, "ten lines or so");
    assert_eq!(set(yaml).advice(), [], "it has what is recommended");
    let patterns = Patterns::default().with(&set(yaml)).expect("a set");
    let mut count = 0;
    for (text, facts) in examples() {
        assert_eq!(lines(&patterns.extract(text, &CONTEXT).expect("its language")), facts, "{text}");
        count += 1;
    }
    assert!(count >= 5, "{count} examples");
}

#[test]
fn what_try_prints_is_as_the_how_to_shows_it() {
    let (command, expected) = fences("console")[0].trim().split_once('\n').expect("a command and what it prints");
    let text = command.split('"').nth(1).expect("a text in quotes");
    let patterns = Patterns::default().with(&set(fences("yaml")[0])).expect("a set");
    let explained = patterns.explain(text, &CONTEXT).expect("its language");
    let printed: Vec<String> = explained.iter().map(ToString::to_string).collect();
    assert_eq!(printed.concat().trim_end(), expected);
}

/// Every key of a set's file is in the how-to's tables, and no other.
#[test]
fn the_how_to_explains_every_key() {
    let model = include_str!("../../src/pattern/set/model.rs");
    let keys = model.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(": ")).map(|(key, _)| key);
    for key in keys {
        assert!(HOW_TO.contains(&format!("`{key}`")), "docs/patterns.md says nothing of `{key}`");
    }
}
