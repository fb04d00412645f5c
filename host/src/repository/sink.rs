//! Where the parts of an export become files.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gligabao_core::git::{BRANCH, Part, STATES};

use super::{Repository, RepositoryError, TEMPORARY, list, names};

/// Files that are brought to the disk at the same time: the system does several at once in about the time of one.
const SYNCS: usize = 16;

/// How much an export wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Writes files so that each is whole or not there, and all that the branch needs is on the disk before it is.
#[derive(Debug)]
pub(super) struct Sink {
    root: PathBuf,
    /// The file whose last piece is still to come.
    begun: Option<(String, File)>,
    /// Files that are in their places and may not be on the disk yet.
    unsynced: Vec<PathBuf>,
    written: Written,
}

impl Repository {
    /// Takes the next part of an export.
    ///
    /// # Errors
    /// When no repository has such a file, the file before it is not whole, or the system refuses.
    pub fn write(&mut self, part: &Part) -> Result<(), RepositoryError> {
        if !names::may_be_written(&part.path) {
            let what = "the export names a file that no repository has; report this";
            return Err(RepositoryError::Damaged { path: self.path.clone(), what });
        }
        self.sink.write(part)?;
        if part.path == names::PACK_LIST && part.last {
            self.origin.packs = super::listed_packs(&self.path)?;
            self.save_origin()?;
        }
        if part.path == BRANCH && part.last {
            self.head = super::read_branch(&self.path)?;
            if let Some(head) = &self.head {
                remove_old_states(&self.path, head)?;
            }
        }
        Ok(())
    }
}

impl Sink {
    /// Into this directory. What was begun before is gone.
    pub(super) fn new(root: &Path) -> Result<Self, RepositoryError> {
        let temporary = root.join(TEMPORARY);
        match fs::remove_dir_all(&temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&temporary, error)),
            _ => make_directory(&temporary)?,
        }
        Ok(Self { root: root.to_owned(), begun: None, unsynced: Vec::new(), written: Written::default() })
    }

    pub(super) fn written(&self) -> Written {
        self.written
    }

    /// Writes a whole file of its own.
    pub(super) fn put(&mut self, path: &str, bytes: &[u8]) -> Result<(), RepositoryError> {
        let (temporary, mut file) = self.begin()?;
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| failed(&temporary, error))?;
        self.place(&temporary, &self.root.join(path))
    }

    fn write(&mut self, part: &Part) -> Result<(), RepositoryError> {
        if let Some(directory) = part.path.strip_suffix('/') {
            return make_directory(&self.root.join(directory));
        }
        let mut file = match self.begun.take() {
            Some((path, file)) if path == part.path => file,
            Some(_) => {
                let what = "the export leaves a file half-written; report this";
                return Err(RepositoryError::Damaged { path: self.root.clone(), what });
            }
            None => self.begin()?.1,
        };
        file.write_all(&part.bytes).map_err(|error| failed(&self.temporary(), error))?;
        self.written.bytes += part.bytes.len() as u64;
        if part.last {
            self.written.files += 1;
            self.end(&part.path, &file)
        } else {
            self.begun = Some((part.path.clone(), file));
            Ok(())
        }
    }

    /// All of a file is written beside its place.
    fn end(&mut self, path: &str, file: &File) -> Result<(), RepositoryError> {
        let (temporary, place) = (self.temporary(), self.root.join(path));
        let length = file.metadata().map_err(|error| failed(&temporary, error))?.len();
        if path == BRANCH {
            self.flush()?;
            file.sync_all().map_err(|error| failed(&temporary, error))?;
            return self.place(&temporary, &place);
        }
        let is_there = names::is_object(path) && fs::metadata(&place).is_ok_and(|there| there.len() == length);
        if is_there {
            // It has the same content, and somebody may be reading it.
            remove(&temporary)?;
        } else {
            rename(&temporary, &place)?;
        }
        self.unsynced.push(place);
        Ok(())
    }

    /// Brings everything that is in its place to the disk.
    pub(super) fn flush(&mut self) -> Result<(), RepositoryError> {
        let files = std::mem::take(&mut self.unsynced);
        let share = files.len().div_ceil(SYNCS).max(1);
        std::thread::scope(|scope| {
            let threads: Vec<_> = files
                .chunks(share)
                .map(|files| scope.spawn(|| files.iter().try_for_each(|file| sync_file(file))))
                .collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("it does nothing that panics"))
        })?;
        let above = |file: &PathBuf| {
            let directories = file.ancestors().skip(1).take_while(|path| path.starts_with(&self.root));
            directories.map(Path::to_owned).collect::<Vec<_>>()
        };
        let directories: BTreeSet<PathBuf> = files.iter().flat_map(above).collect();
        directories.iter().try_for_each(|directory| sync_directory(directory))
    }

    fn begin(&self) -> Result<(PathBuf, File), RepositoryError> {
        let path = self.temporary();
        let file = File::create(&path).map_err(|error| failed(&path, error))?;
        Ok((path, file))
    }

    /// Moves a file that is on the disk to its place, for good.
    fn place(&self, temporary: &Path, place: &Path) -> Result<(), RepositoryError> {
        rename(temporary, place)?;
        sync_directory(place.parent().unwrap_or(&self.root))
    }

    /// One file is written at a time.
    fn temporary(&self) -> PathBuf {
        self.root.join(TEMPORARY).join("file")
    }
}

/// Removes the saved states but that of the branch's commit.
pub(super) fn remove_old_states(root: &Path, head: &str) -> Result<(), RepositoryError> {
    let states = root.join(STATES);
    list(&states)?.iter().filter(|name| *name != head).try_for_each(|name| remove(&states.join(name)))
}

/// Removes a file, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), RepositoryError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path, error)),
        _ => Ok(()),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), RepositoryError> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_directory(to.parent().unwrap_or(to))?;
            fs::rename(from, to).map_err(|error| failed(to, error))
        }
        renamed => renamed.map_err(|error| failed(to, error)),
    }
}

fn make_directory(path: &Path) -> Result<(), RepositoryError> {
    fs::create_dir_all(path).map_err(|error| failed(path, error))
}

/// Brings a file to the disk. A state that a newer one has replaced is gone.
fn sync_file(path: &Path) -> Result<(), RepositoryError> {
    match OpenOptions::new().read(true).write(cfg!(windows)).open(path) {
        Ok(file) => file.sync_all().map_err(|error| failed(path, error)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(path, error)),
    }
}

/// Brings the names of a directory to the disk, where the system lets a directory be opened.
fn sync_directory(path: &Path) -> Result<(), RepositoryError> {
    if cfg!(unix) {
        File::open(path).and_then(|directory| directory.sync_all()).map_err(|error| failed(path, error))?;
    }
    Ok(())
}

fn failed(path: &Path, error: io::Error) -> RepositoryError {
    RepositoryError::Io { path: path.to_owned(), error }
}
