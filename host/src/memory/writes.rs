//! Calls that write, and what one would write. Each of the former is a run and at most one commit, and goes on when its caller goes away.

use std::sync::Arc;

use gligabao_core::convert::Convert;
use gligabao_core::knowledge::{DatasetRequest, Retraction};
use gligabao_core::model::{EdgeId, Failure, FailureCode};
use gligabao_core::remember::{Answer, Request};
use gligabao_core::storage::StorageResult;
use wasmtime::component::Resource;

use super::error::ended;
use super::{Asked, CallError, Failed, Logged, Memory, Scope, params};
use crate::engine::{DatasetHandle, Exported, Place, Session, SnapshotHandle, Stop};
use crate::store::memory::MemoryStore;
use crate::store::{DatasetId, DatasetSummary, NewRun, RunLog, SharedStore, Store};

impl Memory {
    /// Remembers a text. Makes a missing user and dataset, unless the request is refused as malformed.
    ///
    /// # Errors
    /// When the request is malformed, or as [`CallError`] lists.
    pub async fn remember(&self, scope: &Scope, request: Request) -> Result<Logged<Answer>, CallError> {
        Ok(self.try_remember(scope, request).await?)
    }

    /// The same, with the run of a call that failed.
    pub(crate) async fn try_remember(&self, scope: &Scope, request: Request) -> Result<Logged<Answer>, Failed> {
        let request = self.complete(request);
        let call = self.call().convert();
        let done = self
            .write(named(scope), params::remember(&request), move |session, dataset| {
                Box::pin(async move {
                    let remember = session.guest.gligabao_memory_remember();
                    remember.call_remember(&mut session.store, dataset, call, &request.convert()).await
                })
            })
            .await?;
        logged(done)
    }

    /// What remember would do now. Models are asked; nothing is stored, logged or made. A missing dataset is taken for an
    /// empty one.
    ///
    /// # Errors
    /// When the request is malformed, or as [`CallError`] lists.
    pub async fn preview(&self, scope: &Scope, request: Request) -> Result<Asked<Answer>, CallError> {
        let request = self.complete(request);
        let call = self.call().convert();
        let store = &self.0.store;
        let snapshot = async {
            let (store, dataset) = match store.find_dataset(&scope.user, &scope.dataset).await? {
                Some(dataset) => (Arc::clone(store), dataset),
                None => empty(scope).await?,
            };
            let snapshot = store.snapshot(dataset).await?;
            Ok(SnapshotHandle::new(store, dataset, snapshot, None))
        };
        let previewed = self.0.engine.read(
            snapshot,
            |session, snapshot| {
                Box::pin(async move {
                    let remember = session.guest.gligabao_memory_remember();
                    remember.call_preview(&mut session.store, snapshot, call, &request.convert()).await
                })
            },
            |_| RunLog::default(),
        );
        Ok(ended(previewed.await)?)
    }

    /// Takes a fact out of belief; what only it had closed holds again.
    ///
    /// # Errors
    /// When there is no such fact or dataset, it is retracted already, or as [`CallError`] lists.
    pub async fn retract(&self, scope: &Scope, edge: EdgeId) -> Result<Logged<Retraction>, CallError> {
        Ok(self.try_retract(scope, edge).await?)
    }

    /// The same, with the run of a call that failed.
    pub(crate) async fn try_retract(&self, scope: &Scope, edge: EdgeId) -> Result<Logged<Retraction>, Failed> {
        let place = Place::Existing(self.find(scope).await?);
        let call = self.call().convert();
        let done = self
            .write(place, params::retract(edge), move |session, dataset| {
                Box::pin(async move {
                    let knowledge = session.guest.gligabao_memory_knowledge();
                    knowledge.call_retract(&mut session.store, dataset, call, edge.0).await
                })
            })
            .await?;
        logged(done)
    }

    /// Makes a dataset, or changes what people say of it.
    ///
    /// # Errors
    /// When the request is malformed, or as [`CallError`] lists.
    pub async fn put_dataset(&self, scope: &Scope, request: DatasetRequest) -> Result<DatasetSummary, CallError> {
        Ok(self.try_put_dataset(scope, request).await?)
    }

    /// The same, with the run of a call that failed.
    pub(crate) async fn try_put_dataset(
        &self,
        scope: &Scope,
        request: DatasetRequest,
    ) -> Result<DatasetSummary, Failed> {
        let call = self.call().convert();
        self.write::<bool, bool>(named(scope), params::put_dataset(&request), move |session, dataset| {
            Box::pin(async move {
                let knowledge = session.guest.gligabao_memory_knowledge();
                knowledge.call_put_dataset(&mut session.store, dataset, call, &request.convert()).await
            })
        })
        .await?;
        Ok(self.get_dataset(scope).await?)
    }

    /// The request with what the operator set where it says nothing.
    fn complete(&self, mut request: Request) -> Request {
        if request.patterns.is_none() {
            request.patterns = self.0.patterns.as_deref().map(<[u8]>::to_vec);
        }
        request.extractor.get_or_insert(self.0.extractor);
        request
    }

    pub(super) async fn write<W: Convert<T> + Send + 'static, T: Send + 'static>(
        &self,
        place: Place,
        run: NewRun,
        export: impl for<'a> FnOnce(&'a mut Session, Resource<DatasetHandle>) -> Exported<'a, W> + Send + 'static,
    ) -> Result<Asked<T>, Failed> {
        let handle = DatasetHandle::new(Arc::clone(&self.0.store), place, run);
        let shared = Arc::clone(&self.0);
        let task = tokio::spawn(async move { shared.engine.write(handle, export).await });
        ended(task.await.map_err(|error| CallError::from(Stop::panicked(&error)))?)
    }
}

fn named(scope: &Scope) -> Place {
    Place::Named(scope.user.clone(), scope.dataset.clone())
}

pub(super) fn logged<T>(done: Asked<T>) -> Result<Logged<T>, Failed> {
    let Asked { run_id, answer, calls } = done;
    let missing = || Failure::new(FailureCode::Internal, "the call left no run; report this");
    let run_id = run_id.ok_or_else(missing).map_err(CallError::Failure)?;
    Ok(Logged { run_id, answer, calls })
}

/// A dataset with nothing in it that nobody else sees.
async fn empty(scope: &Scope) -> StorageResult<(SharedStore, DatasetId)> {
    let store = MemoryStore::default();
    let dataset = store.create_dataset(&scope.user, &scope.dataset).await?;
    Ok((Arc::new(store), dataset))
}
