//! The names that files of a repository have. What has another one is neither written nor given away.

use gligabao_core::git::{BRANCH, STATES};

/// The list of packs, for clones over plain HTTP.
pub(crate) const PACK_LIST: &str = "objects/info/packs";

/// The branch and its commit, for the same.
pub(crate) const REFS: &str = "info/refs";

/// What else there is besides objects, branch and states.
const FIXED: [&str; 5] = ["HEAD", "config", "description", PACK_LIST, REFS];

/// The directories that are there though nothing may be in them.
const DIRECTORIES: [&str; 4] = ["objects/info", "objects/pack", "refs/heads", "refs/tags"];

/// A file that never changes once it is there: its name is that of its content.
pub(crate) fn is_object(path: &str) -> bool {
    object_type(path).is_some()
}

/// The content type of an object or a pack, as git's own server names it; `None`: it is neither.
pub(crate) fn object_type(path: &str) -> Option<&'static str> {
    let (directory, file) = path.strip_prefix("objects/")?.split_once('/')?;
    if directory == "pack" {
        let (name, ending) = file.split_once('.')?;
        return match ending {
            _ if !name.strip_prefix("pack-").is_some_and(is_id) => None,
            "pack" => Some("application/x-git-packed-objects"),
            "idx" => Some("application/x-git-packed-objects-toc"),
            _ => None,
        };
    }
    let is_loose = directory.len() == 2 && is_hex(directory) && file.len() == 38 && is_hex(file);
    is_loose.then_some("application/x-git-loose-object")
}

/// Whether an export may write this file, or make this directory.
pub(crate) fn may_be_written(path: &str) -> bool {
    match path.strip_suffix('/') {
        Some(directory) => DIRECTORIES.contains(&directory),
        None => is_public(path) || path.strip_prefix(STATES).and_then(|path| path.strip_prefix('/')).is_some_and(is_id),
    }
}

/// Whether a copy of the repository has this file.
pub(crate) fn is_public(path: &str) -> bool {
    path == BRANCH || FIXED.contains(&path) || is_object(path)
}

/// Where the pack of this name is.
pub(crate) fn pack(name: &str) -> String {
    format!("objects/pack/{name}.pack")
}

/// Whether this is an ID as git writes it.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == 40 && is_hex(text)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_repository_has_is_written_or_given_away() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        for (path, written, public) in [
            ("HEAD", true, true),
            ("config", true, true),
            ("refs/heads/main", true, true),
            ("objects/info/packs", true, true),
            (&format!("objects/01/{}", &id[2..]), true, true),
            (&format!("objects/pack/pack-{id}.pack"), true, true),
            (&format!("objects/pack/pack-{id}.idx"), true, true),
            (&format!("gligabao/states/{id}"), true, false),
            ("refs/tags/", true, false),
            ("gligabao/origin.json", false, false),
            ("gligabao/lock", false, false),
            ("hooks/post-update", false, false),
            ("objects/info/alternates", false, false),
            ("refs/heads/../../x", false, false),
            ("/etc/passwd", false, false),
            ("../HEAD", false, false),
            (&format!("objects/pack/../../gligabao/states/{id}"), false, false),
            (&format!("objects/pack/pack-{id}.pack/"), false, false),
            (&format!("objects/01/{}", id[2..].to_uppercase()), false, false),
            ("", false, false),
        ] {
            assert_eq!((may_be_written(path), is_public(path)), (written, public), "{path}");
        }
    }
}
