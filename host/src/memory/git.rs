//! The history of a dataset, as a list and as a git repository.

use std::path::Path;
use std::sync::Arc;

use gligabao_core::git::PACK_LIMIT;
use gligabao_core::history::{ExportRequest, Format, HistoryAnswer, HistoryRequest, Layout, Progress};
use gligabao_core::model::{Failure, FailureCode};
use gligabao_core::storage::Head;
use gligabao_core::time::Micros;

use super::{CallError, Memory, Scope, Shared};
use crate::engine::{SnapshotHandle, Stop};
use crate::repository::{Exported, Origin, Repository, RepositoryError, Written};
use crate::store::{DatasetId, GitSettings};

use gligabao_core::convert::Convert;

/// Objects that are a file each rather than in a pack.
const LOOSE: u64 = 2_000;

/// How many objects a call makes about: the commit, its log, a text, two facts with what they are about, directories.
const OBJECTS_A_CALL: u64 = 19;

/// How a repository is wanted. What isn't said is as the dataset has it, or as suits its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GitRequest {
    /// How new objects are stored.
    pub format: Option<Format>,
    /// How files are spread over directories.
    pub layout: Option<Layout>,
    /// Whether the points of series are files too.
    pub series: Option<bool>,
}

/// What an export did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitExport {
    /// The commit of the branch.
    pub head: String,
    /// Whether there was none before.
    pub is_new: bool,
    /// Commits that came to it.
    pub commits: u64,
    /// What was written.
    pub written: Written,
    /// Objects that are a file each, and packs.
    pub stored: (usize, usize),
}

/// Why an export did not come to its end. What it wrote by then is whole, and the next one goes on.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The memory could not do it.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The directory could not be written.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
}

impl From<Stop> for ExportError {
    fn from(stop: Stop) -> Self {
        Self::Call(stop.into())
    }
}

impl Memory {
    /// What calls did, oldest first.
    ///
    /// # Errors
    /// When the request is malformed, there is no such dataset, or as [`CallError`] lists.
    pub async fn list_history(&self, scope: &Scope, request: HistoryRequest) -> Result<HistoryAnswer, CallError> {
        self.read(scope, move |session, snapshot| {
            Box::pin(async move {
                let history = session.guest.gligabao_memory_history();
                history.call_list_history(&mut session.store, snapshot, &request.convert()).await
            })
        })
        .await
    }

    /// Writes the history of a dataset to a bare repository, or brings it up to date. `progress` is told now and then.
    /// It can be stopped at any moment: the repository is whole, and the next export goes on.
    ///
    /// # Errors
    /// When the dataset is exported in another way already, or as [`ExportError`] lists.
    pub async fn export_git(
        &self,
        scope: &Scope,
        directory: &Path,
        request: GitRequest,
        progress: impl FnMut(Progress) + Send,
    ) -> Result<GitExport, ExportError> {
        let dataset = self.find(scope).await?;
        let settings = self.0.settle(dataset, request).await?;
        self.0.export(dataset, settings, directory, request.format, progress).await
    }
}

impl Shared {
    /// How a dataset is exported; the first who asks fixes it.
    pub(super) async fn settle(&self, dataset: DatasetId, request: GitRequest) -> Result<GitSettings, CallError> {
        let fixed = self.store.git_settings(dataset).await?;
        let wanted = GitSettings {
            layout: request.layout.or(fixed.map(|fixed| fixed.layout)).unwrap_or(Layout::Flat),
            series: request.series.or(fixed.map(|fixed| fixed.series)).unwrap_or(false),
        };
        let holds = match fixed {
            Some(fixed) => fixed,
            None => self.store.fix_git_settings(dataset, wanted).await?,
        };
        let refused = |field: &str, what: &str| {
            let message = format!("{field}: the dataset is exported {what} since its first export; leave {field} out");
            let failure = Failure { field: Some(field.to_owned()), ..Failure::new(FailureCode::Conflict, message) };
            Err(CallError::Failure(failure))
        };
        match (holds.layout == wanted.layout, holds.series == wanted.series) {
            (true, true) => Ok(holds),
            (false, _) => refused("layout", &format!("in the layout {}", holds.layout)),
            (_, false) => refused("series", if holds.series { "with series" } else { "without series" }),
        }
    }

