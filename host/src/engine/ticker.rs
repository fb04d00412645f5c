//! The heartbeat that lets the host look at a running guest.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use wasmtime::Engine;

/// A thread that moves an engine's epoch on at every tick while a call runs, and sleeps while none does.
/// It ends with this value and the last call.
pub(crate) struct Ticker {
    running: Arc<AtomicUsize>,
    thread: Thread,
}

/// A call that runs.
pub(crate) struct Running(Arc<AtomicUsize>);

impl Ticker {
    /// Starts the thread.
    pub(crate) fn start(engine: &Engine, tick: Duration) -> std::io::Result<Self> {
        let running = Arc::new(AtomicUsize::new(0));
        let engine = engine.weak();
        let counter = Arc::downgrade(&running);
        let thread = thread::Builder::new().name("gligabao-ticker".to_owned()).spawn(move || {
            loop {
                thread::sleep(tick);
                let idle = match counter.upgrade() {
                    Some(counter) => counter.load(Ordering::Acquire) == 0,
                    None => return,
                };
                if idle {
                    thread::park();
                }
                let Some(engine) = engine.upgrade() else { return };
                engine.increment_epoch();
            }
        })?;
        Ok(Self { running, thread: thread.thread().clone() })
    }

    /// Keeps the heartbeat up until the guard is dropped.
    pub(crate) fn enter(&self) -> Running {
        if self.running.fetch_add(1, Ordering::AcqRel) == 0 {
            self.thread.unpark();
        }
        Running(Arc::clone(&self.running))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        // The counter goes first, so that the thread finds it gone when it wakes.
        self.running = Arc::default();
        self.thread.unpark();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
