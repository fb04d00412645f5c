//! What several tests need.

use std::path::PathBuf;
use std::sync::Arc;

use gligabao::memory::{Limits, Memory, Scope};
use gligabao::store::memory::MemoryStore;
use gligabao::store::{Clock, DatasetName, SharedStore, UserId};
use gligabao_core::recall::{FactsRequest, When};
use gligabao_core::remember::Request;
use gligabao_core::time::Micros;

/// 2025-01-01T00:00:00Z, whenever it is asked.
pub(crate) struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Micros {
        Micros(1_735_689_600_000_000)
    }
}

/// An empty store in memory.
pub(crate) fn store() -> SharedStore {
    Arc::new(MemoryStore::new(Arc::new(FixedClock)))
}

/// A memory of this component. Compiled components are kept between runs, so that tests start fast.
pub(crate) fn memory(component: &'static [u8], store: SharedStore, limits: Limits) -> Memory {
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("components");
    let builder = Memory::builder().store(store).component(component).limits(limits).clock(FixedClock);
    builder.cache_dir(Some(cache)).build().expect("the component of the build fits the host")
}

/// The main dataset of a user.
pub(crate) fn scope(user: &str) -> Scope {
    Scope { user: UserId::new(user).unwrap(), dataset: DatasetName::default() }
}

/// A request to remember a text as it is.
pub(crate) fn text(text: &str) -> Request {
    Request::new(text)
}

/// A request for all facts of an entity.
pub(crate) fn facts_of(entity: &str) -> FactsRequest {
    FactsRequest { entity: Some(entity.to_owned()), at: When::Any, ..FactsRequest::new() }
}
