//! The terminal: how wide it is, whether it takes colors, and writing to it.

use std::io::{IsTerminal, Write};

use anstyle::{AnsiColor, Color, Style};
use unicode_width::UnicodeWidthStr;

use super::error::CliError;

const fn color(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(color)))
}

/// What needs attention.
pub(crate) const BAD: Style = color(AnsiColor::Red).bold();
/// What went well, and what holds.
pub(crate) const GOOD: Style = color(AnsiColor::Green);
/// What something is called.
pub(crate) const NAME: Style = color(AnsiColor::Cyan);
/// What needs no style.
pub(crate) const PLAIN: Style = Style::new();
/// What is most worth reading.
pub(crate) const STRONG: Style = Style::new().bold();
/// What is there for those who look for it.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// The text in a style. The codes are taken out again where the output takes none.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{}{text}{}", style.render(), style.render_reset())
}

/// Columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// The text, filled up with blanks to a number of columns, or cut to it with an ellipsis.
pub(crate) fn fit(text: &str, width: usize) -> String {
    let taken = columns(text);
    if taken <= width {
        return format!("{text}{}", " ".repeat(width - taken));
    }
    let mut cut = String::new();
    for c in text.chars() {
        if columns(&cut) + columns(c.encode_utf8(&mut [0; 4])) + 1 > width {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    let taken = columns(&cut);
    cut + &" ".repeat(width.saturating_sub(taken))
}

/// Whether a person reads the output.
pub(crate) fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether the output takes colors: a terminal, unless `NO_COLOR` or the like says otherwise.
pub(crate) fn has_colors() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Columns of the terminal; of a pipe, what `COLUMNS` says, or none.
pub(crate) fn width() -> Option<usize> {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    told.or_else(|| terminal_size::terminal_size().filter(|_| is_terminal()).map(|(width, _)| usize::from(width.0)))
        .map(|width: usize| width.clamp(40, 400))
}

/// The text without what a terminal would obey: control characters but line breaks and tabs, and marks that turn the
/// direction of a line. What stands for each has as many bytes, so that places in the text stay where they are.
pub(crate) fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        _ if !obeyed(c) => c,
        _ => match c.len_utf8() {
            1 => '?',
            2 => '¿',
            _ => '\u{fffd}',
        },
    };
    text.chars().map(shown).collect()
}

/// Whether a terminal obeys a character instead of showing it.
pub(crate) fn obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes to standard output.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a line to standard output.
pub(crate) fn print_line(line: &str) -> Result<(), CliError> {
    print(&format!("{line}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_that_a_text_says() {
        for (text, shown) in [
            ("João 東京\n\ta", "João 東京\n\ta"),
            ("\u{1b}[2J\u{7}\r", "?[2J??"),
            ("\u{9b}31m", "¿31m"),
            ("a\u{202e}b\u{2066}", "a\u{fffd}b\u{fffd}"),
        ] {
            assert_eq!(harmless(text), shown);
            assert_eq!(harmless(text).len(), text.len());
        }
    }

    #[test]
    fn a_text_is_fit_by_what_it_takes_on_the_screen() {
        for (text, width, expected) in [
            ("abc", 5, "abc  "),
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("João", 4, "João"),
            ("東京都", 6, "東京都"),
            ("東京都", 5, "東京…"),
            ("東京都", 4, "東… "),
        ] {
            assert_eq!(fit(text, width), expected, "{text} in {width}");
        }
    }
}
