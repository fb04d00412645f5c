//! Text of people on one line of a commit message.

use unicode_normalization::char::is_combining_mark;

/// Stands for what was cut off.
const ELLIPSIS: char = '…';

/// How many characters a cut may go back to keep together what people see as one character.
const LONGEST_CLUSTER: usize = 16;

/// One line: white space, control characters and invisible marks of direction are one blank, at most `limit`
/// characters. A longer text ends in an ellipsis and is cut before a letter, never before its accents or inside an
/// emoji. Empty when nothing can be seen.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut blank = false;
    for c in text.chars() {
        if is_blank(c) {
            blank = length > 0;
            continue;
        }
        if blank {
            line.push(' ');
            length += 1;
        }
        blank = false;
        line.push(c);
        length += 1;
        if length > limit {
            return cut(line, limit);
        }
    }
    line
}

/// A line over the limit, cut to it.
fn cut(mut line: String, limit: usize) -> String {
    let keep = limit.saturating_sub(1);
    let end = |line: &str, count| line.char_indices().nth(count).map_or(line.len(), |(at, _)| at);
    let lowest = keep.saturating_sub(LONGEST_CLUSTER);
    let whole = (lowest..=keep).rev().find(|&count| is_boundary(&line, end(&line, count))).unwrap_or(keep);
    line.truncate(end(&line, whole));
    line.truncate(line.trim_end().len());
    line.push(ELLIPSIS);
    line
}

/// Whether characters before and after a place can stand apart. A short form of the rules of Unicode's UAX #29.
fn is_boundary(line: &str, at: usize) -> bool {
    const JOINER: char = '\u{200d}';
    let is_flag = |c: char| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c);
    let (before, after) = line.split_at(at);
    let (Some(last), Some(next)) = (before.chars().next_back(), after.chars().next()) else { return true };
    let extends = next == JOINER || is_combining_mark(next) || ('\u{1f3fb}'..='\u{1f3ff}').contains(&next);
    let splits_flag = is_flag(next) && before.chars().rev().take_while(|&c| is_flag(c)).count() % 2 == 1;
    !extends && last != JOINER && !splits_flag
}

/// What leaves no mark on a line or would reorder it.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn white_space_and_control_characters_are_one_blank() {
        for (text, line) in [
            ("", ""),
            ("  a \t\r\n b\u{2028}\u{2029}\u{85}c\0\u{1b}[31md \u{feff}", "a b c [31md"),
            ("\u{202e}evil\u{202c} \u{200b}", "evil"),
            ("\n\n", ""),
        ] {
            assert_eq!(one_line(text, 72), line, "{text:?}");
        }
    }

    #[test]
    fn a_long_line_is_cut_between_characters_as_people_see_them() {
        for (text, line) in [
            ("abcdef", "abcdef"),
            ("abcdefg", "abcde…"),
            ("abcd efg", "abcd…"),
            ("abcde\u{301}fg", "abcd…"),
            ("abc👩\u{200d}👩\u{200d}👧x", "abc…"),
            ("abcd👍🏽x", "abcd…"),
            ("abcd🇧🇷🇵🇹", "abcd…"),
            ("abc🇧🇷🇵🇹", "abc🇧🇷…"),
        ] {
            assert_eq!(one_line(text, 6), line, "{text:?}");
        }
    }

    #[test]
    fn a_heap_of_accents_does_not_empty_a_line() {
        let heap = format!("a{}", "\u{301}".repeat(100));
        assert_eq!(one_line(&heap, 72).chars().count(), 72);
    }

    proptest! {
        #[test]
        fn a_line_has_no_break_and_no_more_than_its_limit(text in any::<String>(), limit in 1usize..100) {
            let line = one_line(&text, limit);
            prop_assert!(line.chars().count() <= limit);
            prop_assert!(!line.contains(|c: char| c.is_control() || (c.is_whitespace() && c != ' ')));
            prop_assert_eq!(line.trim(), &line);
        }
    }
}
