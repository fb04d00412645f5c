//! The work tree: which files are where, kept so that a commit hashes only the directories that it changes.

mod entries;

use std::collections::BTreeMap;

pub(crate) use entries::{Entries, Key};

use super::delta::Delta;
use super::error::GitError;
use super::history::History;
use super::id::Id;
use super::object::{Kind, Mode};
use super::path::TreePath;

/// How many changes of one directory may wait for the next commit before they are merged into its entries.
const PENDING_LIMIT: usize = 16 * 1024;

/// A directory that changed, as it is written.
pub(crate) struct Changed<'a> {
    /// Its tree object.
    pub(crate) id: Id,
    /// The content of that object.
    pub(crate) content: &'a [u8],
    /// The way from what was written before; `None` if that is not known.
    pub(crate) change: Option<Delta>,
    /// How it was written before.
    pub(crate) history: &'a mut Option<Box<History>>,
}

/// The files of a repository.
#[derive(Debug)]
pub(crate) struct WorkTree {
    root: Directory,
    id: Id,
}

impl WorkTree {
    /// No files.
    pub(crate) fn new() -> Self {
        let root = Directory { unwritten: true, ..Directory::default() };
        Self { root, id: Id::of(Kind::Tree, b"") }
    }

    /// Takes directories over as they were written, the root first and each after the one that it is in: path and
    /// content. `None` if they are not the directories below this root.
    pub(crate) fn read<'a>(root: Id, directories: impl Iterator<Item = (&'a str, &'a [u8])>) -> Option<Self> {
        let mut tree = Self { id: root, ..Self::new() };
        for (path, content) in directories {
            if Id::of(Kind::Tree, content) != tree.id_of_directory(path)? {
                return None;
            }
            let entries = Entries::read(content.to_vec())?;
            tree.root.adopt(path, Directory { count: entries.iter().count(), entries, ..Directory::default() })?;
        }
        tree.root.is_whole().then_some(tree)
    }

    fn id_of_directory(&self, path: &str) -> Option<Id> {
        let mut id = self.id;
        let mut directory = Some(&self.root);
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let parent = directory?;
            id = parent.entries.get(&Key::directory(name))?;
            directory = parent.children.get(name).map(|child| &**child);
        }
        Some(id)
    }

    /// Every directory as it was last written, the root first and each after the one that it is in: path and content.
    pub(crate) fn for_each_directory(&self, visit: &mut dyn FnMut(&str, &[u8])) {
        self.root.visit(&mut String::new(), visit);
    }

    /// Forgets how directories were written: no base for deltas is left.
    pub(crate) fn forget_histories(&mut self) {
        self.root.forget_histories();
    }

    /// The blob of a file.
    pub(crate) fn get(&self, path: &TreePath) -> Option<Id> {
        let (directories, name) = split(path);
        let mut directory = &self.root;
        for name in directories {
            directory = directory.children.get(name)?;
        }
        directory.get(&Key::file(name))
    }

    /// Sets the blob of a file, which may be new; the blob that it had.
    ///
    /// # Errors
    /// [`GitError::Conflict`] if a directory is there or a file where a directory must be.
    pub(crate) fn put(&mut self, path: &TreePath, id: Id) -> Result<Option<Id>, GitError> {
        let mut components = path.as_str().split('/');
        self.root
            .put(&mut components, id)
            .map_err(|_| GitError::Conflict { path: path.to_string(), other: self.in_the_way(path) })
    }

    /// What keeps a path from being a file.
    fn in_the_way(&self, path: &TreePath) -> String {
        let text = path.as_str();
        let parents = text.match_indices('/').map(|(at, _)| &text[..at]);
        let file = parents.filter_map(|parent| TreePath::new(parent).ok()).find(|parent| self.get(parent).is_some());
        file.map_or_else(|| format!("{text}/"), |file| file.to_string())
    }

    /// Takes a file away, and the directories that are empty then; the blob that it had.
    ///
    /// # Errors
    /// [`GitError::Missing`] if there is none.
    pub(crate) fn remove(&mut self, path: &TreePath) -> Result<Id, GitError> {
        let mut components = path.as_str().split('/');
        let removed = self.root.remove(&mut components);
        removed.ok_or_else(|| GitError::Missing { path: path.to_string() })
    }

    /// Gives each directory that changed since the last time to `write`, each after those that are in it; the root's ID.
    pub(crate) fn write(&mut self, write: &mut dyn FnMut(Changed<'_>)) -> Id {
        if let Some(id) = self.root.write(write) {
            self.id = id;
        }
        self.id
    }
}

