//! Objects as values: what a blob, a tree and a commit are made of.

use std::io::Write;

use super::id::Id;
use super::message::Message;

/// What an object is. Tags are never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Tree,
    /// A file.
    Blob,
    /// A state of the root directory with its story.
    Commit,
}

impl Kind {
    /// Its word in the header of an object.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Commit => "commit",
        }
    }

    /// What is hashed, and stored in a loose object, before the content. Source: git's `gitformat-loose(5)`.
    #[must_use]
    pub(crate) fn header(self, length: usize) -> Vec<u8> {
        let mut header = Vec::with_capacity(24);
        write_to_vec(&mut header, format_args!("{} {length}\0", self.as_str()));
        header
    }
}

/// The permissions and kind of an entry of a tree: these two are all that is ever written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A file that is not executable.
    File,
    /// A directory.
    Directory,
}

impl Mode {
    /// In octal digits, as a tree has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Directory => "40000",
        }
    }
}

/// One line of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeEntry<'a> {
    /// File or directory.
    pub mode: Mode,
    /// One component of a path, without `/` and NUL.
    pub name: &'a [u8],
    /// The blob or tree.
    pub id: Id,
}

impl TreeEntry<'_> {
    /// Appends `<mode> <name>\0<20 bytes of the ID>`. Source: `tree` in git's `gitdatamodel(7)`, and `tree.c`.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.mode.as_str().as_bytes());
        out.push(b' ');
        out.extend_from_slice(self.name);
        out.push(0);
        out.extend_from_slice(&self.id.0);
    }
}

/// Who wrote every commit. Nothing of it comes from data.
pub const IDENTITY: &str = "gligabao <gligabao@localhost>";

/// Seconds since 1970 that git accepts as the date of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommitTime(u64);

impl CommitTime {
    /// The first second of the year 10000: dates are written with four digits up to there.
    const END: u64 = 253_402_300_800;

    /// The nearest date that git accepts: none is before 1970 or after 9999.
    #[must_use]
    pub fn new(seconds: i64) -> Self {
        Self(u64::try_from(seconds).unwrap_or(0).min(Self::END - 1))
    }

    /// Seconds since 1970.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.0
    }
}

/// A commit: a state of the root directory, what came before, and why it is so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The root directory.
    pub tree: Id,
    /// The commit before; `None` for the first.
    pub parent: Option<Id>,
    /// When; author and committer are the same, at +0000.
    pub time: CommitTime,
    /// What it says.
    pub message: Message,
}

impl Commit {
    /// Appends its content. Source: `git-commit-tree(1)` and `fsck_commit` in git's `fsck.c`.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let Self { tree, parent, time, message } = self;
        write_to_vec(out, format_args!("tree {tree}\n"));
        if let Some(parent) = parent {
            write_to_vec(out, format_args!("parent {parent}\n"));
        }
        let seconds = time.seconds();
        write_to_vec(out, format_args!("author {IDENTITY} {seconds} +0000\ncommitter {IDENTITY} {seconds} +0000\n\n"));
        message.write_to(out);
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> Id {
        let mut content = Vec::new();
        self.write_to(&mut content);
        Id::of(Kind::Commit, &content)
    }
}

/// Formats into memory, which can't fail.
pub(crate) fn write_to_vec(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing into memory succeeds");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::message::Subject;

    #[test]
    fn a_commit_is_written_as_git_reads_it() {
        let commit = Commit {
            tree: Id::of(Kind::Tree, b""),
            parent: None,
            time: CommitTime::new(1_700_000_000),
            message: Message::new(Subject::Begin { dataset: "main" }),
        };
        let mut content = Vec::new();
        commit.write_to(&mut content);
        let expected = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
            author gligabao <gligabao@localhost> 1700000000 +0000\n\
            committer gligabao <gligabao@localhost> 1700000000 +0000\n\ndataset main\n";
        assert_eq!(String::from_utf8_lossy(&content), expected);
        assert_eq!(commit.id(), Id::of(Kind::Commit, &content));
    }

    #[test]
    fn a_commit_is_dated_within_what_git_accepts() {
        assert_eq!(CommitTime::new(-1).seconds(), 0);
        assert_eq!(CommitTime::new(i64::MAX).seconds(), 253_402_300_799);
    }
}
