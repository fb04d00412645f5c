//! Numbers of payment cards.

use super::digits;

/// Most digits of a card number.
const MOST: usize = 19;
/// Fewest digits of one.
const FEWEST: usize = 13;

/// Whether a value is a card number and nothing else, however it is grouped; an amount (`4 111 111 …`) is none.
pub(super) fn is_card(value: &str) -> bool {
    is_number(value) || (digits(value, " -.").is_some() && has_card(value))
}

fn is_number(value: &str) -> bool {
    let Some(digits) = digits(value, " -") else { return false };
    let mut groups = value.split([' ', '-']).map(str::len);
    let is_amount = groups.next().is_some_and(|first| first <= 3) && groups.all(|group| group == 3);
    let issuer = digits.iter().take(4).fold(0, |issuer, digit| issuer * 10 + digit);
    let issued = matches!(
        (issuer, digits.len()),
        (4000..=4999, 13 | 16 | 19)
            | (2221..=2720 | 3528..=3589 | 5000..=5999, 16)
            | (6000..=6999, 16..=19)
            | (3400..=3499 | 3700..=3799, 15)
            | (3000..=3099 | 3600..=3699 | 3800..=3899, 14)
    );
    let luhn = digits.iter().rev().enumerate().map(|(place, &digit)| match (place % 2, digit * 2) {
        (0, _) => digit,
        (_, double) if double > 9 => double - 9,
        (_, double) => double,
    });
    issued && !is_amount && luhn.sum::<u32>() % 10 == 0
}

/// Whether a card number, in one run of digits or in the groups that cards have, stands somewhere in a text.
pub(super) fn has_card(text: &str) -> bool {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
        match groups.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => groups.push((at, at + 1)),
        }
    }
    let apart = |c: char| !c.is_alphanumeric();
    (0..groups.len()).any(|first| {
        let (start, mut end) = groups[first];
        let before = &text[..start];
        // `0.4111…` is a fraction.
        let begins = before.chars().next_back().is_none_or(apart)
            && !(before.ends_with('.') && ends_in_digit(&before[..start - 1]));
        let mut next = first + 1;
        let mut digits = end - start;
        while begins && digits <= MOST {
            if text[end..].chars().next().is_none_or(apart)
                && digits >= FEWEST
                && is_number(&text[start..end].replace('.', " "))
            {
                return true;
            }
            let Some(&(from, to)) = groups.get(next) else { return false };
            // The groups of cards: 4-4-4-4, 4-6-5, 4-6-4, 4-4-4-4-3.
            let joined = from == end + 1 && matches!(text.as_bytes()[end], b' ' | b'-' | b'.');
            if !joined || groups[first].1 - start != 4 || !(3..=6).contains(&(to - from)) {
                return false;
            }
            (digits, end, next) = (digits + to - from, to, next + 1);
        }
        false
    })
}

fn ends_in_digit(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_digit())
}
