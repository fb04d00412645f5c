//! The writer: commits go in one after the other, parts of the repository's files come out.

use std::collections::BTreeMap;

use super::deflate::Level;
use super::error::GitError;
use super::id::Id;
use super::loose::Loose;
use super::message::Message;
use super::object::{Commit, CommitTime, Kind};
use super::pack::{PACK_LIMIT, Packer};
use super::part::{Part, Parts};
use super::path::TreePath;
use super::tree::{Changed, WorkTree};
use super::{repository, state};

/// How objects are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A file each. For up to some thousands.
    Loose,
    /// In packs.
    Pack,
}

/// How a repository is written. None of it changes the ID of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How objects are stored.
    pub format: Format,
    /// How hard they are compressed.
    pub level: Level,
    /// Most bytes of a pack, up to [`PACK_LIMIT`]: about what the writer needs of memory beside the work tree.
    pub pack_limit: usize,
    /// Whether publishing also saves a state to resume from.
    pub keep_state: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { format: Format::Pack, level: Level::FAST, pack_limit: PACK_LIMIT, keep_state: true }
    }
}

/// Writes the history of one branch.
///
/// The same commits give the same IDs, whatever the options and however often it was interrupted; the same commits since
/// the last [`Writer::publish`] give the same packs.
#[derive(Debug)]
pub struct Writer {
    options: Options,
    tree: WorkTree,
    /// Files of the commit to come, with what was at their place before.
    pending: BTreeMap<TreePath, Pending>,
    head: Option<Id>,
    /// The content of the newest commit.
    commit: Vec<u8>,
    packs: Vec<String>,
    /// What the caller has the next state keep.
    note: Vec<u8>,
    /// The commit whose state was saved last.
    saved: Option<Id>,
    output: Output,
    parts: Parts,
    /// What is still to be given of what is being published.
    rest: Option<Rest>,
}

/// The stages of publishing after the pack. Each is made when the one before was taken, so that only one is in memory.
#[derive(Debug, Clone, Copy)]
enum Rest {
    State,
    Branch,
}

#[derive(Debug)]
struct Pending {
    id: Id,
    content: Vec<u8>,
    before: Option<Id>,
}

#[derive(Debug)]
enum Output {
    Loose(Loose),
    Pack(Box<Packer>),
    /// Nothing is written up to this commit.
    Until(Id),
}

impl Output {
    fn new(options: &Options) -> Self {
        match options.format {
            Format::Loose => Self::Loose(Loose::new(options.level)),
            Format::Pack => Self::Pack(Box::new(Packer::new(options.level, options.pack_limit))),
        }
    }

    fn blob(&mut self, pending: &Pending, parts: &mut Parts) {
        let Pending { id, content, before } = pending;
        match self {
            Self::Loose(loose) => loose.object(Kind::Blob, *id, content, parts),
            Self::Pack(packer) => packer.blob(*id, content, *before, parts),
            Self::Until(_) => {}
        }
    }

    fn tree(&mut self, changed: Changed<'_>, parts: &mut Parts) {
        match self {
            Self::Loose(loose) => loose.object(Kind::Tree, changed.id, changed.content, parts),
            Self::Pack(packer) => packer.tree(changed, parts),
            Self::Until(_) => {}
        }
    }

    fn commit(&mut self, id: Id, content: &[u8], parts: &mut Parts) {
        match self {
            Self::Loose(loose) => loose.object(Kind::Commit, id, content, parts),
            Self::Pack(packer) => packer.commit(id, content, parts),
            Self::Until(_) => {}
        }
    }
}

impl Writer {
    /// A new repository. `description` is one line for people.
    #[must_use]
    pub fn new(options: Options, description: &str) -> Self {
        let mut parts = Parts::default();
        repository::begin(&super::text::one_line(description, super::message::LINE_LIMIT), &mut parts);
        Self { parts, ..Self::with(options, Output::new(&options)) }
    }

    /// Goes on from the commit `head`, whose state was saved when it was published.
    ///
    /// # Errors
    /// [`GitError::State`] if the state is damaged or of another commit.
    pub fn resume(options: Options, head: Id, state: &[u8]) -> Result<Self, GitError> {
        let state::State { commit, note, packs, tree } = state::read(state, head)?;
        let head = Some(head);
        Ok(Self { tree, head, commit, note, packs, saved: head, ..Self::with(options, Output::new(&options)) })
    }

    /// Goes on from the commit `head` without a saved state: it is given the history from its beginning again, and
    /// writes what comes after that commit. `packs` are the names of the packs that are there, oldest first, without
    /// path and ending.
    #[must_use]
    pub fn catch_up(options: Options, head: Id, packs: Vec<String>) -> Self {
        Self { packs, ..Self::with(options, Output::Until(head)) }
    }

