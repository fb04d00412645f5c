//! Values that are private whatever they are said to be: numbers of cards and documents, addresses, keys.
//!
//! Each is known by its own check digits or shape, so that order numbers, ISBNs, versions, coordinates, dates and prices
//! are none. Sources: ISO/IEC 7812 (Luhn), ISO 13616 (IBAN), the rules of the Brazilian CPF, of the numbers of the US
//! Social Security Administration, and E.164.

mod card;

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::clean::is_hidden;

/// Words that one value may be written in: an IBAN in groups of four.
const MAX_WORDS: usize = 9;

/// Beginnings of keys that their issuers mark.
const KEY_PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "pk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "pypi-",
    "hf_",
];
/// How a block with a key or certificate begins.
const KEY_BLOCK: &str = "-----BEGIN ";
/// Shortest rest of a key after its mark.
const MIN_MARKED_KEY: usize = 12;
/// Shortest key without a mark.
const MIN_KEY: usize = 32;
/// Shortest run of letters and digits in it: paths and identifiers have shorter parts.
const MIN_RUN: usize = 20;

/// Marks between a private value and what stands beside it without a blank.
const BETWEEN: &str = ",;=|<>()[]{}\"#";

/// Whether a text is a private value and nothing else.
#[must_use]
pub fn is_private(value: &str) -> bool {
    may_be(value) && is_value(&plain(value))
}

/// Whether a private value stands somewhere in a text.
#[must_use]
pub fn has_private(text: &str) -> bool {
    may_be(text) && has_value(&plain(text))
}

/// Whether a text has what every private value has one of.
fn may_be(text: &str) -> bool {
    text.contains(|c: char| c.is_numeric() || matches!(c, '@' | '\u{fe6b}' | '\u{ff20}'))
        || text.contains(KEY_BLOCK)
        || text.contains("eyJ")
}

/// A text as the checks read it: digits and letters of one width, one hyphen, nothing hidden between.
fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let plain = text.nfkc().filter(|c| !is_hidden(*c)).map(|c| match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c if c.is_ascii() || !c.is_numeric() => c,
        // The digits of other scripts.
        c => {
            deunicode::deunicode_char(c).and_then(|digit| digit.parse().ok()).filter(char::is_ascii_digit).unwrap_or(c)
        }
    });
    Cow::Owned(plain.collect())
}

fn is_value(value: &str) -> bool {
    let value = bare(value);
    is_email(value)
        || card::is_card(value)
        || is_cpf(value)
        || is_ssn(value)
        || is_iban(value)
        || is_phone(value)
        || is_key(value)
}

fn has_value(text: &str) -> bool {
    if text.contains(KEY_BLOCK) || card::has_card(text) {
        return true;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    // Where each word begins in the text: what is written in groups is looked at as it is written.
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    // `DE89 3704 …`, but `GB82 WEST …` too.
    let is_group = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit()) || (word.len() <= 4 && word.bytes().all(|c| c.is_ascii_uppercase()))
    };
    (0..words.len()).any(|first| {
        is_value(words[first])
            || parts(words[first]).any(|part| is_value(part) || is_value(after_label(part)))
            || words[first].contains(|c: char| c.is_ascii_digit() || c == '+')
                && (first + 1..words.len().min(first + MAX_WORDS))
                    .take_while(|last| is_group(words[*last]))
                    .any(|last| is_value(&text[place(words[first])..place(words[last]) + words[last].len()]))
    })
}

/// A word cut at the marks that may stand between values; a link's are its own.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let is_link = word.contains("://");
    word.split(move |c| BETWEEN.contains(c) || (!is_link && matches!(c, '/' | '?' | '&')))
}

/// What follows the last colon of a word: `phone:+351…`.
fn after_label(word: &str) -> &str {
    word.rsplit(':').next().unwrap_or(word)
}

/// A value without the quotes, brackets and marks around it, and without the scheme of a link.
fn bare(value: &str) -> &str {
    let mut value = value;
    loop {
        let inner = value.trim_matches(|c: char| c.is_whitespace() || "\"'“”‘’<>[]{},;:!?".contains(c));
        let inner = inner.trim_end_matches('.');
        let inner = match (inner.strip_prefix('('), inner.strip_suffix(')')) {
            (Some(_), Some(_)) => &inner[1..inner.len() - 1],
            (Some(rest), None) if !rest.contains(')') => rest,
            (None, Some(rest)) if !rest.contains('(') => rest,
            _ => inner,
        };
        let inner = inner.strip_prefix("mailto:").or_else(|| inner.strip_prefix("tel:")).unwrap_or(inner);
        if inner == value {
            return value;
        }
        value = inner;
    }
}

