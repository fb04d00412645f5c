//! The one connection that writes, on a thread of its own.
//!
//! What waits in the queue goes into one transaction, each job in a savepoint of its own, so that concurrent commits
//! share one flush to disk. A job is answered only after the transaction that holds it: when it asked for durability,
//! it is on the disk by then.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gligabao_core::storage::{StorageError, StorageResult};
use rusqlite::Connection;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

use super::fail::{Fail, Outcome};
use super::{Durability, datasets};

/// Jobs that share one transaction at most: a bound on how long the first waits for the last.
const BATCH: usize = 64;

/// Jobs that wait at most before callers have to.
const QUEUE: usize = 1024;

/// Pages in the write-ahead log from which on a checkpoint is due, once no job waits.
const CHECKPOINT_PAGES: i64 = 4_000;

/// Pages in the write-ahead log from which on jobs wait for a checkpoint: under steady load no queue is ever empty.
const MAX_LOG_PAGES: i64 = 10 * CHECKPOINT_PAGES;

/// How long a checkpoint that starts the log anew waits for readers of older versions. Jobs wait along.
const CHECKPOINT_PATIENCE: Duration = Duration::from_millis(100);

/// How long it takes until what could not be removed, or cut from the log, is tried again.
const RETRY: Duration = Duration::from_secs(5);

/// Tells a job's caller how it went, once it is known whether the transaction held.
type Answer = Box<dyn FnOnce(Result<(), StorageError>) + Send>;
/// Runs in an open transaction, or is told why there is none.
type Work = Box<dyn FnOnce(Result<&Connection, StorageError>) -> Answer + Send>;

struct Job {
    work: Work,
    durability: Durability,
}

enum Task {
    Write(Job),
    /// Removes the rows of a deleted dataset, and tells when they are gone.
    Remove(i64, oneshot::Sender<StorageResult<()>>),
}

/// The way to the writer; dropping it lets the writer finish what was asked for.
pub(super) struct Writer {
    tasks: Option<mpsc::Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Moves the connection to a thread of its own. What a crash left of `deleted` datasets is removed there.
    /// Jobs wait for another process that writes for as long as `patience`.
    pub(super) fn start(conn: Connection, deleted: Vec<i64>, patience: Duration) -> std::io::Result<Self> {
        let (tasks, queue) = mpsc::channel(QUEUE);
        let removals = deleted.into_iter().map(|dataset| (dataset, oneshot::channel().0)).collect();
        let thread = std::thread::Builder::new()
            .name("gligabao-writer".to_owned())
            .spawn(move || Thread { removals, ..Thread::new(conn, queue, patience, MAX_LOG_PAGES) }.serve())?;
        Ok(Self { tasks: Some(tasks), thread: Some(thread) })
    }

    /// Runs a job in a transaction. It runs to its end even if the caller goes away.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Connection) -> Outcome<T> + Send + 'static,
    ) -> StorageResult<T> {
        let (answer, answered) = oneshot::channel();
        let work: Work = Box::new(move |transaction| {
            let outcome = transaction.and_then(|conn| in_savepoint(conn, work));
            Box::new(move |held| {
                // Nobody waits any more if the caller went away.
                let _ = answer.send(outcome.and_then(|value| held.map(|()| value)));
            })
        });
        self.send(Task::Write(Job { work, durability })).await?;
        answered.await.map_err(|_| closed())?
    }

    /// Removes the rows of a deleted dataset, in slices between which others write.
    pub(super) async fn remove(&self, dataset: i64) -> StorageResult<()> {
        let (done, removed) = oneshot::channel();
        self.send(Task::Remove(dataset, done)).await?;
        removed.await.map_err(|_| closed())?
    }

    async fn send(&self, task: Task) -> StorageResult<()> {
        let tasks = self.tasks.as_ref().expect("it is there until the writer is dropped");
        tasks.send(task).await.map_err(|_| closed())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.tasks.take());
        if let Some(thread) = self.thread.take() {
            // It catches the panics of jobs; one of its own was reported by the panic hook.
            let _ = thread.join();
        }
    }
}

