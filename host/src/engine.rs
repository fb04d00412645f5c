//! Runs the memory component: a fresh instance a call, within limits, with handles to one dataset and nothing else.
//!
//! What a guest does wrong ends its own call: a trap, an endless loop, too much memory, an answer that is too large.
//! The host goes on, and so does the next call.

mod bindings;
mod cache;
mod config;
mod export;
mod incident;
mod limits;
mod llm;
mod log;
mod places;
mod run;
mod state;
mod storage;
mod ticker;
mod turns;
mod write;

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use gligabao_core::convert::Convert;
use gligabao_core::model::RunId;
use gligabao_core::storage::StorageResult;
use wasmtime::Store;
use wasmtime::component::{HasSelf, Linker, Resource};

use self::bindings::gligabao::memory::types;
use self::bindings::{Memory, MemoryPre};
pub(crate) use self::incident::{Stop, new_id};
pub use self::limits::Limits;
pub(crate) use self::llm::Llm;
use self::places::{Places, Room};
pub(crate) use self::run::Run;
use self::state::State;
pub(crate) use self::storage::SnapshotHandle;
use self::ticker::{Running, Ticker};
use self::turns::Turns;
pub(crate) use self::write::{DatasetHandle, Place};
use crate::store::{ModelCall, RunEnd, RunLog};

/// The compiled component, and all that its calls share.
pub(crate) struct Engine {
    guest: MemoryPre<State>,
    limits: Limits,
    turns: Arc<Turns>,
    places: Arc<Places>,
    llm: Option<Arc<Llm>>,
    ticker: Ticker,
}

/// One call's instance.
pub(crate) struct Session {
    /// The wasmtime store of the instance.
    pub(crate) store: Store<State>,
    /// Its exports.
    pub(crate) guest: Memory,
    _running: Running,
    /// Goes last: there is no room for another call before the instance is gone.
    _room: Arc<Room>,
}

/// What an export gives: a trap, or the guest's own answer.
pub(crate) type Exported<'a, T> =
    Pin<Box<dyn Future<Output = wasmtime::Result<Result<T, types::Failure>>> + Send + 'a>>;

/// What a call came to.
pub(crate) struct Ended<T> {
    /// The run that logs it, if it has one.
    pub(crate) run: Option<RunId>,
    /// What it asked of models, in order.
    pub(crate) calls: Vec<ModelCall>,
    /// Its answer.
    pub(crate) result: Result<T, Stop>,
}

impl<T> From<Stop> for Ended<T> {
    /// It was stopped before it began.
    fn from(stop: Stop) -> Self {
        Self { run: None, calls: Vec::new(), result: Err(stop) }
    }
}

impl Engine {
    /// Compiles a component, or loads it from the cache directory where it was compiled before.
    pub(crate) fn new(
        component: &[u8],
        cache: Option<&Path>,
        limits: Limits,
        llm: Option<Llm>,
    ) -> wasmtime::Result<Self> {
        let engine = wasmtime::Engine::new(&config::config(&limits))?;
        let component = cache::load(&engine, component, cache)?;
        let mut linker = Linker::new(&engine);
        Memory::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        Ok(Self {
            guest: MemoryPre::new(linker.instantiate_pre(&component)?)?,
            limits,
            turns: Arc::default(),
            places: Arc::new(Places::new(limits)),
            llm: llm.map(Arc::new),
            ticker: Ticker::start(&engine, limits.tick)?,
        })
    }

