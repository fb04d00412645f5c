//! Opening the file: whose it is, its version, and how connections are set up.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::fail::Fail;
use super::rows;

/// Marks a file as gligabao's; the ASCII letters `gbao`.
const APPLICATION_ID: i32 = 0x6762_616f;

/// Forward only. The version of a file is how many of these it has seen.
const MIGRATIONS: [&str; 3] = [
    include_str!("migrations/0001_initial.sql"),
    include_str!("migrations/0002_run_log.sql"),
    include_str!("migrations/0003_series_and_history.sql"),
];

/// Statements that one connection keeps prepared.
const PREPARED: usize = 256;

/// Bytes of the file that are read without copying.
const MAPPED: i64 = 1 << 30;

/// Why a file can't be opened; each says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The directory of the file is missing.
    #[error("{}: there is no such directory; make it, or name another file", .0.display())]
    NoDirectory(PathBuf),
    /// The file, or one beside it, can't be read or written.
    #[error("{}: can't be opened: {why}; check its owner and permissions", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// It is no SQLite database.
    #[error("{}: is not a gligabao database; name another file", .0.display())]
    NotADatabase(PathBuf),
    /// It is the database of another application.
    #[error("{}: is a database of another application; name another file", .0.display())]
    OtherApplication(PathBuf),
    /// It was written by a newer version.
    #[error("{}: was written by a newer version (schema {found}, this one knows {known}); update gligabao", path.display())]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// Another process holds it exclusively.
    #[error("{}: is locked by another process; stop that, or try again later", .0.display())]
    Locked(PathBuf),
    /// Anything else that the database says.
    #[error("{}: can't be used: {source}; restore it from a backup if it is damaged", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What the database says.
        source: rusqlite::Error,
    },
}

impl OpenError {
    pub(super) fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), why: error.to_string() }
    }

    pub(super) fn from_fail(path: &Path, fail: Fail) -> Self {
        match fail {
            Fail::Sql(error) => Self::from_sqlite(path, error),
            Fail::Storage(error) => Self::Unreadable { path: path.to_owned(), why: error.to_string() },
        }
    }

    fn from_sqlite(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotADatabase(path),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked(path),
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
                Self::Unreadable { path, why: source.to_string() }
            }
            _ => Self::Broken { path, source },
        }
    }
}

/// Opens the connection that writes, and brings the file to the newest version.
pub(super) fn open_writer(path: &Path, busy_timeout: Duration) -> Result<Connection, OpenError> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty())
        && !directory.is_dir()
    {
        return Err(OpenError::NoDirectory(directory.to_owned()));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = |error| OpenError::from_sqlite(path, error);
    make_private(path).map_err(|error| OpenError::unreadable(path, &error))?;
    let mut conn = Connection::open_with_flags(path, flags).map_err(failed)?;
    conn.busy_timeout(busy_timeout).map_err(failed)?;
    check_owner(&conn, path)?;
    set_up_writer(&conn).map_err(failed)?;
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    check_owner(&transaction, path)?;
    migrate(&transaction).map_err(failed)?;
    transaction.commit().map_err(failed)?;
    Ok(conn)
}

/// Makes a missing file, for its owner alone: it holds every text. The files beside it get its permissions.
fn make_private(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::StorageFull => Err(error),
        // What else is wrong with a file or its place is said when it is opened.
        _ => Ok(()),
    }
}

/// Opens a connection that reads.
pub(super) fn open_reader(path: &Path, busy_timeout: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(busy_timeout)?;
    conn.pragma_update(None, "cache_size", -4_096)?;
    set_up(&conn)?;
    Ok(conn)
}

/// Touches nothing: a file of someone else stays as it is.
fn check_owner(conn: &Connection, path: &Path) -> Result<(), OpenError> {
    // One look: another process may be making the file at this moment.
    let read = || {
        let _one = conn.is_autocommit().then(|| conn.unchecked_transaction()).transpose()?;
        let application: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let empty = rows::row(conn, include_str!("sql/is_empty_database.sql"), [], |row| row.get(0))?;
        Ok((application, version, empty.unwrap_or(false)))
    };
    let (application, found, empty) = read().map_err(|error| OpenError::from_sqlite(path, error))?;
    let known = MIGRATIONS.len() as i64;
    match application {
        APPLICATION_ID if found > known => Err(OpenError::NewerVersion { path: path.to_owned(), found, known }),
        APPLICATION_ID => Ok(()),
        0 if empty && found == 0 => Ok(()),
        _ => Err(OpenError::OtherApplication(path.to_owned())),
    }
}

fn set_up_writer(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "secure_delete", true)?;
    // The writer thread makes checkpoints when no commit waits for it.
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    conn.pragma_update(None, "journal_size_limit", 64 << 20)?;
    conn.pragma_update(None, "cache_size", -65_536)?;
    set_up(conn)
}

fn set_up(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(PREPARED);
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "mmap_size", MAPPED)?;
    conn.pragma_update(None, "trusted_schema", false)
}

fn migrate(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let version: usize = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for migration in &MIGRATIONS[version..] {
        transaction.execute_batch(migration)?;
    }
    if version < MIGRATIONS.len() {
        transaction.pragma_update(None, "user_version", MIGRATIONS.len())?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    Ok(())
}
