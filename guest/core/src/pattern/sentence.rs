//! Where sentences end, and what stands in quotes or parentheses.

use super::set::fold::{Kind, Token};

/// What a token stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// Neither quotes nor parentheses.
    Nothing,
    /// Quotes, the marks themselves included: nothing is read or split there.
    Quotes,
    /// Parentheses: only dates are read there.
    Parentheses,
    /// A line that `>` marks as somebody else's.
    Reply,
}

/// A run of tokens that is read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Its tokens, the final mark left out.
    pub(super) tokens: std::ops::Range<usize>,
    /// Whether a question mark ends it.
    pub(super) question: bool,
}

/// The mark that closes what a mark opens.
fn closer(mark: char) -> Option<char> {
    Some(match mark {
        '"' => '"',
        '\u{201C}' => '\u{201D}',
        '\u{201E}' => '\u{201C}',
        '\u{00AB}' => '\u{00BB}',
        '\u{2018}' | '\'' => '\'',
        '(' => ')',
        '[' => ']',
        _ => return None,
    })
}

/// The marks that close something, in the order of their slots below.
const CLOSERS: [char; 7] = ['"', '\u{201D}', '\u{201C}', '\u{00BB}', '\'', ')', ']'];

/// What each token stands in. A quote that nothing closes goes on to the end of its paragraph; another opening mark that
/// nothing closes before it is just a mark.
pub(super) fn enclosures(tokens: &[Token]) -> Vec<Inside> {
    let mut closing = Closing::new(tokens);
    let mut inside = vec![Inside::Nothing; tokens.len()];
    let mut at = 0;
    while at < tokens.len() {
        if is_reply(tokens, at) {
            let line = tokens[at + 1..].iter().position(|token| token.lines > 0);
            let end = line.map_or(tokens.len(), |offset| at + 1 + offset);
            inside[at..end].fill(Inside::Reply);
            at = end;
            continue;
        }
        let open = opens(tokens, at);
        let Some(end) = open.and_then(|mark| closing.after(tokens, at, mark).or_else(|| closing.unclosed(tokens, at)))
        else {
            at += 1;
            continue;
        };
        let kind = if matches!(tokens[at].kind, Kind::Mark('(' | '[')) { Inside::Parentheses } else { Inside::Quotes };
        inside[at..=end].fill(kind);
        at = end + 1;
    }
    inside
}

/// Whether a `>` starts a line here.
fn is_reply(tokens: &[Token], at: usize) -> bool {
    tokens[at].is_mark('>') && (at == 0 || tokens[at].lines > 0)
}

/// The mark that would close what opens here.
fn opens(tokens: &[Token], at: usize) -> Option<char> {
    let Kind::Mark(mark) = tokens[at].kind else { return None };
    let after_space = tokens[at].spaced || matches!(tokens[at - 1].kind, Kind::Mark(_));
    let before_word = tokens.get(at + 1).is_some_and(|next| !next.spaced);
    if mark == '\'' && !(after_space && before_word) {
        return None;
    }
    closer(mark)
}

/// Where closing marks stand. Asked from left to right, so that all questions together take one pass.
struct Closing {
    marks: [Vec<usize>; CLOSERS.len()],
    asked: [usize; CLOSERS.len()],
    paragraph_end: usize,
}

impl Closing {
    fn new(tokens: &[Token]) -> Self {
        let mut marks: [Vec<usize>; CLOSERS.len()] = Default::default();
        for (at, token) in tokens.iter().enumerate() {
            let Kind::Mark(mark) = token.kind else { continue };
            if let Some(slot) = CLOSERS.iter().position(|closer| *closer == mark)
                && (mark != '\'' || !token.spaced)
            {
                marks[slot].push(at);
            }
        }
        Self { marks, asked: [0; CLOSERS.len()], paragraph_end: 0 }
    }