    /// Calls an export that reads. Its run, where the call is logged, ends with it and with what `log` makes of the
    /// answer. The snapshot is taken once the call has a place: a call that waits for one holds nothing of the store.
    pub(crate) async fn read<W: Convert<T>, T>(
        &self,
        snapshot: impl Future<Output = StorageResult<SnapshotHandle>> + Send,
        export: impl for<'a> FnOnce(&'a mut Session, Resource<SnapshotHandle>) -> Exported<'a, W> + Send,
        log: impl FnOnce(&T) -> RunLog + Send,
    ) -> Ended<T> {
        let mut session = match self.start(false).await {
            Ok(session) => session,
            Err(stop) => return stop.into(),
        };
        let snapshot = match snapshot.await {
            Ok(snapshot) => snapshot,
            Err(error) => return Stop::from(error).into(),
        };
        let table = &mut session.store.data_mut().table;
        let handle = table.push(snapshot).expect("the table of a new call is empty");
        let lent = Resource::new_borrow(handle.rep());
        let mut result = self.finish(export(&mut session, lent)).await;
        let state = session.store.data_mut();
        let calls = state.calls.take();
        let snapshot = state.table.delete(handle).expect("a guest can't drop what it borrows");
        let (end, log) = end(&mut result, &calls, log);
        Ended { run: snapshot.end(end, log).await, calls, result }
    }

    /// Calls an export that writes. Its run, if it opened one, ends with it.
    pub(crate) async fn write<W: Convert<T>, T>(
        &self,
        dataset: DatasetHandle,
        export: impl for<'a> FnOnce(&'a mut Session, Resource<DatasetHandle>) -> Exported<'a, W> + Send,
    ) -> Ended<T> {
        let mut session = match self.start(true).await {
            Ok(session) => session,
            Err(stop) => return stop.into(),
        };
        let table = &mut session.store.data_mut().table;
        let handle = table.push(dataset).expect("the table of a new call is empty");
        let lent = Resource::new_borrow(handle.rep());
        let mut result = self.finish(export(&mut session, lent)).await;
        let state = session.store.data_mut();
        let calls = state.calls.take();
        let mut dataset = state.table.delete(handle).expect("a guest can't drop what it borrows");
        if result.is_ok()
            && let Err(error) = dataset.open().await
        {
            result = Err(error.into());
        }
        // The stages of what was stored came with its plan.
        let (end, log) = end(&mut result, &calls, |_| RunLog::default());
        Ended { run: dataset.end(end, log).await, calls, result }
    }

    /// Makes an instance, as soon as there is room for it.
    async fn start(&self, writes: bool) -> Result<Session, Stop> {
        let room = self.places.admit(writes).await?;
        self.instantiate(room, self.llm.clone()).await
    }

    async fn instantiate(&self, room: Arc<Room>, llm: Option<Arc<Llm>>) -> Result<Session, Stop> {
        let running = self.ticker.enter();
        let state = State::new(self.limits, Arc::clone(&self.turns), Arc::clone(&room), llm);
        let mut store = Store::new(self.guest.engine(), state);
        store.limiter(|state| &mut state.memory);
        store.set_hostcall_fuel(self.limits.handover);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut store| Ok(store.data_mut().cpu.tick()?));
        let guest = self.guest.instantiate_async(&mut store).await.map_err(|error| Stop::of(&error))?;
        Ok(Session { store, guest, _running: running, _room: room })
    }

    /// Awaits an export for as long as a call may take.
    async fn finish<W: Convert<T>, T>(&self, export: Exported<'_, W>) -> Result<T, Stop> {
        match tokio::time::timeout(self.limits.call, export).await {
            Err(_) => Err(Stop::TimedOut),
            Ok(Err(trap)) => Err(Stop::of(&trap)),
            Ok(Ok(Err(failure))) => Err(Stop::Failure(incident::clamp(failure.convert()))),
            Ok(Ok(Ok(answer))) => Ok(answer.convert()),
        }
    }
}

/// How the run of a call with this result ends, and what is left in it.
fn end<T>(result: &mut Result<T, Stop>, calls: &[ModelCall], log: impl FnOnce(&T) -> RunLog) -> (RunEnd, RunLog) {
    let (end, left) = match result {
        Ok(answer) => (RunEnd::Done, log(answer)),
        Err(stop) => (RunEnd::Failed(stop.reason()), RunLog { stages: stop.take_stages(), ..RunLog::default() }),
    };
    (end, log::log(RunLog { calls: calls.to_vec(), ..left }))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn read(
        engine: &Engine,
        snapshot: impl Future<Output = StorageResult<SnapshotHandle>> + Send,
    ) -> Ended<bool> {
        engine.read(snapshot, |_, _| Box::pin(async { Ok(Ok(true)) }), |_| RunLog::default()).await
    }

    #[tokio::test]
    async fn a_call_that_waits_for_a_place_has_taken_no_snapshot() {
        let limits = Limits { instances: 1, admission: Duration::ZERO, ..Limits::default() };
        let engine = Engine::new(gligabao_artifact::MEMORY, None, limits, None).unwrap();
        let room = engine.places.admit(false).await.unwrap();
        let snapshot = async { panic!("a snapshot was taken") };
        let Ended { run, result: refused, .. } = read(&engine, snapshot).await;
        assert!(run.is_none() && matches!(refused, Err(Stop::Busy)), "{refused:?}");
        drop(room);
        let snapshot = async { Err(crate::store::too_busy()) };
        let refused = read(&engine, snapshot).await.result;
        assert!(matches!(refused, Err(Stop::Busy)), "{refused:?}");
    }
}