    pub(super) async fn export(
        &self,
        dataset: DatasetId,
        settings: GitSettings,
        directory: &Path,
        format: Option<Format>,
        mut progress: impl FnMut(Progress) + Send,
    ) -> Result<GitExport, ExportError> {
        let head = self.store.summarize_dataset(dataset).await.map_err(CallError::from)?.head;
        let (path, origin) = (directory.to_owned(), Origin::new(&head, settings));
        let repository = open(&path, &origin).await?;
        self.check_history(dataset, &head, directory, repository.exported()).await?;
        let is_new = repository.head().is_none();
        let format = format.unwrap_or_else(|| suits(&head, repository.exported()));
        let (repository, commits) = if repository.exported().is_some_and(|exported| exported.seq == head.seq) {
            (repository, 0)
        } else {
            match self.add(dataset, settings, format, repository, &mut progress).await {
                Err(ExportError::Call(CallError::Failure(failure))) if is_about_state(&failure) => {
                    tracing::warn!(%failure, "a saved state is of no use; the history is read from its beginning");
                    let repository = open(&path, &origin).await?;
                    repository.forget_state()?;
                    self.add(dataset, settings, format, repository, &mut progress).await?
                }
                added => added?,
            }
        };
        let exported = self.exported(dataset, &head).await?;
        let export = blocking(move || {
            let head = repository.head().unwrap_or_default().to_owned();
            let stored = repository.count()?;
            Ok(GitExport { head, is_new, commits, stored, written: repository.finish(exported)? })
        });
        export.await
    }

    /// Adds what is new, step by step; how many commits that were.
    async fn add(
        &self,
        dataset: DatasetId,
        settings: GitSettings,
        format: Format,
        repository: Repository,
        progress: &mut (impl FnMut(Progress) + Send),
    ) -> Result<(Repository, u64), ExportError> {
        let (mut repository, resume) = blocking(move || {
            let resume = repository.resume()?;
            Ok((repository, resume))
        })
        .await?;
        let GitSettings { layout, series } = settings;
        let pack_limit = u32::try_from(PACK_LIMIT).expect("it is 64 MiB");
        let mut export = self.engine.export(ExportRequest { layout, series, format, pack_limit, resume }).await?;
        loop {
            let snapshot = async {
                let snapshot = self.store.snapshot(dataset).await?;
                Ok(SnapshotHandle::new(Arc::clone(&self.store), dataset, snapshot, None))
            };
            let parts = export.step(snapshot).await?;
            let so_far = export.progress().await?;
            progress(so_far);
            let Some(parts) = parts else { return Ok((repository, so_far.commits)) };
            repository = blocking(move || {
                parts.iter().try_for_each(|part| repository.write(part))?;
                Ok(repository)
            })
            .await?;
        }
    }

    /// Whether what was exported is a beginning of what there is.
    async fn check_history(
        &self,
        dataset: DatasetId,
        head: &Head,
        directory: &Path,
        exported: Option<Exported>,
    ) -> Result<(), ExportError> {
        let Some(exported) = exported else { return Ok(()) };
        let changed_at = self.changed_at(dataset, exported.seq).await?;
        if exported.seq <= head.seq && exported.changed_at == changed_at.map(|at| at.0) {
            Ok(())
        } else {
            Err(RepositoryError::OtherHistory(directory.to_owned()).into())
        }
    }

    /// What an export has that was begun when the dataset was so. It may have more.
    async fn exported(&self, dataset: DatasetId, head: &Head) -> Result<Exported, CallError> {
        let changed_at = self.changed_at(dataset, head.seq).await?;
        Ok(Exported { seq: head.seq, changed_at: changed_at.map(|at| at.0) })
    }

    async fn changed_at(&self, dataset: DatasetId, seq: u64) -> Result<Option<Micros>, CallError> {
        Ok(self.store.snapshot(dataset).await?.changed_at(seq).await?)
    }
}

async fn open(path: &Path, origin: &Origin) -> Result<Repository, ExportError> {
    let (path, origin) = (path.to_owned(), origin.clone());
    blocking(move || Repository::open(&path, &origin)).await
}

/// Whether an export can't go on from what was saved; it may without.
fn is_about_state(failure: &Failure) -> bool {
    failure.code == FailureCode::Conflict && failure.field.as_deref() == Some("resume")
}

/// Few objects are a file each, many are packed: a pack stays for ever, and a directory of many files is slow.
fn suits(head: &Head, exported: Option<Exported>) -> Format {
    let before = exported.map_or(0, |exported| exported.seq);
    let objects = head.seq.saturating_sub(before) * OBJECTS_A_CALL;
    if objects <= LOOSE { Format::Loose } else { Format::Pack }
}

/// Works on files where it holds nobody up.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RepositoryError> + Send + 'static,
) -> Result<T, ExportError> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(|error| CallError::from(Stop::panicked(&error)))??)
}
