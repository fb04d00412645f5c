//! The saved state of an export: what it needs to go on from a commit without reading the repository.
//!
//! It holds the commit, a note of the caller's, the names of the packs, and each directory's content, which is that of its
//! tree object. So it is checked by hashing: every directory against the entry of its parent, the root against the
//! commit, the commit against the branch.

use super::error::GitError;
use super::id::Id;
use super::object::Kind;
use super::part::Pieces;
use super::tree::WorkTree;

/// How a state begins: what it is, and its version.
const MAGIC: &[u8] = b"gligabao git state 2\n";

/// Where an export stands.
#[derive(Debug)]
pub(crate) struct State {
    /// The content of the newest commit.
    pub(crate) commit: Vec<u8>,
    /// What the caller noted.
    pub(crate) note: Vec<u8>,
    /// The names of all packs, without path and ending, oldest first.
    pub(crate) packs: Vec<String>,
    /// Its files.
    pub(crate) tree: WorkTree,
}

/// Writes a state: the pieces of a file.
pub(crate) fn write(commit: &[u8], note: &[u8], packs: &[String], tree: &WorkTree) -> Pieces {
    let mut out = Pieces::default();
    out.push(MAGIC);
    put(&mut out, commit);
    put(&mut out, note);
    put(&mut out, packs.join("\n").as_bytes());
    tree.for_each_directory(&mut |path, content| {
        put(&mut out, path.as_bytes());
        put(&mut out, content);
    });
    let checksum = Id::checksum(out.iter());
    out.push(&checksum.0);
    out
}

fn put(out: &mut Pieces, field: &[u8]) {
    let length = u32::try_from(field.len()).expect("no directory reaches 4 GiB");
    out.push(&length.to_le_bytes());
    out.push(field);
}

/// Reads a state, which must be that of this commit.
///
/// # Errors
/// [`GitError::State`] if it is damaged or of another commit.
pub(crate) fn read(state: &[u8], head: Id) -> Result<State, GitError> {
    let damaged = || GitError::State { problem: "it is damaged" };
    let (content, checksum) = state.split_last_chunk::<{ Id::BYTES }>().ok_or_else(damaged)?;
    if Id::checksum([content]).0 != *checksum {
        return Err(damaged());
    }
    let mut rest = content.strip_prefix(MAGIC).ok_or(GitError::State { problem: "it is of another version" })?;
    let commit = take(&mut rest).ok_or_else(damaged)?;
    if Id::of(Kind::Commit, commit) != head {
        return Err(GitError::State { problem: "it is of another commit" });
    }
    let note = take(&mut rest).ok_or_else(damaged)?;
    let packs = take(&mut rest).and_then(|packs| std::str::from_utf8(packs).ok()).ok_or_else(damaged)?;
    let root = root(commit).ok_or_else(damaged)?;
    let directories = std::iter::from_fn(|| Some((std::str::from_utf8(take(&mut rest)?).ok()?, take(&mut rest)?)));
    let tree = WorkTree::read(root, directories).ok_or_else(damaged)?;
    let packs = packs.lines().map(str::to_owned).collect();
    Ok(State { commit: commit.to_vec(), note: note.to_vec(), packs, tree })
}

fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk()?;
    let (field, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = after;
    Some(field)
}

/// The root directory of a commit.
fn root(commit: &[u8]) -> Option<Id> {
    let line = commit.strip_prefix(b"tree ")?.split(|&byte| byte == b'\n').next()?;
    Id::from_hex(std::str::from_utf8(line).ok()?)
}