fn in_savepoint<T>(conn: &Connection, work: impl FnOnce(&Connection) -> Outcome<T>) -> StorageResult<T> {
    let guarded = || {
        conn.execute_batch("SAVEPOINT job")?;
        let outcome = catch_unwind(AssertUnwindSafe(|| work(conn)))
            .unwrap_or_else(|_| Err(unavailable("a defect of the store ended this call").into()));
        match &outcome {
            Ok(_) => conn.execute_batch("RELEASE job")?,
            // A failure of the disk has undone the whole transaction.
            Err(_) if conn.is_autocommit() => {}
            Err(_) => conn.execute_batch("ROLLBACK TO job; RELEASE job")?,
        }
        outcome
    };
    guarded().map_err(Fail::into)
}

/// What the thread works on.
struct Thread {
    conn: Connection,
    queue: mpsc::Receiver<Task>,
    removals: VecDeque<(i64, oneshot::Sender<StorageResult<()>>)>,
    /// Datasets whose removal failed.
    failed: Vec<i64>,
    /// Whether removed content may still be in the write-ahead log.
    truncate: bool,
    /// How long to wait before what failed is tried again, and when that is.
    retry: Duration,
    retry_at: Instant,
    /// How long to wait for another process.
    patience: Duration,
    /// Pages in the write-ahead log at which it is emptied though jobs wait, and those at which that is tried next.
    max_log: i64,
    next_log: i64,
}

impl Thread {
    fn new(conn: Connection, queue: mpsc::Receiver<Task>, patience: Duration, max_log: i64) -> Self {
        Self {
            conn,
            queue,
            removals: VecDeque::new(),
            failed: Vec::new(),
            truncate: false,
            retry: RETRY,
            retry_at: Instant::now(),
            patience,
            max_log,
            next_log: max_log,
        }
    }

    fn serve(mut self) {
        while let Some(batch) = self.next_batch() {
            if !batch.is_empty() {
                run_batch(&self.conn, batch);
            }
            if self.is_time_to_retry() {
                // Nobody waits for them any more.
                self.removals.extend(self.failed.drain(..).map(|dataset| (dataset, oneshot::channel().0)));
            }
            if let Some((dataset, done)) = self.removals.pop_front() {
                self.remove(dataset, done);
            }
            if self.queue.is_empty() {
                self.checkpoint();
            }
            self.limit_log();
        }
    }

    /// Removes a slice of a dataset. One that fails is tried again later; its caller isn't kept waiting for that.
    fn remove(&mut self, dataset: i64, done: oneshot::Sender<StorageResult<()>>) {
        let removed = match remove_slice(&self.conn, dataset) {
            Ok(false) => return self.removals.push_front((dataset, done)),
            Ok(true) => {
                self.truncate = true;
                self.retry_at = Instant::now();
                self.checkpoint();
                Ok(())
            }
            Err(error) => {
                tracing::warn!(dataset, %error, "a deleted dataset could not be removed; it is tried again");
                self.failed.push(dataset);
                self.retry_at = Instant::now() + self.retry;
                Err(error)
            }
        };
        // Nobody waits if the caller went away, or a crash left the dataset behind.
        let _ = done.send(removed);
    }

    fn is_time_to_retry(&self) -> bool {
        self.retry_at <= Instant::now()
    }

    /// Waits for a task, or until something is to be tried again.
    fn wait(&mut self) -> Result<Task, TryRecvError> {
        if self.truncate || !self.failed.is_empty() {
            receive_until(&mut self.queue, self.retry_at)
        } else {
            self.queue.blocking_recv().ok_or(TryRecvError::Disconnected)
        }
    }

    /// The jobs that wait; none at once if there is something to remove or to try again. `None` when the store was closed.
    fn next_batch(&mut self) -> Option<Vec<Job>> {
        let mut batch = Vec::new();
        while batch.len() < BATCH {
            let wait = batch.is_empty() && self.removals.is_empty();
            let task = if wait { self.wait() } else { self.queue.try_recv() };
            match task {
                Ok(Task::Write(job)) => batch.push(job),
                Ok(Task::Remove(dataset, done)) => self.removals.push_back((dataset, done)),
                Err(TryRecvError::Disconnected) if batch.is_empty() => return None,
                Err(_) => break,
            }
        }
        Some(batch)
    }

