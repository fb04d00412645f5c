//! Text as the patterns see it: words without case and accents, marks, and where each stands in the spelling.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Letters and digits, with apostrophes and dots between them.
    Word,
    /// One character that is neither letter, digit nor white space; variants of dashes and quotes are made one.
    Mark(char),
}

/// A word or a mark of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// First byte.
    pub(crate) start: usize,
    /// First byte after it.
    pub(crate) end: usize,
    /// Word or mark.
    pub(crate) kind: Kind,
    /// Whether white space, or nothing, stands before it.
    pub(crate) spaced: bool,
    /// Line ends before it, at most 2.
    pub(crate) lines: u8,
}

impl Token {
    /// Whether it is this mark.
    pub(crate) fn is_mark(self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

/// Appends a text in lower case and without accents; a letter that is not Latin stays as it is.
pub(crate) fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.extend(text.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        return;
    }
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else if is_apostrophe(c) {
            out.push('\'');
        } else if !is_silent(c) {
            decompose_compatible(c, |part| {
                if !is_combining_mark(part) {
                    fold_letter(part, out);
                }
            });
        }
    }
}

/// The text in lower case and without accents.
pub(crate) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

fn fold_letter(c: char, out: &mut String) {
    match c {
        'ß' | 'ẞ' => out.push_str("ss"),
        'ø' | 'Ø' => out.push('o'),
        'ł' | 'Ł' => out.push('l'),
        'đ' | 'Đ' => out.push('d'),
        'æ' | 'Æ' => out.push_str("ae"),
        'œ' | 'Œ' => out.push_str("oe"),
        'ı' => out.push('i'),
        _ => out.extend(c.to_lowercase().filter(|c| !is_combining_mark(*c))),
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{02BC}')
}

/// Characters that are seen through: a word goes on across them.
fn is_silent(c: char) -> bool {
    !c.is_ascii() && (is_combining_mark(c) || matches!(c, '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}'))
}

fn same_mark(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2013}' | '\u{2212}' => '-',
        '\u{2015}' => '\u{2014}',
        '\u{2019}' | '\u{02BC}' => '\'',
        '\u{FF0C}' | '\u{3001}' => ',',
        '\u{3002}' | '\u{FF0E}' => '.',
        '\u{FF1F}' => '?',
        '\u{FF01}' => '!',
        other => other,
    }
}

/// Short forms of verbs, and the possessive, that English glues to the word before; each is a word of its own here.
const GLUED: [&str; 6] = ["s", "m", "ve", "re", "ll", "d"];

/// Cuts a text into words and marks, from left to right in one pass.
pub(crate) fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 5);
    let (mut spaced, mut lines) = (true, 0u8);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = at + c.len_utf8();
        if c.is_whitespace() {
            spaced = true;
            if matches!(c, '\n' | '\u{2028}') {
                lines = (lines + 1).min(2);
            } else if c == '\u{2029}' {
                lines = 2;
            }
            at = end;
            continue;
        }
        if is_silent(c) {
            at = end;
            continue;
        }
        if c.is_alphanumeric() {
            let word = word_end(text, at);
            push_word(text, at, word, spaced, lines, &mut tokens);
            at = word;
        } else {
            tokens.push(Token { start: at, end, kind: Kind::Mark(same_mark(c)), spaced, lines });
            at = end;
        }
        (spaced, lines) = (false, 0);
    }
    tokens
}

/// The end of the word that starts at a byte. Dots, and in numbers commas and colons, belong to it between two of its
/// characters; so do apostrophes.
fn word_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut last = ' ';
    let mut chars = text[start..].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let inner = match c {
            '.' => true,
            ',' | ':' => last.is_ascii_digit(),
            c => is_apostrophe(c),
        };
        if c.is_alphanumeric() || is_silent(c) {
            end = start + offset + c.len_utf8();
            last = c;
        } else if inner && chars.peek().is_some_and(|(_, next)| goes_on(c, *next)) {
            last = c;
        } else {
            break;
        }
    }
    end
}

fn goes_on(joint: char, next: char) -> bool {
    if matches!(joint, ',' | ':') { next.is_ascii_digit() } else { next.is_alphanumeric() }
}

fn push_word(text: &str, start: usize, end: usize, spaced: bool, lines: u8, tokens: &mut Vec<Token>) {
    let word = &text[start..end];
    let glued = word.char_indices().rfind(|(_, c)| is_apostrophe(*c)).and_then(|(offset, c)| {
        let tail = &word[offset + c.len_utf8()..];
        (offset > 0 && GLUED.iter().any(|short| tail.eq_ignore_ascii_case(short))).then_some(start + offset)
    });
    let head = glued.unwrap_or(end);
    tokens.push(Token { start, end: head, kind: Kind::Word, spaced, lines });
    if head < end {
        tokens.push(Token { start: head, end, kind: Kind::Word, spaced: false, lines: 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokenize(text).iter().map(|token| fold(&text[token.start..token.end])).collect()
    }

    #[test]
    fn a_text_is_cut_into_words_and_marks() {
        for (text, expected) in [
            ("St. Mary's Hospital", &["st", ".", "mary", "'s", "hospital"][..]),
            ("doesn’t cost R$ 49,90.", &["doesn't", "cost", "r", "$", "49,90", "."]),
            ("mudou-se às 08:30", &["mudou", "-", "se", "as", "08:30"]),
            ("U.S. node.js", &["u.s", ".", "node.js"]),
            ("Joa\u{303}o d'Ávila", &["joao", "d'avila"]),
            ("STRASSE Straße", &["strasse", "strasse"]),
            ("", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
