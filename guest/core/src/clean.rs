//! Texts without what leaves no mark on the page and may steer a terminal or turn the direction of writing.

/// Whether a character leaves no mark on the page: a name of such characters only is none.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_whitespace() || is_hidden(c)
}

/// Whether a character is a control or format character, other than white space.
pub(crate) fn is_hidden(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A text without hidden characters, white space collapsed.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_hidden(*c)) {
        let c = if c.is_whitespace() { ' ' } else { c };
        if c != ' ' || !(cleaned.is_empty() || cleaned.ends_with(' ')) {
            cleaned.push(c);
        }
    }
    cleaned.truncate(cleaned.trim_end().len());
    cleaned
}

/// A text whose lines and tabs stay, without other hidden characters, trimmed.
pub(crate) fn lines(text: &str) -> String {
    let is_kept = |c: char| matches!(c, '\n' | '\t') || !(c.is_control() || is_hidden(c));
    text.chars().filter(|c| is_kept(*c)).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_go_and_blanks_are_one() {
        for (text, cleaned) in [
            (" a\0\u{7}b \n\t c\u{9b} ", "ab c"),
            ("Bob \u{1b}[31mRay", "Bob [31mRay"),
            ("\u{feff}A\u{200b}cm\u{ad}e\u{2066} \u{2069}Inc\u{202e}", "Acme Inc"),
            ("\u{200b}\u{7f}", ""),
        ] {
            assert_eq!(clean(text), cleaned, "{text:?}");
        }
        assert_eq!(lines("\u{feff}a\u{1b}\r\n\tb\u{202e}c\n"), "a\n\tbc");
    }
}