    /// Empties a log that is too long, in the time of the callers. Where a reader holds that up, the log grows by what a
    /// checkpoint is due for before the next try.
    fn limit_log(&mut self) {
        let pages = checkpoint(&self.conn, include_str!("sql/count_log_pages.sql")).map_or(0, |log| log.pages);
        if pages >= self.next_log {
            let emptied = self.empty_log();
            self.next_log = if emptied { self.max_log } else { pages + CHECKPOINT_PAGES };
            if !emptied {
                tracing::warn!(
                    pages,
                    "a reader keeps the write-ahead log from being emptied; it grows until that ends"
                );
            }
        }
    }

    /// Moves the whole log into the file and cuts it to nothing, unless readers hold that up; whether it did.
    fn empty_log(&mut self) -> bool {
        let patience = |patience| {
            if let Err(error) = self.conn.busy_timeout(patience) {
                tracing::warn!(%error, "the writer's patience could not be set");
            }
        };
        patience(CHECKPOINT_PATIENCE);
        let emptied = checkpoint(&self.conn, include_str!("sql/empty_log.sql")).is_ok_and(|log| !log.busy);
        patience(self.patience);
        self.truncate &= !emptied;
        emptied
    }

    /// Moves the log into the file, outside of any caller's time.
    fn checkpoint(&mut self) {
        if self.truncate && self.is_time_to_retry() {
            // Readers of older versions hold it up.
            if !self.empty_log() {
                self.retry_at = Instant::now() + self.retry;
            }
        } else if checkpoint(&self.conn, include_str!("sql/count_log_pages.sql"))
            .is_ok_and(|log| log.pages - log.moved >= CHECKPOINT_PAGES)
            && let Err(error) = checkpoint(&self.conn, include_str!("sql/move_log.sql"))
        {
            tracing::warn!(%error, "the write-ahead log was not moved into the database; it is tried again");
        }
    }
}

/// The next task, if it comes before `end`.
fn receive_until(queue: &mut mpsc::Receiver<Task>, end: Instant) -> Result<Task, TryRecvError> {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(task) = queue.poll_recv(&mut context) {
            return task.ok_or(TryRecvError::Disconnected);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(TryRecvError::Empty);
        }
        std::thread::park_timeout(left);
    }
}

/// The write-ahead log after a checkpoint.
struct Log {
    /// Whether others hold the checkpoint up.
    busy: bool,
    pages: i64,
    /// Pages that are in the database by now.
    moved: i64,
}

fn checkpoint(conn: &Connection, sql: &str) -> rusqlite::Result<Log> {
    conn.query_row(sql, [], |row| Ok(Log { busy: row.get(0)?, pages: row.get(1)?, moved: row.get(2)? }))
}

/// Removes a slice of a deleted dataset in a transaction of its own; whether that was the last.
fn remove_slice(conn: &Connection, dataset: i64) -> StorageResult<bool> {
    begin(conn, false)?;
    let last = in_savepoint(conn, |conn| datasets::remove_slice(conn, dataset));
    commit(conn)?;
    last
}

fn run_batch(conn: &Connection, batch: Vec<Job>) {
    let durable = batch.iter().any(|job| job.durability == Durability::Machine);
    let begun = begin(conn, durable);
    let work = |job: Job| {
        let undone = || unavailable("the database failed and undid this change; try again");
        let transaction = begun.clone().and_then(|()| (!conn.is_autocommit()).then_some(conn).ok_or_else(undone));
        (job.work)(transaction)
    };
    let answers: Vec<Answer> = batch.into_iter().map(work).collect();
    let held = begun.and_then(|()| commit(conn));
    for answer in answers {
        answer(held.clone());
    }
}

fn begin(conn: &Connection, durable: bool) -> StorageResult<()> {
    let begin = || {
        conn.pragma_update(None, "synchronous", if durable { "FULL" } else { "NORMAL" })?;
        conn.execute_batch("BEGIN IMMEDIATE")
    };
    begin().map_err(|error| Fail::from(error).into())
}

fn commit(conn: &Connection) -> StorageResult<()> {
    if conn.is_autocommit() {
        return Err(unavailable("the database failed and undid this change; try again"));
    }
    conn.execute_batch("COMMIT").map_err(|error| {
        // What can't be committed must not stay open; it is undone either way.
        let _ = conn.execute_batch("ROLLBACK");
        Fail::from(error).into()
    })
}

fn closed() -> StorageError {
    unavailable("the store was closed")
}

fn unavailable(why: &str) -> StorageError {
    StorageError::Unavailable(why.to_owned())
}

#[cfg(test)]
mod tests;
