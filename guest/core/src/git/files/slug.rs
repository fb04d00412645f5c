//! Names as parts of file names.

use crate::git::path::is_device;

/// Longest slug in characters.
const LIMIT: usize = 40;

/// A name in ASCII: lower-case letters, digits, `_` and `-`, 1 to 40 of them. What has no letters is `x`; what Windows
/// would take for a device ends in `_`. Different names may have one slug, so a file's name also has the ID.
#[must_use]
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    // Transliterated bit by bit: a name can be as long as a text.
    'name: for c in name.chars() {
        let mut utf8 = [0; 4];
        let ascii: &str =
            if c.is_ascii() { c.encode_utf8(&mut utf8) } else { deunicode::deunicode_char(c).unwrap_or_default() };
        for c in ascii.chars().map(|c| c.to_ascii_lowercase()) {
            if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' {
                slug.push(c);
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
            if slug.len() == LIMIT {
                break 'name;
            }
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    if slug.is_empty() {
        slug.push('x');
    }
    if is_device(&slug) {
        slug.push('_');
    }
    slug
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::git::TreePath;

    #[test]
    fn names_become_slugs() {
        for (name, expected) in [
            ("Alice", "alice"),
            ("works_at", "works_at"),
            ("São Paulo — Zürich", "sao-paulo-zurich"),
            ("  A.C.M.E. (Ltd)!", "a-c-m-e-ltd"),
            ("Straße", "strasse"),
            ("Ångström ﬁ", "angstrom-fi"),
            ("北京", "bei-jing"),
            ("Москва", "moskva"),
            ("🦀", "crab"),
            ("", "x"),
            ("-", "x"),
            ("...", "x"),
            ("\u{e000}\0\n", "x"),
            (".git", "git"),
            (".GIT", "git"),
            ("git~1", "git-1"),
            (".g\u{200c}it", "git"),
            ("..", "x"),
            ("../../etc/passwd", "etc-passwd"),
            ("CON", "con_"),
            ("con", "con_"),
            ("aux.", "aux_"),
            ("Com1", "com1_"),
            ("lpt⁹", "lpt9_"),
            ("console", "console"),
            ("---\nid: 1\n---", "id-1"),
            ("a\nb", "a-b"),
        ] {
            assert_eq!(slug(name), expected, "{name:?}");
        }
        assert_eq!(slug(&"a".repeat(300)), "a".repeat(40));
        assert_eq!(slug(&"é 北".repeat(300)).len(), 40);
        assert_eq!(slug(&("a".repeat(39) + " b")), "a".repeat(39));
    }

    proptest! {
        #[test]
        fn every_name_has_a_slug_that_is_a_file_name_everywhere(name in any::<String>()) {
            let slug = slug(&name);
            prop_assert!((1..=40).contains(&slug.len()));
            prop_assert!(slug.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_' || c == b'-'));
            prop_assert!(TreePath::new(slug).is_ok());
        }
    }
}