    fn with(options: Options, output: Output) -> Self {
        Self {
            options,
            tree: WorkTree::new(),
            pending: BTreeMap::new(),
            head: None,
            commit: Vec::new(),
            packs: Vec::new(),
            note: Vec::new(),
            saved: None,
            output,
            parts: Parts::default(),
            rest: None,
        }
    }

    /// The newest commit.
    #[must_use]
    pub fn head(&self) -> Option<Id> {
        self.head
    }

    /// What the state kept that the writer resumed from, or what was noted since.
    #[must_use]
    pub fn note(&self) -> &[u8] {
        &self.note
    }

    /// Has the states from now on keep a few bytes of the caller's: where the commits so far stand in what they tell.
    pub fn set_note(&mut self, note: impl Into<Vec<u8>>) {
        self.settle();
        self.note = note.into();
    }

    /// The blob that is at a path, with the changes for the commit to come.
    #[must_use]
    pub fn get(&self, path: &TreePath) -> Option<Id> {
        self.tree.get(path)
    }

    /// Sets the content of a file in the commit to come.
    ///
    /// # Errors
    /// [`GitError::Conflict`] if a directory is there, or a file where a directory must be.
    pub fn put(&mut self, path: TreePath, content: Vec<u8>) -> Result<(), GitError> {
        self.settle();
        let id = Id::of(Kind::Blob, &content);
        let now = self.tree.put(&path, id)?;
        let before = self.pending.get(&path).map_or(now, |pending| pending.before);
        if before == Some(id) {
            self.pending.remove(&path);
        } else {
            self.pending.insert(path, Pending { id, content, before });
        }
        Ok(())
    }

    /// Takes a file out of the commit to come.
    ///
    /// # Errors
    /// [`GitError::Missing`] if there is none.
    pub fn remove(&mut self, path: &TreePath) -> Result<(), GitError> {
        self.settle();
        self.tree.remove(path)?;
        self.pending.remove(path);
        Ok(())
    }

    /// Makes a commit of the files as they are now; its ID.
    pub fn commit(&mut self, time: CommitTime, message: Message) -> Id {
        self.settle();
        let Self { output, parts, .. } = self;
        for pending in std::mem::take(&mut self.pending).values() {
            output.blob(pending, parts);
        }
        let tree = self.tree.write(&mut |changed| output.tree(changed, parts));
        let commit = Commit { tree, parent: self.head, time, message };
        self.commit.clear();
        commit.write_to(&mut self.commit);
        let id = Id::of(Kind::Commit, &self.commit);
        output.commit(id, &self.commit, parts);
        self.head = Some(id);
        match &mut self.output {
            Output::Until(head) if *head == id => self.output = Output::new(&self.options),
            Output::Pack(packer) => {
                let finished = packer.take_finished();
                if !finished.is_empty() {
                    self.packs.extend(finished);
                    self.tree.forget_histories();
                }
            }
            Output::Loose(_) | Output::Until(_) => {}
        }
        id
    }

    /// Makes the newest commit visible: gives what it needs, and the branch last. More commits can follow. The state of a
    /// commit is saved once.
    ///
    /// # Errors
    /// [`GitError::Unreached`] if the history that was given to a writer that catches up has not that commit: what was
    /// exported is no beginning of it.
    pub fn publish(&mut self) -> Result<(), GitError> {
        if let Output::Until(head) = self.output {
            return Err(GitError::Unreached { head });
        }
        self.settle();
        if self.head.is_none() {
            return Ok(());
        }
        if let Output::Pack(packer) = &mut self.output {
            packer.finish(&mut self.parts);
            self.packs.extend(packer.take_finished());
            self.tree.forget_histories();
        }
        self.rest = Some(if self.options.keep_state && self.saved != self.head { Rest::State } else { Rest::Branch });
        Ok(())
    }

    /// Makes what is still to be given, before something else changes.
    fn settle(&mut self) {
        while self.rest.is_some() {
            self.give_rest();
        }
    }

    fn give_rest(&mut self) {
        let (Some(rest), Some(head)) = (self.rest.take(), self.head) else { return };
        match rest {
            Rest::State => {
                let state = state::write(&self.commit, &self.note, &self.packs, &self.tree);
                self.saved = Some(head);
                self.parts.pieces(&format!("{}/{head}", repository::STATES), state.into_pieces());
                self.rest = Some(Rest::Branch);
            }
            Rest::Branch => repository::publish(head, &self.packs, &mut self.parts),
        }
    }

    /// Whether the pack that is being made has little room left: a good moment to publish.
    #[must_use]
    pub fn is_pack_nearly_full(&self) -> bool {
        matches!(&self.output, Output::Pack(packer) if packer.is_nearly_full())
    }

    /// The next part that is ready. Take all there are before the next commit, so that they don't heap up.
    pub fn next_part(&mut self) -> Option<Part> {
        while self.parts.is_empty() && self.rest.is_some() {
            self.give_rest();
        }
        self.parts.pop()
    }
}
