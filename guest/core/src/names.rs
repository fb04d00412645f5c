//! Names as keys: what makes two spellings the same name.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use unicode_script::{Script, UnicodeScript};

use crate::clean::is_invisible;

/// Opening and closing quotes that may surround a name.
const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('“', '”'),
    ('„', '“'),
    ('„', '”'),
    ('”', '”'),
    ('‘', '’'),
    ('‚', '‘'),
    ('‚', '’'),
    ('’', '’'),
    ('«', '»'),
    ('»', '«'),
    ('‹', '›'),
    ('›', '‹'),
];

/// The form in which names are compared: compatibility-decomposed, without the accents of Latin and Greek letters,
/// case-folded, Latin letters in ASCII, blanks collapsed, surrounding quotes gone. Marks of other scripts stay,
/// because there they make other letters. Empty when nothing is left: such a name names nothing.
#[must_use]
pub fn normalize(name: &str) -> String {
    let mut key = pass(name);
    // Folding can turn a mark into a letter (the iota below Greek vowels), which then has marks of its own.
    loop {
        let again = pass(&key);
        if again == key {
            return if key.chars().all(is_invisible) { String::new() } else { key };
        }
        key = again;
    }
}

fn pass(name: &str) -> String {
    if name.is_ascii() {
        return tidy(&name.to_ascii_lowercase());
    }
    let folded = caseless::default_case_fold_str(&without_accents(name));
    let mut latin = String::with_capacity(folded.len());
    for c in folded.chars() {
        match deunicode::deunicode_char(c).filter(|_| !c.is_ascii() && c.is_alphabetic() && c.script() == Script::Latin)
        {
            Some(ascii) => latin.push_str(&ascii.to_ascii_lowercase()),
            None => latin.push(c),
        }
    }
    tidy(&latin).nfc().collect()
}

fn without_accents(name: &str) -> String {
    let mut after_bare_letter = false;
    name.nfkd()
        .filter(|&c| {
            if is_combining_mark(c) {
                return !after_bare_letter;
            }
            after_bare_letter = matches!(c.script(), Script::Latin | Script::Greek);
            true
        })
        .collect()
}

/// Collapses white space and strips surrounding quotes.
fn tidy(name: &str) -> String {
    let mut rest = name.trim();
    while let Some(inner) = unquote(rest) {
        rest = inner.trim();
    }
    let mut tidy = String::with_capacity(rest.len());
    for word in rest.split_whitespace() {
        if !tidy.is_empty() {
            tidy.push(' ');
        }
        tidy.push_str(word);
    }
    tidy
}

fn unquote(name: &str) -> Option<&str> {
    QUOTES.iter().find_map(|&(open, close)| name.strip_prefix(open)?.strip_suffix(close))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_mark_that_folds_to_a_letter_takes_its_own_marks_along() {
        assert_eq!(normalize("\u{37a}\u{b3e}"), "ι");
    }

    proptest! {
        #[test]
        fn normalizing_twice_is_normalizing_once(name in "\\PC*") {
            let once = normalize(&name);
            prop_assert_eq!(normalize(&once), once);
        }

        #[test]
        fn the_short_way_for_ascii_gives_what_the_long_way_gives(name in "[ -~]*") {
            let long: String = tidy(&caseless::default_case_fold_str(&without_accents(&name)));
            prop_assert_eq!(normalize(&name), long);
        }
    }
}
