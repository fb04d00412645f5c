//! The files of a bare repository that are no objects. Source: git's `gitrepository-layout(5)`.

use super::id::Id;
use super::part::Parts;

/// The only branch.
pub const BRANCH: &str = "refs/heads/main";

/// Where saved states lie, each under the ID of its commit: all but that of the branch's commit can be deleted. git
/// doesn't look there.
pub const STATES: &str = "gligabao/states";

/// What a repository has before it has objects.
pub(crate) fn begin(description: &str, parts: &mut Parts) {
    parts.file("HEAD", format!("ref: {BRANCH}\n").into_bytes());
    let config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";
    parts.file("config", config.into());
    parts.file("description", format!("{description}\n").into_bytes());
    for directory in ["objects/info/", "objects/pack/", "refs/heads/", "refs/tags/"] {
        parts.file(directory, Vec::new());
    }
}

/// What makes a commit the newest one, after everything that it needs. `objects/info/packs` and `info/refs` are for
/// clones over plain HTTP, which can't list directories (`gitprotocol-http(5)`, "Dumb Clients").
pub(crate) fn publish(head: Id, packs: &[String], parts: &mut Parts) {
    let mut list = String::new();
    for pack in packs {
        list.push_str("P ");
        list.push_str(pack);
        list.push_str(".pack\n");
    }
    list.push('\n');
    parts.file("objects/info/packs", list.into_bytes());
    parts.file(BRANCH, format!("{head}\n").into_bytes());
    parts.file("info/refs", format!("{head}\t{BRANCH}\n").into_bytes());
}
