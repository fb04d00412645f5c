//! Repositories that are kept to be given away: one for each dataset and format, brought up to date when somebody asks.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use gligabao_core::history::Format;
use gligabao_core::model::FailureCode;
use gligabao_core::storage::StorageError;
use tempfile::TempDir;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::git::{ExportError, GitExport, GitRequest, blocking};
use super::{CallError, Memory, Scope, Shared};
use crate::engine::Stop;
use crate::repository::archive::Archive;
use crate::repository::{RepositoryError, names};
use crate::store::{DatasetId, GitSettings};

/// Loose objects and packs from which on a repository is packed anew: with more, clones take too long.
const LOOSE: usize = 10_000;
const PACKS: usize = 50;

/// Archives that are sent at the same time.
const SENDING: usize = 16;

/// How long another process that writes the same repository is waited for, and how often it is looked at.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

/// Where repositories are kept, and who works on them.
pub(super) struct GitCache {
    /// What the operator or the database says; without it, a directory that goes with the process.
    directory: Option<PathBuf>,
    temporary: OnceLock<TempDir>,
    lines: Mutex<HashMap<DatasetId, Weak<Line>>>,
    sending: Arc<Semaphore>,
}

/// An archive that may be sent: each that is on its way takes a thread.
#[derive(Debug)]
pub(crate) struct Sending {
    pub(crate) archive: Archive,
    _permit: OwnedSemaphorePermit,
}

/// The line of those who want a dataset's repositories.
#[derive(Debug, Default)]
struct Line {
    /// One update at a time.
    update: tokio::sync::Mutex<()>,
    /// Taken by readers; held alone while one repository takes the place of another.
    place: tokio::sync::RwLock<()>,
}

impl GitCache {
    pub(super) fn new(directory: Option<PathBuf>) -> Self {
        Self {
            directory,
            temporary: OnceLock::new(),
            lines: Mutex::default(),
            sending: Arc::new(Semaphore::new(SENDING)),
        }
    }

    fn root(&self) -> Result<&Path, RepositoryError> {
        if let Some(directory) = &self.directory {
            return Ok(directory);
        }
        if self.temporary.get().is_none() {
            let made = TempDir::with_prefix("gligabao-git-");
            let made = made.map_err(|error| RepositoryError::Io { path: std::env::temp_dir(), error })?;
            // Another call may have been faster; then this directory goes again.
            let _ = self.temporary.set(made);
        }
        Ok(self.temporary.get().expect("it was set").path())
    }

    fn of(&self, dataset: DatasetId) -> Result<PathBuf, RepositoryError> {
        Ok(self.root()?.join(dataset.number().to_string()))
    }

    fn line(&self, dataset: DatasetId) -> Arc<Line> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get(&dataset).and_then(Weak::upgrade) {
            return line;
        }
        lines.retain(|_, line| line.strong_count() > 0);
        let line = Arc::new(Line::default());
        lines.insert(dataset, Arc::downgrade(&line));
        line
    }

    /// Removes what is kept of a dataset that is gone.
    pub(super) async fn remove(&self, dataset: DatasetId) -> Result<(), ExportError> {
        if self.directory.is_none() && self.temporary.get().is_none() {
            return Ok(());
        }
        let line = self.line(dataset);
        let _alone = line.update.lock().await;
        let _unread = line.place.write().await;
        let directory = self.of(dataset)?;
        blocking(move || remove(&directory)).await
    }

    /// The datasets of which something is kept.
    async fn kept(&self) -> Result<Vec<DatasetId>, ExportError> {
        let Some(directory) = self.directory.clone() else { return Ok(Vec::new()) };
        let read = move || match fs::read_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(RepositoryError::Io { path: directory, error }),
            Ok(entries) => {
                let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
                Ok(names.filter_map(|name| name.parse().ok()).map(DatasetId::from_store).collect())
            }
        };
        blocking(read).await
    }
}

impl Memory {
    /// All of the dataset's repository as it is now.
    pub(crate) async fn git_archive(&self, scope: &Scope, request: GitRequest) -> Result<Sending, ExportError> {
        let dataset = self.find(scope).await?;
        let permit = Arc::clone(&self.0.git.sending).try_acquire_owned().map_err(|_| CallError::Busy)?;
        let archive = self.update(dataset, request, Archive::of).await?;
        Ok(Sending { archive, _permit: permit })
    }

    /// Brings the dataset's repository up to date.
    pub(crate) async fn git_update(&self, scope: &Scope) -> Result<(), ExportError> {
        let dataset = self.find(scope).await?;
        self.update(dataset, GitRequest::default(), |_| Ok(())).await
    }

