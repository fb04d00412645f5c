//! Connections that read. Each snapshot has one to itself, with an open transaction, and gives it back.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::datasets;
use super::fail::Outcome;
use super::open::open_reader;
use crate::store::too_busy;

/// The readers of one file.
pub(super) struct Readers {
    path: PathBuf,
    /// How long to wait for another process, or for a reader.
    patience: Duration,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

/// The connection of health checks: they need no reader, so that a busy store is not taken for a broken one.
pub(super) struct Pinger {
    path: PathBuf,
    /// `None` until the first check, and after one that failed.
    conn: Mutex<Option<Connection>>,
}

/// How long a health check waits for another process.
const PING_PATIENCE: Duration = Duration::from_millis(100);

impl Pinger {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, conn: Mutex::default() }
    }

    /// Asks the file for a row.
    pub(super) fn ping(&self) -> Outcome<()> {
        let mut kept = self.conn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let conn = kept.take().map_or_else(|| open_reader(&self.path, PING_PATIENCE), Ok)?;
        datasets::ping(&conn)?;
        *kept = Some(conn);
        Ok(())
    }
}

/// A connection in a read transaction: it sees one version of the file.
pub(super) struct Reader {
    /// `None` only while it is being given back.
    conn: Option<Connection>,
    readers: Arc<Readers>,
    _permit: OwnedSemaphorePermit,
}

impl Readers {
    /// At most `limit` at a time; they are opened as they are needed.
    pub(super) fn new(path: PathBuf, limit: usize, patience: Duration) -> Self {
        Self { path, patience, idle: Mutex::default(), permits: Arc::new(Semaphore::new(limit)) }
    }

    /// Takes a reader, and waits for one if all are busy.
    pub(super) async fn take(self: &Arc<Self>) -> Outcome<Reader> {
        let permit = tokio::time::timeout(self.patience, Arc::clone(&self.permits).acquire_owned())
            .await
            .map_err(|_| too_busy())?
            .expect("nobody closes the semaphore");
        let idle = self.idle().pop();
        let conn = idle.map_or_else(|| open_reader(&self.path, self.patience), Ok)?;
        conn.execute_batch("BEGIN")?;
        Ok(Reader { conn: Some(conn), readers: Arc::clone(self), _permit: permit })
    }

    /// Runs one read on a snapshot of its own.
    pub(super) async fn read<T>(self: &Arc<Self>, read: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<T> {
        let reader = self.take().await?;
        read(&reader)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Deref for Reader {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn.as_ref().expect("it is there until the reader is dropped")
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take()
            && conn.execute_batch("ROLLBACK").is_ok()
        {
            self.readers.idle().push(conn);
        }
    }
}
