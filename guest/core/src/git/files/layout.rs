//! Where each thing lies in the work tree.

use super::slug::slug;
use crate::git::path::TreePath;
use crate::model::{ArtifactId, EdgeId, EntityId, RunId, RunKind, words};

/// How many files a directory holds in the sharded layout.
const SHARD: u64 = 1000;

words! {
    /// How files are spread over directories. A dataset keeps the one of its first export.
    Layout {
        /// All things of a kind in one directory: easy to read, slow from some ten thousand on.
        Flat = "flat",
        /// A thousand a directory, which is named after their number: `edges/works_at/0012/12345.md`.
        Sharded = "sharded",
    }
}

/// What was derived from an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildKind {
    /// This part of its text, counted as the caller counts.
    Chunk(u32),
    /// Its summary.
    Summary,
    /// The briefing of a web search that was made for it.
    WebSearch,
    /// The text that tells a series.
    SeriesObservation,
}

impl Layout {
    /// The file of an artifact that is nobody's child.
    #[must_use]
    pub fn artifact(self, id: ArtifactId) -> TreePath {
        self.path("artifacts", id.0, &format!("{id}.md"))
    }

    /// The file of an artifact that was derived from `root`, directly or not.
    #[must_use]
    pub fn child(self, root: ArtifactId, id: ArtifactId, kind: ChildKind) -> TreePath {
        let name = match kind {
            ChildKind::Chunk(number) => format!("{root}/{id}-chunk-{number}.md"),
            ChildKind::Summary => format!("{root}/{id}-summary.md"),
            ChildKind::WebSearch => format!("{root}/{id}-web-search.md"),
            ChildKind::SeriesObservation => format!("{root}/{id}-series-observation.md"),
        };
        self.path("artifacts", root.0, &name)
    }

    /// The file of an entity with this type and name.
    #[must_use]
    pub fn entity(self, r#type: &str, name: &str, id: EntityId) -> TreePath {
        self.path(&format!("entities/{}", slug(r#type)), id.0, &format!("{}-{id}.md", slug(name)))
    }

    /// The file of an edge with this relation.
    #[must_use]
    pub fn edge(self, relation: &str, id: EdgeId) -> TreePath {
        self.path(&format!("edges/{}", slug(relation)), id.0, &format!("{id}.md"))
    }

    /// The log of a call.
    #[must_use]
    pub fn run(self, kind: RunKind, id: RunId) -> TreePath {
        self.path(&format!("runs/{kind}"), id.0, &format!("{id}.json"))
    }

    /// The points of a series with this key.
    #[must_use]
    pub fn series(self, key: &str, id: u64) -> TreePath {
        self.path("series", id, &format!("{}-{id}.csv", slug(key)))
    }

    fn path(self, directory: &str, id: u64, name: &str) -> TreePath {
        let path = match self {
            Self::Flat => format!("{directory}/{name}"),
            Self::Sharded => format!("{directory}/{:04}/{name}", id / SHARD),
        };
        TreePath::new(path).expect("paths are made of slugs and numbers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_has_its_place_in_both_layouts() {
        let root = ArtifactId(12_345);
        let place = |layout: Layout| {
            [
                layout.artifact(ArtifactId(7)),
                layout.artifact(root),
                layout.child(root, ArtifactId(12_346), ChildKind::Chunk(1)),
                layout.child(root, ArtifactId(12_347), ChildKind::Summary),
                layout.child(root, ArtifactId(12_348), ChildKind::WebSearch),
                layout.child(root, ArtifactId(13_000), ChildKind::SeriesObservation),
                layout.entity("person", "Alice Müller", EntityId(1)),
                layout.entity("CON", ".git", EntityId(1_000)),
                layout.edge("works_at", EdgeId(12_345)),
                layout.edge("aux", EdgeId(12_345_678)),
                layout.run(RunKind::Remember, RunId(1)),
                layout.run(RunKind::Query, RunId(2)),
                layout.run(RunKind::Edit, RunId(3)),
                layout.series("temp. in °C", 4),
            ]
            .map(|path| path.to_string())
            .join("\n")
        };
        insta::assert_snapshot!("flat", place(Layout::Flat));
        insta::assert_snapshot!("sharded", place(Layout::Sharded));
    }
}