/// The digits of a value that has nothing but digits and these separators; `None` when it has others.
fn digits(value: &str, separators: &str) -> Option<Vec<u32>> {
    let mut digits = Vec::new();
    for c in value.chars() {
        match c.to_digit(10) {
            Some(digit) => digits.push(digit),
            None if separators.contains(c) => {}
            None => return None,
        }
    }
    Some(digits)
}

/// A value with `0` for every digit.
fn shape(value: &str) -> String {
    value.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

fn is_email(value: &str) -> bool {
    let Some((local, domain)) = value.split_once('@') else { return false };
    let is_local = |c: char| c.is_alphanumeric() || "._%+-'".contains(c);
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let top = domain.rsplit('.').next().unwrap_or_default();
    !local.is_empty()
        && local.chars().all(is_local)
        && domain.contains('.')
        && domain.split('.').all(is_label)
        && top.chars().count() >= 2
        && top.chars().all(char::is_alphabetic)
}

fn is_cpf(value: &str) -> bool {
    if !matches!(shape(value).as_str(), "000.000.000-00" | "00000000000" | "000000000-00") {
        return false;
    }
    let Some(digits) = digits(value, ".-") else { return false };
    let check = |length: usize| {
        let weights = (2..).take(length);
        let sum: u32 = digits[..length].iter().rev().zip(weights).map(|(digit, weight)| digit * weight).sum();
        sum * 10 % 11 % 10
    };
    digits.iter().any(|digit| *digit != digits[0]) && check(9) == digits[9] && check(10) == digits[10]
}

fn is_ssn(value: &str) -> bool {
    if !matches!(shape(value).as_str(), "000-00-0000" | "000 00 0000") {
        return false;
    }
    let (area, group, serial) = (&value[..3], &value[4..6], &value[7..]);
    area != "000" && area != "666" && !area.starts_with('9') && group != "00" && serial != "0000"
}

fn is_iban(value: &str) -> bool {
    let value: String = value.chars().filter(|c| *c != ' ').collect();
    let is_shaped = value.is_ascii()
        && (15..=34).contains(&value.len())
        && value[..2].bytes().all(|c| c.is_ascii_alphabetic())
        && value[2..4].bytes().all(|c| c.is_ascii_digit())
        && value[4..].bytes().all(|c| c.is_ascii_alphanumeric());
    let rest = |value: &str| {
        let turned = value[4..].chars().chain(value[..4].chars());
        turned
            .filter_map(|c| c.to_digit(36))
            .fold(0, |rest, digit| (rest * if digit > 9 { 100 } else { 10 } + digit) % 97)
    };
    is_shaped && rest(&value) == 1
}

/// An international number, which two numbers with signs (`+38.7 -9.1`) are not, or one of a shape that only telephone numbers have: the area in brackets, or the groups of
/// North America.
fn is_phone(value: &str) -> bool {
    let Some(digits) = digits(value, "+ -.()/") else { return false };
    if let Some(rest) = value.strip_prefix('+') {
        let signed = |at: usize| rest[at + 2..].starts_with(|c: char| c.is_ascii_digit());
        return (8..=15).contains(&digits.len())
            && !rest.contains('+')
            && digits[0] != 0
            && !rest.match_indices(" -").any(|(at, _)| signed(at));
    }
    let in_brackets = value.starts_with('(') && (9..=11).contains(&digits.len()) && value.contains(')');
    // Numbers side by side are written with blanks too: no area and no exchange begins with 0 or 1.
    let in_blanks = || [0, 4].iter().all(|at| matches!(value.as_bytes()[*at], b'2'..=b'9'));
    in_brackets
        || match shape(value).as_str() {
            "000-000-0000" | "000.000.0000" => true,
            "000 000 0000" => in_blanks(),
            "0-000-000-0000" | "0 000 000 0000" => value.starts_with('1'),
            _ => false,
        }
}

fn is_key(value: &str) -> bool {
    if value.starts_with(KEY_BLOCK) {
        return true;
    }
    let is_token = |text: &str, marks: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || marks.contains(c));
    let marked = KEY_PREFIXES.iter().filter_map(|prefix| value.strip_prefix(prefix));
    let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    if marked.into_iter().any(|rest| rest.len() >= MIN_MARKED_KEY && is_token(rest, "-_.") && has_digit(rest)) {
        return true;
    }
    let is_signed_token = value.starts_with("eyJ") && value.split('.').count() == 3 && is_token(value, "-_.");
    if is_signed_token {
        return true;
    }
    // Chance mixes digits and letters of both cases all over; names and identifiers keep them together.
    let turns = value.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    let runs = value.split(|c: char| !c.is_ascii_alphanumeric());
    value.len() >= MIN_KEY
        && is_token(value, "-_+/=")
        && runs.map(str::len).max() >= Some(MIN_RUN)
        && value.contains(|c: char| c.is_ascii_uppercase())
        && value.contains(|c: char| c.is_ascii_lowercase())
        && turns >= 6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_values_are_known_by_themselves_and_in_a_text() {
        for value in [
            "4111 1111 1111 1111",
            "4111111111111111",
            "4111.1111.1111.1111",
            "４１１１ １１１１ １１１１ １１１１",
            "٤١١١ ١١١١ ١١١١ ١١١١",
            "4111\u{2011}1111\u{2011}1111\u{2011}1111",
            "4111\u{200b}111111111111",
            "2223 0031 2200 3222",
            "5500-0000-0000-0004",
            "3782 822463 10005",
            "529.982.247-25",
            "52998224725",
            "078-05-1120",
            "DE89 3704 0044 0532 0130 00",
            "GB82WEST12345698765432",
            "alice@example.com",
            "alice＠example.com",
            "GB82 WEST 1234 5698 7654 32",
            "+1\u{2011}415\u{2011}555\u{2011}2671",
            "<mailto:joão.silva+x@correio.example.pt>",
            "+351 912 345 678",
            "+1 (555) 010-9999",
            "(11) 91234-5678",
            "555-010-9999",
            "tel:+4930901820",
            "sk-proj-a1b2c3d4e5f6g7h8",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "AKIAIOSFODNN7EXAMPLE",
            "wJalrXUtnFEMI/K7MDENG9/bPx2RfiCY3EX4MPLE5KEY",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1",
        ] {
            assert!(is_private(value), "{value}");
            assert!(has_private(&format!("Reach her ({value}), or not.")), "in a text: {value}");
        }
    }

    #[test]
    fn private_values_are_found_beside_other_words() {
        for text in [
            "card 4111 1111 1111 1111 exp 12/30",
            "visa:4111111111111111",
            "card=4111-1111-1111-1111;cvv=123",
            "4111111111111111/12/30",
            "al@example.com and bob@example.com",
            "al@example.com,bob@example.com",
            "e-mail:al@example.com",
            "phone:+14155552671",
            "cpf=529.982.247-25",
            "529.982.247-25/2024",
            "mailto:al@example.com?subject=hi",
            "call 1-800-555-0199",
            "call 415 555 2671",
            "IBAN GB82 WEST 1234 5698 7654 32, in London",
        ] {
            assert!(has_private(text), "{text}");
        }
    }

    #[test]
    fn other_values_stay() {
        for value in [
            "",
            "Acme",
            "978-0-306-40615-7",
            "0-306-40615-2",
            "9780306406157",
            "4111 1111 1111 1112",
            "1234567890123456",
            "529.982.247-26",
            "111.111.111-11",
            "000-12-3456",
            "123456789",
            "DE88 3704 0044 0532 0130 00",
            "1.2.3",
            "10.0.0.1",
            "2024-06-10",
            "2024-06-10T08:30:00Z",
            "38.7223, -9.1393",
            "+38.7223, -9.1393",
            "+38.7223 -9.1393",
            "0.4111111111111111",
            "4 111 111 111 111 111",
            "2020 2021 2022 2023 2024",
            "ISBN 978-0-306-40615-7",
            "order 4111-1111-1111-1112",
            "version 4.11.1111.111",
            "git@github.com:example/project.git",
            "@al@example.social",
            "$1,299.00",
            "score 100 200 3000",
            "room 555 123 4567",
            "EAN 4006381333931",
            "ssh://git@github.com/example/project",
            "v2.10.3-rc.1+build.5",
            "invoice 2024-0001-2345-6789",
            "2024-06-10 2025-06-10",
            "49 euros",
            "R$ 1.299,00",
            "1 000 000",
            "912 345 678",
            "order 20240610-0042",
            "@alice",
            "alice@home",
            "C++",
            "sk-learn",
            "AKIA",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "550e8400-e29b-41d4-a716-446655440000",
            "InternationalConferenceOnMachineLearning2024",
            "Reports/2024/Q1/Final-v2-2024-01-05/Annex3b",
            "https://example.com/a/b/c/d/e/f/g/h/i/j/k/l",
        ] {
            assert!(!is_private(value), "{value}");
            assert!(!has_private(&format!("It is {value}, they say.")), "in a text: {value}");
        }
    }
}
