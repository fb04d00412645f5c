//! Bare git repositories in directories: written so that a kill at any moment leaves a whole one, and found where they
//! stand.
//!
//! What the memory's exporter gives is put beside its place first and moved there when it is whole, and reaches the disk
//! before the branch names it. A repository of someone else is left alone.

pub mod archive;
pub(crate) mod names;
mod sink;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gligabao_core::git::{BRANCH, STATES};
use gligabao_core::history::Resume;
use gligabao_core::storage::Head;
use serde::{Deserialize, Serialize};

pub use self::sink::Written;
use crate::store::GitSettings;

/// What git doesn't look at: the lock, what is being written, and what the next export needs.
const OWN: &str = "gligabao";
const LOCK: &str = "gligabao/lock";
const TEMPORARY: &str = "gligabao/temporary";
const ORIGIN: &str = "gligabao/origin.json";

/// How long a lock that is held is tried again, and how often.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);

/// Why a repository can't be written. Each says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// The system refused to read or write.
    #[error("{}: {error}; look after the disk and the permissions, then try again", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Something else is there.
    #[error("{}: holds something else than a repository that gligabao wrote; name another directory", .0.display())]
    Foreign(PathBuf),
    /// Another process writes it.
    #[error("{}: is being written by another export; try again when that is done", .0.display())]
    Locked(PathBuf),
    /// It holds another history than the dataset's.
    #[error(
        "{}: holds the history of another dataset, or of one that was deleted or restored since; \
         name another directory, or delete this one to export anew", .0.display()
    )]
    OtherHistory(PathBuf),
    /// What is there can't be gone on from.
    #[error("{}: is damaged: {what}; delete it to export anew", path.display())]
    Damaged {
        /// The repository.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
}

/// Whose history a repository holds, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    dataset: String,
    created_at: i64,
    layout: String,
    series: bool,
    /// `seq` of the last call that was there when an export ended, and the time of the last change by then.
    #[serde(default)]
    exported: Option<Exported>,
    /// The packs that the last export listed: with others, somebody packed it anew.
    #[serde(default)]
    packs: Vec<String>,
}

/// Up to where a repository is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exported {
    /// `seq` of the last call.
    pub seq: u64,
    /// Transaction time of the last change by then, in microseconds since 1970; `None`: there was none.
    pub changed_at: Option<i64>,
}

impl Origin {
    /// Of a dataset that is exported so.
    #[must_use]
    pub fn new(head: &Head, settings: GitSettings) -> Self {
        Self {
            dataset: head.name.clone(),
            created_at: head.created_at.0,
            layout: settings.layout.as_str().to_owned(),
            series: settings.series,
            exported: None,
            packs: Vec::new(),
        }
    }
}

/// A repository that this process alone writes, until it is dropped.
#[derive(Debug)]
pub struct Repository {
    path: PathBuf,
    origin: Origin,
    head: Option<String>,
    sink: sink::Sink,
    _lock: File,
}