    /// A file of the dataset's repository as it lies; `None`: there is none. It is only to be opened while the answer
    /// of `open` is awaited.
    pub(crate) async fn git_file<T>(
        &self,
        scope: &Scope,
        name: &str,
        open: impl AsyncFnOnce(PathBuf) -> T,
    ) -> Result<Option<T>, ExportError> {
        let dataset = self.find(scope).await?;
        if !names::is_public(name) {
            return Ok(None);
        }
        let line = self.0.git.line(dataset);
        let _reading = line.place.read().await;
        let path = self.0.git.of(dataset)?.join(directory_name(None)).join(name);
        Ok(if path.is_file() { Some(open(path).await) } else { None })
    }

    /// Removes what is kept of datasets that are gone.
    pub(super) async fn sweep_git(&self) -> Result<(), ExportError> {
        for dataset in self.0.git.kept().await? {
            if self.0.store.git_settings(dataset).await == Err(StorageError::NoDataset) {
                self.0.git.remove(dataset).await?;
            }
        }
        Ok(())
    }

    /// An update goes on when its caller goes away: the next one finds it done.
    async fn update<T: Send + 'static>(
        &self,
        dataset: DatasetId,
        request: GitRequest,
        look: impl FnOnce(&Path) -> Result<T, RepositoryError> + Send + 'static,
    ) -> Result<T, ExportError> {
        let shared = Arc::clone(&self.0);
        let updated = tokio::spawn(async move { shared.update_git(dataset, request, look).await });
        updated.await.map_err(|error| CallError::from(Stop::panicked(&error)))?
    }
}

impl Shared {
    async fn update_git<T: Send + 'static>(
        &self,
        dataset: DatasetId,
        request: GitRequest,
        look: impl FnOnce(&Path) -> Result<T, RepositoryError> + Send + 'static,
    ) -> Result<T, ExportError> {
        let settings = self.settle(dataset, request).await?;
        let line = self.git.line(dataset);
        let _alone = line.update.lock().await;
        let path = self.git.of(dataset)?.join(directory_name(request.format));
        let export = match self.try_export(dataset, settings, &path, request.format).await {
            Err(error) if begins_anew(&error) => {
                tracing::info!(%error, "a kept repository is made anew");
                self.replace(dataset, settings, &path, request.format, &line).await?
            }
            other => other?,
        };
        let (loose, packs) = export.stored;
        if packs > PACKS || (loose > LOOSE && request.format != Some(Format::Loose)) {
            self.replace(dataset, settings, &path, Some(Format::Pack), &line).await?;
        }
        // A dataset that was deleted meanwhile leaves nothing behind.
        self.store.git_settings(dataset).await.map_err(CallError::from)?;
        blocking(move || look(&path)).await
    }

    /// Exports, and waits for another process that does.
    async fn try_export(
        &self,
        dataset: DatasetId,
        settings: GitSettings,
        path: &Path,
        format: Option<Format>,
    ) -> Result<GitExport, ExportError> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.export(dataset, settings, path, format, |_| ()).await {
                Err(ExportError::Repository(RepositoryError::Locked(_))) if Instant::now() < end => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(ExportError::Repository(RepositoryError::Locked(_))) => return Err(CallError::Busy.into()),
                other => return other,
            }
        }
    }

    /// Exports all of it beside its place, and puts it there when it is whole. Clones that are under way find the same
    /// objects in packs.
    async fn replace(
        &self,
        dataset: DatasetId,
        settings: GitSettings,
        path: &Path,
        format: Option<Format>,
        line: &Line,
    ) -> Result<GitExport, ExportError> {
        let [beside, old] = ["new", "old"].map(|ending| path.with_extension(ending));
        for leftover in [beside.clone(), old.clone()] {
            blocking(move || remove(&leftover)).await?;
        }
        let export = self.try_export(dataset, settings, &beside, format).await?;
        let _unread = line.place.write().await;
        let path = path.to_owned();
        let swap = move || {
            rename(&path, &old)?;
            rename(&beside, &path)?;
            remove(&old)
        };
        blocking(swap).await?;
        Ok(export)
    }
}

fn directory_name(format: Option<Format>) -> &'static str {
    match format {
        None => "default.git",
        Some(Format::Loose) => "loose.git",
        Some(Format::Pack) => "pack.git",
    }
}

/// Whether what is kept is of no use any more.
fn begins_anew(error: &ExportError) -> bool {
    match error {
        ExportError::Repository(error) => matches!(
            error,
            RepositoryError::Foreign(_) | RepositoryError::OtherHistory(_) | RepositoryError::Damaged { .. }
        ),
        ExportError::Call(CallError::Failure(failure)) => {
            matches!(failure.code, FailureCode::Conflict | FailureCode::Invalid)
        }
        ExportError::Call(_) => false,
    }
}

fn remove(path: &Path) -> Result<(), RepositoryError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(RepositoryError::Io { path: path.to_owned(), error })
        }
        _ => Ok(()),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), RepositoryError> {
    fs::rename(from, to).map_err(|error| RepositoryError::Io { path: from.to_owned(), error })
}
