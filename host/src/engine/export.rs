//! Exports: instances that live from step to step.
//!
//! An export can take minutes, and a version of the store that is held for so long keeps its log from being emptied. So
//! each step takes a snapshot of its own, and has the time of a call.

use std::sync::Arc;

use gligabao_core::convert::Convert;
use gligabao_core::git::Part;
use gligabao_core::history::{ExportRequest, Progress};
use gligabao_core::storage::StorageResult;
use wasmtime::component::{Resource, ResourceAny};

use super::incident::Stop;
use super::storage::SnapshotHandle;
use super::{Engine, Session};

/// An export that is under way. After a step that failed there is no other.
pub(crate) struct Export {
    engine: Arc<Engine>,
    session: Session,
    exporter: ResourceAny,
}

impl Engine {
    /// Begins an export, as soon as there is room for it.
    pub(crate) async fn export(self: &Arc<Self>, request: ExportRequest) -> Result<Export, Stop> {
        let mut session = self.instantiate(self.places.admit_export().await?, None).await?;
        let exporter = session.guest.gligabao_memory_history().exporter();
        let request = request.convert();
        let made = exporter.call_constructor(&mut session.store, &request);
        let made = tokio::time::timeout(self.limits.call, made).await;
        let exporter = made.map_err(|_| Stop::TimedOut)?.map_err(|trap| Stop::of(&trap))?;
        Ok(Export { engine: Arc::clone(self), session, exporter })
    }
}

impl Export {
    /// The next parts; `None`: the repository is whole.
    pub(crate) async fn step(
        &mut self,
        snapshot: impl Future<Output = StorageResult<SnapshotHandle>> + Send,
    ) -> Result<Option<Vec<Part>>, Stop> {
        let Self { engine, session, exporter } = self;
        let snapshot = snapshot.await?;
        let state = session.store.data_mut();
        state.cpu.renew();
        let handle = state.table.push(snapshot).expect("a step begins with an empty table");
        let lent = Resource::new_borrow(handle.rep());
        let export = async {
            let history = session.guest.gligabao_memory_history();
            history.exporter().call_next(&mut session.store, *exporter, lent).await
        };
        let parts = engine.finish(Box::pin(export)).await?;
        session.store.data_mut().table.delete(handle).expect("a guest can't drop what it borrows");
        Ok(parts)
    }

    /// How far it is.
    pub(crate) async fn progress(&mut self) -> Result<Progress, Stop> {
        let Self { session, exporter, .. } = self;
        let history = session.guest.gligabao_memory_history();
        let progress = history.exporter().call_progress(&mut session.store, *exporter).await;
        Ok(progress.map_err(|trap| Stop::of(&trap))?.convert())
    }
}
