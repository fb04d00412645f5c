//! What a repository says about itself.

use std::fmt::Write as _;

use super::layout::Layout;
use crate::git::text::one_line;

/// The content of `.gitattributes`: line ends are data.
pub const GIT_ATTRIBUTES: &str = "* -text\n";

/// What the README of a repository tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readme<'a> {
    /// The dataset's name.
    pub dataset: &'a str,
    /// What people wrote about it; may be empty.
    pub description: &'a str,
    /// Its tags.
    pub tags: &'a [String],
    /// How its files are spread.
    pub layout: Layout,
    /// Whether the points of series are exported.
    pub series: bool,
}

/// Longest line that is shown of a description or tag, in characters.
const LINE_LIMIT: usize = 10_000;

impl Readme<'_> {
    /// The file.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let shard = if self.layout == Layout::Sharded { "<id / 1000>/" } else { "" };
        let mut text = format!("# {}\n\n", one_line(self.dataset, LINE_LIMIT));
        for line in self.description.lines() {
            let _ = writeln!(text, "{}", format!("> {}", one_line(line, LINE_LIMIT)).trim_end());
        }
        if !self.description.is_empty() {
            text.push('\n');
        }
        for (number, tag) in self.tags.iter().enumerate() {
            let _ = write!(text, "{}{}", if number == 0 { "Tags: " } else { ", " }, one_line(tag, LINE_LIMIT));
        }
        if !self.tags.is_empty() {
            text.push_str("\n\n");
        }
        let _ = write!(
            text,
            "The history of what this memory was told, one commit a call. It is generated and not read back: the memory \
             stays the source of truth.\n\n\
             It holds every text that was remembered and every question that was logged: it is as sensitive as the memory \
             itself.\n\n\
             | path | content |\n|---|---|\n\
             | `artifacts/{shard}<id>.md` | a text, as it was given |\n\
             | `artifacts/{shard}<id>/` | what was derived from it: chunks, summaries, web searches, observations |\n\
             | `entities/<type>/{shard}<name>-<id>.md` | an entity and the texts that mention it |\n\
             | `edges/<relation>/{shard}<id>.md` | a fact, when it held, and the texts that state it |\n\
             | `runs/<kind>/{shard}<id>.json` | how a call went |\n"
        );
        if self.series {
            let _ = writeln!(text, "| `series/{shard}<key>-<id>.csv` | the points of a series |");
        }
        let _ = write!(
            text,
            "\nNot in here: embeddings, images, usage counters{}. Commits are dated when the memory learned a thing; \
             `valid_at` in a file says when it is true.\n",
            if self.series { "" } else { ", time series" }
        );
        text
    }
}
