//! Where calls run: how many at a time, and how a call that waits for a language model makes room for others.
//!
//! A place is a share of the machine. A call that asks a model needs none until the answer comes, however long that
//! takes; it keeps only its instance, of which there are more than places.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use super::incident::Stop;
use super::limits::Limits;

/// The places of all calls.
pub(super) struct Places {
    running: Arc<Semaphore>,
    writing: Arc<Semaphore>,
    asking: Arc<Semaphore>,
    exporting: Arc<Semaphore>,
    limits: Limits,
}

/// Room for one call, until it is dropped.
pub(super) struct Room {
    places: Arc<Places>,
    writes: bool,
    held: Mutex<Held>,
}

/// What a call has of the machine. Its instance is covered by either at any time.
enum Held {
    Running { _place: Place },
    Asking { _permit: OwnedSemaphorePermit },
    Exporting { _permit: OwnedSemaphorePermit },
}

struct Place {
    _writer: Option<OwnedSemaphorePermit>,
    _running: OwnedSemaphorePermit,
}

impl Places {
    pub(super) fn new(limits: Limits) -> Self {
        let places = |count: u32| Arc::new(Semaphore::new(count as usize));
        Self {
            running: places(limits.instances),
            writing: places(limits.writers),
            asking: places(limits.askers),
            exporting: places(limits.exporters),
            limits,
        }
    }

    /// Waits for a free place, as long as a call may wait for its start.
    pub(super) async fn admit(self: &Arc<Self>, writes: bool) -> Result<Arc<Room>, Stop> {
        let place = tokio::time::timeout(self.limits.admission, self.place(writes)).await;
        let held = Mutex::new(Held::Running { _place: place.map_err(|_| Stop::Busy)? });
        Ok(Arc::new(Room { places: Arc::clone(self), writes, held }))
    }

    /// Waits for a place for an export. It takes none of those of calls, and asks no model.
    pub(super) async fn admit_export(self: &Arc<Self>) -> Result<Arc<Room>, Stop> {
        let permit = tokio::time::timeout(self.limits.admission, Arc::clone(&self.exporting).acquire_owned()).await;
        let permit = permit.map_err(|_| Stop::Busy)?.expect("the semaphores are never closed");
        let held = Mutex::new(Held::Exporting { _permit: permit });
        Ok(Arc::new(Room { places: Arc::clone(self), writes: false, held }))
    }

    async fn place(&self, writes: bool) -> Place {
        let place = async {
            let writer = match writes {
                true => Some(Arc::clone(&self.writing).acquire_owned().await?),
                false => None,
            };
            Ok::<_, AcquireError>(Place { _writer: writer, _running: Arc::clone(&self.running).acquire_owned().await? })
        };
        place.await.expect("the semaphores are never closed")
    }
}

impl Room {
    /// Gives up the place while the call asks a model. Whether it may ask: no more than so many do at a time.
    pub(super) fn leave(&self) -> bool {
        let Ok(asking) = Arc::clone(&self.places.asking).try_acquire_owned() else { return false };
        *self.held() = Held::Asking { _permit: asking };
        true
    }

    /// Waits for a place again.
    pub(super) async fn come_back(&self) {
        let place = self.places.place(self.writes).await;
        *self.held() = Held::Running { _place: place };
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn places() -> Arc<Places> {
        let limits = Limits { instances: 1, writers: 1, askers: 1, admission: Duration::ZERO, ..Limits::default() };
        Arc::new(Places::new(limits))
    }

    #[tokio::test]
    async fn a_call_that_asks_makes_room_and_takes_a_place_when_it_comes_back() {
        let places = places();
        let writer = places.admit(true).await.expect("nobody is there");
        assert!(matches!(places.admit(false).await, Err(Stop::Busy)));
        assert!(writer.leave());
        let reader = places.admit(false).await.expect("there is room");
        assert!(!reader.leave(), "one call asks already");
        assert!(matches!(places.admit(false).await, Err(Stop::Busy)), "it keeps its place");
        let back = tokio::time::timeout(Duration::from_millis(1), writer.come_back());
        assert!(back.await.is_err(), "there is no room");
        drop(reader);
        writer.come_back().await;
        assert!(matches!(places.admit(false).await, Err(Stop::Busy)));
        drop(writer);
        assert!(places.admit(true).await.expect("all have left").leave());
    }

    #[tokio::test]
    async fn exports_and_calls_take_no_place_of_each_other() {
        let limits = Limits { instances: 1, exporters: 1, admission: Duration::ZERO, ..Limits::default() };
        let places = Arc::new(Places::new(limits));
        let export = places.admit_export().await.expect("nobody is there");
        assert!(matches!(places.admit_export().await, Err(Stop::Busy)));
        let call = places.admit(false).await.expect("an export takes no place of calls");
        drop(export);
        places.admit_export().await.expect("a call takes no place of exports");
        drop(call);
    }
}
