//! A store in one SQLite file: one writer, readers in parallel, other processes welcome.
//!
//! Every SQL statement is a file in `sqlite/sql`, every change of the schema one in `sqlite/migrations`. Nothing of
//! the file is kept in the process: versions, counters and runs are read and written inside of write transactions, so
//! that a server and a command line can work on the same file.

mod apply;
mod artifacts;
mod chunk;
mod datasets;
mod events;
mod fail;
mod find;
mod history;
mod open;
mod points;
mod presence;
mod readers;
mod rows;
mod runs;
mod series;
mod shape;
mod snapshot;
#[cfg(test)]
mod tests;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gligabao_core::model::RunId;
use gligabao_core::recall::Turn;
use gligabao_core::storage::{Committed, Plan, StorageError, StorageResult};

use rusqlite::Connection;

use self::chunk::Sizes;
use self::fail::{Fail, Outcome};
use self::presence::Presence;
use self::readers::{Pinger, Readers};
use self::snapshot::SqliteSnapshot;
use self::writer::Writer;
use super::inline::Inline;
use super::{
    Clock, DatasetId, DatasetName, DatasetSummary, ModelCall, NewRun, RunEnd, RunFilter, RunLog, RunPage, Snapshot,
    Store, SystemClock, Trajectory, UserId,
};

pub use open::OpenError;

/// How a file is used.
#[derive(Clone)]
pub struct SqliteOptions {
    /// Where times come from.
    pub clock: Arc<dyn Clock>,
    /// Snapshots at a time; others wait.
    pub readers: usize,
    /// How long to wait for a snapshot, or for another process that writes.
    pub patience: Duration,
    /// How long one read of a snapshot may take; one that looks at more is refused as too large.
    pub read_time: Duration,
    /// What a commit survives.
    pub durability: Durability,
}

/// What a change survives once it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// A crash of the machine: it is flushed to the disk before.
    #[default]
    Machine,
    /// A crash of the process. A crash of the machine may take the last changes along, and leaves the database sound.
    Process,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            readers: 64,
            patience: Duration::from_secs(10),
            read_time: Duration::from_secs(5),
            durability: Durability::default(),
        }
    }
}

/// Datasets in a SQLite file.
pub struct Sqlite {
    clock: Arc<dyn Clock>,
    readers: Arc<Readers>,
    pinger: Pinger,
    writer: Writer,
    durability: Durability,
    sizes: Sizes,
    presence: Presence,
}

impl Sqlite {
    /// Opens a file, or makes it; an older one is brought to this version.
    ///
    /// # Errors
    /// When the file can't be used; says why and what to do next.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let conn = open::open_writer(path, options.patience)?;
        let deleted = datasets::list_deleted(&conn).map_err(|fail| OpenError::from_fail(path, fail))?;
        let presence = Presence::announce(path).map_err(|error| OpenError::unreadable(path, &error))?;
        let writer =
            Writer::start(conn, deleted, options.patience).map_err(|error| OpenError::unreadable(path, &error))?;
        let readers = Arc::new(Readers::new(path.to_owned(), &options));
        let pinger = Pinger::new(path.to_owned());
        Ok(Self {
            clock: options.clock,
            readers,
            pinger,
            writer,
            durability: options.durability,
            sizes: Sizes::default(),
            presence,
        })
    }

    /// Runs one read on a version of its own.
    async fn read<T>(&self, read: impl FnOnce(&Connection) -> Outcome<T> + Send) -> StorageResult<T> {
        self.readers.read(read).await.map_err(Fail::into)
    }
}

#[async_trait]
impl Store for Sqlite {
    async fn find_dataset(&self, user: &UserId, name: &DatasetName) -> StorageResult<Option<DatasetId>> {
        self.read(|conn| Ok(datasets::find(conn, user.as_str(), name.as_str())?.map(DatasetId::from_store))).await
    }

