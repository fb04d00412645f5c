//! Paths inside a repository, safe on every system that git runs on.

use super::error::GitError;

/// Longest component in bytes: what file systems take.
const COMPONENT_LIMIT: usize = 255;

/// Longest path in bytes: `git fsck` warns above it.
const PATH_LIMIT: usize = 4096;

/// Most components: directories are walked by recursion.
const DEPTH_LIMIT: usize = 64;

/// Names that Windows keeps for devices, whatever follows their first dot.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

/// A relative path of components of ASCII letters, digits, `.`, `_` and `-`, with `/` between them. No component is
/// `.git` in any case or ends in a dot, and none is a device's name on Windows, so that the tree can be checked out
/// everywhere. Sources: `verify_path` in git's `read-cache.c`, `fsck_tree` in `fsck.c`, "Naming Files" of Windows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(String);

impl TreePath {
    /// Checks a path.
    ///
    /// # Errors
    /// [`GitError::Path`] for any other path.
    pub fn new(path: impl Into<String>) -> Result<Self, GitError> {
        let path = path.into();
        if path.len() <= PATH_LIMIT && path.split('/').count() <= DEPTH_LIMIT && path.split('/').all(is_component) {
            Ok(Self(path))
        } else {
            Err(GitError::Path { path })
        }
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for TreePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a name can be a file or directory anywhere.
fn is_component(name: &str) -> bool {
    (1..=COMPONENT_LIMIT).contains(&name.len())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-'))
        && !name.ends_with('.')
        && !name.eq_ignore_ascii_case(".git")
        && !is_device(name)
}

/// Whether Windows takes a name for a device.
pub(crate) fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let numbered = |prefix: &str| {
        let rest = stem.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|c| c.is_ascii_digit()))
    };
    DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_safe_everywhere_are_taken_and_no_others() {
        for path in ["README.md", ".gitattributes", "a/b/c.md", "edges/works_at/0012/12345.md", "git", "com10", "a.con"]
        {
            assert!(TreePath::new(path).is_ok(), "{path}");
        }
        let long = "a".repeat(256);
        let deep = "a/".repeat(2048) + "a";
        let bad = [
            "",
            "/",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "a/../b",
            ".git",
            ".GIT",
            "a/.git/b",
            ".git.",
            "git~1",
            "a\nb",
            "a\0b",
            "a b",
            "é",
            "🦀",
            "a\\b",
            "c:",
            "con",
            "CON",
            "aux.md",
            "a/nul/b",
            "COM1",
            "lpt9.txt",
            "a.",
            ".g\u{200c}it",
            &long,
            &deep,
        ];
        for path in bad {
            assert!(TreePath::new(path).is_err(), "{path:?}");
        }
    }
}