impl Repository {
    /// Opens the repository of a history, or makes it. What a killed run left half-written is removed.
    ///
    /// # Errors
    /// When something else is there, another process writes it, or the system refuses.
    pub fn open(path: &Path, origin: &Origin) -> Result<Self, RepositoryError> {
        claim(path)?;
        let lock = lock(path)?;
        let own = path.join(ORIGIN);
        let (origin, is_known) = match fs::read(&own) {
            Ok(found) => {
                let found: Origin = serde_json::from_slice(&found)
                    .map_err(|_| RepositoryError::Damaged { path: own, what: "it does not say whose history it is" })?;
                if (Origin { exported: None, packs: Vec::new(), ..found.clone() }) != *origin {
                    return Err(RepositoryError::OtherHistory(path.to_owned()));
                }
                (found, true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (origin.clone(), false),
            Err(error) => return Err(RepositoryError::Io { path: own, error }),
        };
        let sink = sink::Sink::new(path)?;
        let head = read_branch(path)?;
        let mut repository = Self { path: path.to_owned(), origin, head, sink, _lock: lock };
        if !is_known {
            repository.save_origin()?;
        }
        if let Some(head) = &repository.head {
            sink::remove_old_states(path, head)?;
        }
        Ok(repository)
    }

    /// The commit of its branch, if it has one.
    #[must_use]
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// Up to where it is whole.
    #[must_use]
    pub fn exported(&self) -> Option<Exported> {
        self.head.as_ref().and(self.origin.exported)
    }

    /// Where an export goes on; `None`: it is new.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn resume(&self) -> Result<Option<Resume>, RepositoryError> {
        let Some(head) = self.head.clone() else { return Ok(None) };
        let listed = listed_packs(&self.path)?;
        let are_there = listed.iter().all(|pack| self.path.join(names::pack(pack)).is_file());
        if !are_there || listed != self.origin.packs {
            // The saved state names the packs of before.
            let packs = packs(&self.path)?;
            return Ok(Some(Resume { head, state: None, packs }));
        }
        let path = self.path.join(STATES).join(&head);
        let state = match fs::read(&path) {
            Ok(state) => Some(state),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(RepositoryError::Io { path, error }),
        };
        Ok(Some(Resume { head, state, packs: listed }))
    }

    /// Forgets the saved state, so that the next export goes on without it.
    pub(crate) fn forget_state(&self) -> Result<(), RepositoryError> {
        let Some(head) = &self.head else { return Ok(()) };
        sink::remove(&self.path.join(STATES).join(head))
    }

    /// How many loose objects and how many packs it has.
    pub(crate) fn count(&self) -> Result<(usize, usize), RepositoryError> {
        let mut loose = 0;
        for directory in list(&self.path.join("objects"))?.into_iter().filter(|name| name.len() == 2) {
            loose += list(&self.path.join("objects").join(directory))?.len();
        }
        Ok((loose, packs(&self.path)?.len()))
    }

    /// The export is whole: it has all calls up to this one.
    ///
    /// # Errors
    /// When it does not reach the disk.
    pub fn finish(mut self, exported: Exported) -> Result<Written, RepositoryError> {
        self.sink.flush()?;
        if self.origin.exported.replace(exported) != Some(exported) {
            self.save_origin()?;
        }
        Ok(self.sink.written())
    }

    fn save_origin(&mut self) -> Result<(), RepositoryError> {
        let json = serde_json::to_vec(&self.origin).expect("it has string keys only");
        self.sink.put(ORIGIN, &json)
    }
}

/// Makes the directory, or looks whether it is ours. Only its owner can read it.
fn claim(path: &Path) -> Result<(), RepositoryError> {
    let failed = |error| RepositoryError::Io { path: path.to_owned(), error };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    if path.exists() && !path.is_dir() {
        return Err(RepositoryError::Foreign(path.to_owned()));
    }
    builder.create(path).map_err(failed)?;
    let own = path.join(OWN);
    if !own.is_dir() && path.read_dir().map_err(failed)?.next().is_some() {
        return Err(RepositoryError::Foreign(path.to_owned()));
    }
    builder.create(&own).map_err(failed)
}

/// The system takes the lock back from a process that ends, however it ends. A child of this process that is just being
/// started has what this process had open, so a lock that is held is tried again for a moment.
fn lock(path: &Path) -> Result<File, RepositoryError> {
    let failed = |error| RepositoryError::Io { path: path.join(LOCK), error };
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path.join(LOCK)).map_err(failed)?;
    let end = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(RepositoryError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

/// The commit of the branch: in a file of its own, or where git packs branches.
fn read_branch(path: &Path) -> Result<Option<String>, RepositoryError> {
    let read = |name: &str| match fs::read_to_string(path.join(name)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RepositoryError::Io { path: path.join(name), error }),
    };
    let head = match read(BRANCH)? {
        Some(branch) => Some(branch.trim_end().to_owned()),
        None => read("packed-refs")?.and_then(|packed| {
            let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(_, name)| *name == BRANCH).map(|(id, _)| id.to_owned())
        }),
    };
    match head {
        Some(head) if !names::is_id(&head) => {
            Err(RepositoryError::Damaged { path: path.to_owned(), what: "its branch is no commit" })
        }
        head => Ok(head),
    }
}

/// The packs that the last export listed, oldest first.
fn listed_packs(path: &Path) -> Result<Vec<String>, RepositoryError> {
    let path = path.join(names::PACK_LIST);
    match fs::read_to_string(&path) {
        Ok(list) => {
            let packs = list.lines().filter_map(|line| line.strip_prefix("P ")?.strip_suffix(".pack"));
            Ok(packs.map(str::to_owned).collect())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(RepositoryError::Io { path, error }),
    }
}

/// The packs that are there, by name.
fn packs(path: &Path) -> Result<Vec<String>, RepositoryError> {
    let files = list(&path.join("objects/pack"))?;
    let packs = files.iter().filter_map(|name| name.strip_suffix(".pack"));
    Ok(packs.map(str::to_owned).collect())
}

/// The names in a directory, sorted; none where it isn't there.
fn list(path: &Path) -> Result<Vec<String>, RepositoryError> {
    let read = || path.read_dir()?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>();
    let mut names: Vec<String> = match read() {
        Ok(names) => names.into_iter().filter_map(|name| name.into_string().ok()).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(RepositoryError::Io { path: path.to_owned(), error }),
    };
    names.sort_unstable();
    Ok(names)
}