    async fn create_dataset(&self, user: &UserId, name: &DatasetName) -> StorageResult<DatasetId> {
        if let Some(found) = self.find_dataset(user, name).await? {
            return Ok(found);
        }
        let (user, name, clock) = (user.clone(), name.clone(), Arc::clone(&self.clock));
        let create = move |conn: &Connection| datasets::create(conn, user.as_str(), name.as_str(), clock.now());
        self.writer.run(self.durability, create).await.map(DatasetId::from_store)
    }

    async fn list_datasets(
        &self,
        user: &UserId,
        after: Option<&DatasetName>,
        limit: u32,
    ) -> StorageResult<Vec<DatasetSummary>> {
        let after = after.map_or("", DatasetName::as_str);
        self.read(|conn| datasets::list(conn, user.as_str(), after, limit)).await
    }

    async fn summarize_dataset(&self, dataset: DatasetId) -> StorageResult<DatasetSummary> {
        self.read(|conn| datasets::get(conn, dataset.number())).await
    }

    async fn delete_dataset(&self, dataset: DatasetId) -> StorageResult<()> {
        let clock = Arc::clone(&self.clock);
        let mark = move |conn: &Connection| datasets::mark_deleted(conn, dataset.number(), clock.now());
        self.writer.run(Durability::Machine, mark).await?;
        self.writer.remove(dataset.number()).await
    }

    async fn snapshot(&self, dataset: DatasetId) -> StorageResult<Box<dyn Snapshot>> {
        let reader = self.readers.take().await.map_err(StorageError::from)?;
        let snapshot = SqliteSnapshot::new(reader, dataset.number()).map_err(StorageError::from)?;
        Ok(Box::new(Inline(snapshot)))
    }

    async fn begin_run(&self, dataset: DatasetId, run: NewRun) -> StorageResult<RunId> {
        let clock = Arc::clone(&self.clock);
        let begin = move |conn: &Connection| runs::begin(conn, dataset.number(), &run, clock.now());
        self.writer.run(Durability::Process, begin).await
    }

    async fn commit(
        &self,
        dataset: DatasetId,
        run: RunId,
        plan: Plan,
        calls: Vec<ModelCall>,
    ) -> StorageResult<Committed> {
        let (clock, sizes) = (Arc::clone(&self.clock), self.sizes);
        let commit =
            move |conn: &Connection| apply::commit(conn, dataset.number(), run, &plan, &calls, clock.now(), sizes);
        self.writer.run(self.durability, commit).await
    }

    async fn end_run(&self, dataset: DatasetId, run: RunId, end: RunEnd, log: RunLog) -> StorageResult<u64> {
        let clock = Arc::clone(&self.clock);
        let end = move |conn: &Connection| {
            let seq = runs::count(conn, dataset.number())?;
            let RunLog { stages, calls, answer } = &log;
            let (error, answer) = (end.error(), answer.as_deref());
            let ended = runs::Ended { at: clock.now(), seq, changed: None, error, stages, calls, answer };
            runs::end(conn, dataset.number(), run, &ended)?;
            Ok(seq)
        };
        self.writer.run(Durability::Process, end).await
    }

    async fn list_runs(
        &self,
        dataset: DatasetId,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> StorageResult<RunPage> {
        self.read(|conn| runs::list(conn, dataset.number(), filter, before, limit)).await
    }

    async fn get_run(&self, dataset: DatasetId, run: RunId) -> StorageResult<Option<Trajectory>> {
        self.read(|conn| runs::get(conn, dataset.number(), run)).await
    }

    async fn turns(&self, dataset: DatasetId, session_id: &str, limit: u32) -> StorageResult<Vec<Turn>> {
        self.read(|conn| runs::turns(conn, dataset.number(), session_id, limit)).await
    }

    async fn close_open_runs(&self) -> StorageResult<u64> {
        let io = |error: std::io::Error| StorageError::Unavailable(format!("the lock of the database failed: {error}"));
        let Some(_alone) = self.presence.try_alone().map_err(io)? else { return Ok(0) };
        let clock = Arc::clone(&self.clock);
        let close = move |conn: &Connection| runs::close_open(conn, clock.now());
        self.writer.run(Durability::Process, close).await
    }

    async fn ping(&self) -> StorageResult<()> {
        self.pinger.ping().map_err(Fail::into)
    }
}