fn split(path: &TreePath) -> (impl Iterator<Item = &str>, &str) {
    let (directories, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
    (directories.split('/').filter(|name| !name.is_empty()), name)
}

/// What waits for the next commit.
#[derive(Debug, Clone, Copy)]
enum Edit {
    /// A file with this blob.
    File(Id),
    /// A directory of which something changed.
    Directory,
    /// Nothing is there any more.
    Gone,
}

/// A file is where a directory must be, or the reverse.
struct Conflict;

#[derive(Debug, Default)]
struct Directory {
    /// As last written, or as merged since.
    entries: Entries,
    /// Each directory in it has an entry there or an edit here.
    children: BTreeMap<Box<str>, Box<Directory>>,
    edits: BTreeMap<Key, Edit>,
    /// How many entries there are with the edits made.
    count: usize,
    /// Whether the entries are not what was last written: edits were merged, or it is a new root.
    unwritten: bool,
    history: Option<Box<History>>,
}

impl Directory {
    fn get(&self, key: &Key) -> Option<Id> {
        match self.edits.get(key) {
            Some(Edit::File(id)) => Some(*id),
            Some(Edit::Gone | Edit::Directory) => None,
            None => self.entries.get(key),
        }
    }

    fn put(&mut self, components: &mut std::str::Split<'_, char>, id: Id) -> Result<Option<Id>, Conflict> {
        let name = components.next().unwrap_or_default();
        let rest = components.clone().next();
        if rest.is_none() {
            if self.children.contains_key(name) {
                return Err(Conflict);
            }
            let key = Key::file(name);
            let before = self.get(&key);
            if before != Some(id) {
                self.count += usize::from(before.is_none());
                self.edit(key, Edit::File(id));
            }
            return Ok(before);
        }
        if let Some(child) = self.children.get_mut(name) {
            let before = child.put(components, id)?;
            if before != Some(id) {
                self.edit(Key::directory(name), Edit::Directory);
            }
            return Ok(before);
        }
        if self.get(&Key::file(name)).is_some() {
            return Err(Conflict);
        }
        let mut child = Box::<Self>::default();
        child.put(components, id)?;
        self.children.insert(name.into(), child);
        self.count += 1;
        self.edit(Key::directory(name), Edit::Directory);
        Ok(None)
    }

    fn remove(&mut self, components: &mut std::str::Split<'_, char>) -> Option<Id> {
        let name = components.next()?;
        if components.clone().next().is_none() {
            let key = Key::file(name);
            let id = self.get(&key)?;
            self.count -= 1;
            self.edit(key, Edit::Gone);
            return Some(id);
        }
        let child = self.children.get_mut(name)?;
        let id = child.remove(components)?;
        let edit = if child.count == 0 {
            self.children.remove(name);
            self.count -= 1;
            Edit::Gone
        } else {
            Edit::Directory
        };
        self.edit(Key::directory(name), edit);
        Some(id)
    }

    fn edit(&mut self, key: Key, edit: Edit) {
        self.edits.insert(key, edit);
        if self.edits.len() > PENDING_LIMIT {
            self.merge();
        }
    }

    /// Makes the pending changes of files, so that they take no more room than entries do.
    fn merge(&mut self) {
        let mut edits = std::mem::take(&mut self.edits);
        self.edits = edits.extract_if(.., |_, edit| matches!(edit, Edit::Directory)).collect();
        let files = edits.iter().map(|(key, edit)| match edit {
            Edit::File(id) => (key, Some(*id)),
            Edit::Gone | Edit::Directory => (key, None),
        });
        self.entries.apply(files);
        self.unwritten = true;
    }

    /// Writes what changed here and below; `None` if nothing did.
    fn write(&mut self, write: &mut dyn FnMut(Changed<'_>)) -> Option<Id> {
        let mut edits = Vec::with_capacity(self.edits.len());
        for (key, edit) in std::mem::take(&mut self.edits) {
            let id = match edit {
                Edit::File(id) => Some(id),
                Edit::Gone => None,
                Edit::Directory => {
                    let (_, name) = key.parts();
                    let name = std::str::from_utf8(name).expect("keys are made of paths");
                    let child = self.children.get_mut(name).expect("a changed directory is there");
                    let Some(id) = child.write(write) else { continue };
                    Some(id)
                }
            };
            if id != self.entries.get(&key) {
                edits.push((key, id));
            }
        }
        if edits.is_empty() && !self.unwritten {
            return None;
        }
        let delta = self.entries.apply(edits.iter().map(|(key, id)| (key, *id)));
        let content = self.entries.bytes();
        let id = Id::of(Kind::Tree, content);
        let change = (!std::mem::take(&mut self.unwritten)).then_some(delta);
        write(Changed { id, content, change, history: &mut self.history });
        Some(id)
    }

    /// Puts a directory at a path whose parents are here.
    fn adopt(&mut self, path: &str, directory: Self) -> Option<()> {
        let mut parent = self;
        let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                let there = parent.children.insert(name.into(), Box::new(directory));
                return there.is_none().then_some(());
            }
            parent = parent.children.get_mut(name)?;
        }
        *parent = directory;
        Some(())
    }

    /// Whether every directory that is an entry is there, at any depth.
    fn is_whole(&self) -> bool {
        let directories = self.entries.iter().filter(|entry| entry.mode == Mode::Directory).count();
        directories == self.children.len() && self.children.values().all(|child| child.count > 0 && child.is_whole())
    }

    fn forget_histories(&mut self) {
        self.history = None;
        self.children.values_mut().for_each(|child| child.forget_histories());
    }

    fn visit(&self, path: &mut String, visit: &mut dyn FnMut(&str, &[u8])) {
        visit(path, self.entries.bytes());
        let length = path.len();
        for (name, child) in &self.children {
            if length > 0 {
                path.push('/');
            }
            path.push_str(name);
            child.visit(path, visit);
            path.truncate(length);
        }
    }
}