    /// Where a quote ends that no mark closes: with its paragraph. Marks that also stand for inches, minutes and
    /// apostrophes must stand before a word.
    fn unclosed(&mut self, tokens: &[Token], at: usize) -> Option<usize> {
        let Kind::Mark(mark) = tokens[at].kind else { return None };
        let before_word = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Word && !next.spaced);
        let quote = matches!(mark, '"' | '\u{201C}' | '\u{201E}' | '\u{00AB}') && tokens[at].spaced && before_word;
        quote.then(|| self.end_of_paragraph(tokens, at) - 1)
    }

    fn end_of_paragraph(&mut self, tokens: &[Token], at: usize) -> usize {
        if self.paragraph_end <= at {
            let next = tokens[at + 1..].iter().position(|token| token.lines >= 2);
            self.paragraph_end = next.map_or(tokens.len(), |offset| at + 1 + offset);
        }
        self.paragraph_end
    }

    /// The first such mark after a token, in the same paragraph.
    fn after(&mut self, tokens: &[Token], at: usize, mark: char) -> Option<usize> {
        self.end_of_paragraph(tokens, at);
        let slot = CLOSERS.iter().position(|closer| *closer == mark)?;
        let marks = &self.marks[slot];
        while marks.get(self.asked[slot]).is_some_and(|closing| *closing <= at) {
            self.asked[slot] += 1;
        }
        marks.get(self.asked[slot]).copied().filter(|closing| *closing < self.paragraph_end)
    }
}

/// Splits the tokens into sentences. `keeps` says whether the word at an index is one whose dot ends no
/// sentence, or the mark `!` there a part of a name.
pub(super) fn sentences(tokens: &[Token], inside: &[Inside], keeps: impl Fn(usize) -> bool) -> Vec<Sentence> {
    let mut all = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < tokens.len() {
        if starts_anew(tokens, inside, at) && start < at {
            all.push(Sentence { tokens: start..at, question: false });
            start = at;
        }
        if inside[at] == Inside::Nothing && ends_here(tokens, at, &keeps) {
            let first = at;
            while at + 1 < tokens.len() && matches!(tokens[at + 1].kind, Kind::Mark('.' | '!' | '?' | '\u{2026}')) {
                at += 1;
            }
            let question = tokens[first..=at].iter().any(|token| token.is_mark('?'));
            all.push(Sentence { tokens: start..first, question });
            start = at + 1;
        }
        at += 1;
    }
    all.push(Sentence { tokens: start..tokens.len(), question: false });
    all.retain(|sentence| !sentence.tokens.is_empty());
    all
}

/// A blank line, or a new line that starts with a bullet.
fn starts_anew(tokens: &[Token], inside: &[Inside], at: usize) -> bool {
    let token = tokens[at];
    let bullet = matches!(token.kind, Kind::Mark('-' | '*' | '\u{2022}' | '\u{00B7}' | '#' | '>'));
    let reply = |at: usize| inside[at] == Inside::Reply;
    let turns = at > 0 && reply(at) != reply(at - 1);
    token.lines >= 2 || (token.lines == 1 && bullet && inside[at] == Inside::Nothing) || turns
}

fn ends_here(tokens: &[Token], at: usize, keeps: &impl Fn(usize) -> bool) -> bool {
    match tokens[at].kind {
        Kind::Mark('!') => tokens[at].spaced || !keeps(at),
        Kind::Mark('?' | '\u{2026}') => true,
        Kind::Mark('.') => {
            let next = tokens.get(at + 1);
            let space_after = next.is_none_or(|next| next.spaced || matches!(next.kind, Kind::Mark(_)));
            let last = next.is_none();
            let kept = at > 0 && !tokens[at].spaced && !last && keeps(at - 1);
            space_after && !kept
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::set::fold::tokenize;
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        let tokens = tokenize(text);
        let inside = enclosures(&tokens);
        let keeps = |at: usize| matches!(&text[tokens[at].start..tokens[at].end], "St" | "Mr" | "J");
        sentences(&tokens, &inside, keeps)
            .into_iter()
            .map(|sentence| &text[tokens[sentence.tokens.start].start..tokens[sentence.tokens.end - 1].end])
            .collect()
    }

    #[test]
    fn sentences_end_at_marks_blank_lines_and_bullets() {
        for (text, expected) in [
            ("One. Two! Three?", &["One", "Two", "Three"][..]),
            ("Mr. Lee owes 3.5 at St. Mary's. Yes", &["Mr. Lee owes 3.5 at St. Mary's", "Yes"]),
            ("He said \"No. Never.\" once. Two", &["He said \"No. Never.\" once", "Two"]),
            ("An \"open quote. Two\n\nThree\" four", &["An \"open quote. Two", "Three\" four"]),
            ("A 27\" screen. Two", &["A 27\" screen", "Two"]),
            ("One\n> two. Three\n> four\nFive", &["One", "> two. Three\n> four", "Five"]),
            ("One\nstill one\n- two\n- three", &["One\nstill one", "- two", "- three"]),
            ("Really?! Yes...", &["Really", "Yes"]),
            ("the dogs' bowl. It's 'a. b' here", &["the dogs' bowl", "It's 'a. b' here"]),
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
    }
}
