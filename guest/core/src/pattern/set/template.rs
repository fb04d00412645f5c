//! Templates: words around two placeholders, with alternatives `(a|b)` and optional parts `(a)?`.
//!
//! The language is the part of regular expressions that stands for finitely many word sequences. All of them are
//! written out when a set is compiled, so that reading a text is a walk through a tree of words.

/// Most word sequences that one template may stand for.
const MOST: usize = 4096;

/// Deepest nesting of groups.
const DEEPEST: usize = 6;

/// Writes out every text that a template stands for; placeholders stay as they are. The error says what is wrong.
pub(crate) fn expand(template: &str) -> Result<Vec<String>, String> {
    let plain = template.replace("\\s+", " ").replace("\\b", "").replace("(?:", "(");
    let mut reader = Reader { rest: &plain, depth: 0 };
    let all = reader.alternatives()?;
    if reader.rest.is_empty() { Ok(all) } else { Err("`)` without `(`".to_owned()) }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    /// `a|b|c`, up to a closing parenthesis or the end.
    fn alternatives(&mut self) -> Result<Vec<String>, String> {
        let mut all = self.sequence()?;
        while let Some(rest) = self.rest.strip_prefix('|') {
            self.rest = rest;
            all.extend(self.sequence()?);
        }
        Ok(all)
    }

    fn sequence(&mut self) -> Result<Vec<String>, String> {
        let mut all = vec![String::new()];
        while let Some(c) = self.rest.chars().next().filter(|c| !matches!(c, '|' | ')')) {
            let part = if c == '(' { self.group()? } else { vec![self.literal(c)?] };
            if all.len() * part.len() > MOST {
                return Err(format!("stands for more than {MOST} word sequences; split it"));
            }
            all = all.iter().flat_map(|head| part.iter().map(move |tail| format!("{head}{tail}"))).collect();
        }
        Ok(all)
    }

    fn group(&mut self) -> Result<Vec<String>, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("groups nest deeper than {DEEPEST}"));
        }
        self.rest = &self.rest[1..];
        let mut all = self.alternatives()?;
        self.rest = self.rest.strip_prefix(')').ok_or("`(` without `)`")?;
        if let Some(rest) = self.rest.strip_prefix('?') {
            self.rest = rest;
            all.push(String::new());
        }
        self.depth -= 1;
        Ok(all)
    }

    fn literal(&mut self, c: char) -> Result<String, String> {
        if self.rest.starts_with("{{") {
            let end = self.rest.find("}}").ok_or("`{{` without `}}`")? + 2;
            let (slot, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Ok(slot.to_owned());
        }
        if matches!(c, '*' | '+' | '?' | '[' | ']' | '{' | '}' | '^' | '\\') {
            return Err(format!("`{c}` is not part of templates: words, `(a|b)` and `(a)?` are"));
        }
        self.rest = &self.rest[c.len_utf8()..];
        Ok(c.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_and_optional_parts_are_written_out() {
        let all = expand("{{subject}} (has )?(left|quit) {{object}}").expect("a template");
        assert_eq!(
            all,
            [
                "{{subject}} has left {{object}}",
                "{{subject}} has quit {{object}}",
                "{{subject}} left {{object}}",
                "{{subject}} quit {{object}}",
            ]
        );
        assert_eq!(expand("(?:a|b)\\s+c").expect("a template"), ["a c", "b c"]);
    }

    #[test]
    fn what_is_no_template_says_why() {
        for (template, why) in [
            ("a (b", "`(` without `)`"),
            ("a) b", "`)` without `(`"),
            ("a.* b", "`*` is not part of templates: words, `(a|b)` and `(a)?` are"),
            ("{{subject", "`{{` without `}}`"),
            ("((((((((a))))))))", "groups nest deeper than 6"),
        ] {
            assert_eq!(expand(template).expect_err(template), why, "{template}");
        }
        let many = "(a|b|c|d)".repeat(8);
        assert!(expand(&many).expect_err("too many").contains("more than 4096"));
    }
}
