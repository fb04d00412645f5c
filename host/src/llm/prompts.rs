//! The operator's own instructions, which replace the component's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::STAGES;

/// Longest file of instructions, in bytes.
pub const MAX_INSTRUCTIONS: u64 = 64 << 10;

/// Instructions by stage. A stage that has none keeps the component's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompts(BTreeMap<String, String>);

/// Why a directory of instructions can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptsError {
    /// The directory or a file can't be read.
    #[error("can't read the prompts in {0}: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// A file is for no stage.
    #[error("{0} is for no stage; a directory of prompts holds {known}", known = known())]
    Unknown(PathBuf),
    /// A file says nothing.
    #[error("{0} is empty; write the instructions of its stage, or remove it to keep the built-in ones")]
    Empty(PathBuf),
    /// A file is too long.
    #[error("{0} is over {max} KiB; shorten it", max = MAX_INSTRUCTIONS >> 10)]
    TooLong(PathBuf),
    /// A file is no text.
    #[error("{0} is no text in UTF-8")]
    NotText(PathBuf),
    /// There is nothing to use.
    #[error("there are no prompts in {0}; it holds some of {known}", known = known())]
    Nothing(PathBuf),
}

fn known() -> String {
    STAGES.map(|stage| format!("{stage}.md")).join(", ")
}

impl Prompts {
    /// Reads the files `<stage>.md` of a directory. Hidden files are left alone.
    ///
    /// # Errors
    /// When there is none, one is for no stage, or one is empty, too long or no text.
    pub fn read(directory: &Path) -> Result<Self, PromptsError> {
        let unreadable = |error| PromptsError::Unreadable(directory.to_owned(), error);
        let mut prompts = Self::default();
        for entry in std::fs::read_dir(directory).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            let Some(stage) = name.strip_suffix(".md").filter(|stage| STAGES.contains(stage)) else {
                return Err(PromptsError::Unknown(path));
            };
            prompts.0.insert(stage.to_owned(), instructions(&path)?);
        }
        if prompts.0.is_empty() { Err(PromptsError::Nothing(directory.to_owned())) } else { Ok(prompts) }
    }

    /// The operator's instructions for a stage.
    #[must_use]
    pub fn get(&self, stage: &str) -> Option<&str> {
        self.0.get(stage).map(String::as_str)
    }

    /// The stages that it has instructions for.
    pub fn stages(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn instructions(path: &Path) -> Result<String, PromptsError> {
    let unreadable = |error| PromptsError::Unreadable(path.to_owned(), error);
    if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_INSTRUCTIONS {
        return Err(PromptsError::TooLong(path.to_owned()));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|_| PromptsError::NotText(path.to_owned()))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() { Err(PromptsError::Empty(path.to_owned())) } else { Ok(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &[u8])]) -> Result<Prompts, String> {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, content) in files {
            std::fs::write(dir.path().join(name), content).expect("written");
        }
        Prompts::read(dir.path()).map_err(|error| {
            error
                .to_string()
                .replace(&format!("{}/", dir.path().display()), "")
                .replace(&dir.path().display().to_string(), "DIR")
        })
    }

    #[test]
    fn a_directory_replaces_the_instructions_of_its_stages() {
        let prompts = read(&[("query.md", b"\xef\xbb\xbf Be brief.\n"), (".DS_Store", b"\xff")]).expect("fine");
        assert_eq!((prompts.get("query"), prompts.get("extract_graph")), (Some("Be brief."), None));
        assert_eq!(prompts.stages().collect::<Vec<_>>(), ["query"]);
    }

    #[test]
    fn what_is_wrong_with_a_directory_is_named() {
        let long = vec![b'a'; MAX_INSTRUCTIONS as usize + 1];
        for (files, words) in [
            (
                &[("extract.md", &b"x"[..])][..],
                "extract.md is for no stage; a directory of prompts holds extract_graph.md, resolve_edges.md, query.md",
            ),
            (&[("query.txt", b"x")], "query.txt is for no stage; "),
            (&[("query.md", b" \n")], "query.md is empty; "),
            (&[("query.md", &long)], "query.md is over 64 KiB; "),
            (&[("query.md", b"\xff")], "query.md is no text in UTF-8"),
            (&[], "there are no prompts in DIR; it holds some of extract_graph.md"),
        ] {
            let problem = read(files).expect_err(words);
            assert!(problem.starts_with(words), "{problem}");
        }
        let missing = Prompts::read(Path::new("/no/such/place")).expect_err("nothing is there").to_string();
        assert!(missing.starts_with("can't read the prompts in /no/such/place: "), "{missing}");
    }
}
