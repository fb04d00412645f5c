//! Which processes use a file, so that a start closes the runs of a crash and none of a living process.
//!
//! Every process that has the file open holds a shared lock on a file beside it, which the system takes back when the
//! process ends, however it ends. Whoever gets that lock exclusively is alone, so every open run is a dead one's. A
//! process that isn't alone leaves open runs as they are; the next one that starts alone closes them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The shared lock of this process.
pub(super) struct Presence(File);

impl Presence {
    /// Makes this process known. Waits while another one starts.
    pub(super) fn announce(database: &Path) -> io::Result<Self> {
        let mut path = database.as_os_str().to_owned();
        path.push("-lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(PathBuf::from(path))?;
        file.lock_shared()?;
        Ok(Self(file))
    }

    /// Makes this process the only one, if no other has the file open; none can open it until the answer is dropped.
    ///
    /// Between two kinds of lock this process holds none. That is harmless while it has no open runs of its own, as
    /// before its first request.
    pub(super) fn try_alone(&self) -> io::Result<Option<Alone<'_>>> {
        self.0.unlock()?;
        match self.0.try_lock() {
            Ok(()) => Ok(Some(Alone(&self.0))),
            Err(TryLockError::WouldBlock) => self.0.lock_shared().map(|()| None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// The exclusive lock.
pub(super) struct Alone<'a>(&'a File);

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock().and_then(|()| self.0.lock_shared()) {
            tracing::warn!(%error, "another process that starts now would take this one's calls for dead");
        }
    }
}
