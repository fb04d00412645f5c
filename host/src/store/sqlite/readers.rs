//! Connections that read. Each snapshot has one to itself, with an open transaction, and gives it back.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::fail::Outcome;
use super::open::open_reader;
use super::{SqliteOptions, datasets};
use crate::store::too_busy;

/// How long a read may hold up the other calls of its thread.
const A_MOMENT: Duration = Duration::from_millis(2);

/// Steps of SQLite's machine between two looks at the clock; a fraction of a millisecond.
const WATCHED_STEPS: i32 = 2_000;

const KEPT: &str = "it is there until the reader is dropped";

/// The readers of one file.
pub(super) struct Readers {
    path: PathBuf,
    /// How long to wait for another process, or for a reader.
    patience: Duration,
    /// How long one read may take.
    read_time: Duration,
    idle: Mutex<Vec<(Connection, Deadline)>>,
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
    conn: Option<(Connection, Deadline)>,
    readers: Arc<Readers>,
    _permit: OwnedSemaphorePermit,
}

impl Readers {
    /// At most `limit` at a time; they are opened as they are needed.
    pub(super) fn new(path: PathBuf, options: &SqliteOptions) -> Self {
        let SqliteOptions { readers, patience, read_time, .. } = *options;
        Self { path, patience, read_time, idle: Mutex::default(), permits: Arc::new(Semaphore::new(readers)) }
    }

    /// Takes a reader, and waits for one if all are busy.
    pub(super) async fn take(self: &Arc<Self>) -> Outcome<Reader> {
        let permit = tokio::time::timeout(self.patience, Arc::clone(&self.permits).acquire_owned())
            .await
            .map_err(|_| too_busy())?
            .expect("nobody closes the semaphore");
        let idle = self.idle().pop();
        let conn = idle.map_or_else(|| self.open(), Ok)?;
        conn.0.execute_batch("BEGIN")?;
        Ok(Reader { conn: Some(conn), readers: Arc::clone(self), _permit: permit })
    }

    /// Runs one read on a snapshot of its own.
    pub(super) async fn read<T>(self: &Arc<Self>, read: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<T> {
        let reader = self.take().await?;
        reader.within(self.read_time, read)
    }

    fn open(&self) -> rusqlite::Result<(Connection, Deadline)> {
        let mut conn = open_reader(&self.path, self.patience)?;
        let deadline = Deadline::default();
        let watched = deadline.clone();
        conn.progress_handler(WATCHED_STEPS, Some(move || watched.has_passed()))?;
        Ok((conn, deadline))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(Connection, Deadline)>> {
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Reader {
    /// Runs a read. One that takes long goes on in a thread that nobody else needs, and is ended when its time is up.
    ///
    /// A short one, which is nearly all of them, costs nothing more: what has not ended after a moment is begun anew,
    /// and finds the same, since the transaction stays.
    pub(super) fn read<T>(&self, read: impl Fn(&Connection) -> Outcome<T>) -> Outcome<T> {
        let whole = self.readers.read_time;
        let shares = Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
        if !shares || whole <= A_MOMENT {
            return self.within(whole, read);
        }
        match self.within(A_MOMENT, &read) {
            Err(fail) if fail.is_out_of_time() => tokio::task::block_in_place(|| self.within(whole, read)),
            done => done,
        }
    }

    fn within<T>(&self, time: Duration, read: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<T> {
        let (conn, deadline) = self.conn.as_ref().expect(KEPT);
        deadline.set(Some(Instant::now() + time));
        let done = read(conn);
        deadline.set(None);
        done
    }
}

/// When the statement that runs on a connection is ended.
#[derive(Clone, Default)]
struct Deadline(Arc<Mutex<Option<Instant>>>);

impl Deadline {
    fn set(&self, deadline: Option<Instant>) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = deadline;
    }

    fn has_passed(&self) -> bool {
        let deadline = *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        deadline.is_some_and(|deadline| deadline <= Instant::now())
    }
}

impl Deref for Reader {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.conn.as_ref().expect(KEPT).0
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take()
            && conn.0.execute_batch("ROLLBACK").is_ok()
        {
            self.readers.idle().push(conn);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::super::open::open_writer;
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_read_without_end_is_ended_and_others_go_on_meanwhile() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("memory.db");
        open_writer(&path, Duration::ZERO).unwrap();
        let options = SqliteOptions { read_time: Duration::from_millis(500), ..SqliteOptions::default() };
        let readers = Arc::new(Readers::new(path, &options));
        let went_on = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&went_on);
        let call = tokio::spawn(async move {
            let reader = readers.take().await.unwrap();
            // It waits for the only thread that there is.
            tokio::spawn(async move { other.store(true, Ordering::SeqCst) });
            let endless = include_str!("tests/sql/endless.sql");
            let ended = reader.read(|conn| Ok(conn.query_row(endless, [], |row| row.get::<_, i64>(0))?));
            assert!(ended.unwrap_err().is_out_of_time());
            assert!(went_on.load(Ordering::SeqCst));
            // The reader is as good as before.
            reader.read(datasets::ping).unwrap();
        });
        call.await.unwrap();
    }
}
