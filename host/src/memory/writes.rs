//! Calls that write. Each is a run and at most one commit, and goes on when its caller goes away.

use std::sync::Arc;

use gligabao_core::convert::Convert;
use gligabao_core::knowledge::{DatasetRequest, Retraction};
use gligabao_core::model::{EdgeId, Failure, FailureCode};
use gligabao_core::remember::{Answer, Request};
use wasmtime::component::Resource;

use super::error::ended;
use super::{CallError, Failed, Logged, Memory, Scope};
use crate::engine::{DatasetHandle, Ended, Exported, Place, Session, Stop};
use crate::store::{DatasetSummary, RunKind};

impl Memory {
    /// Remembers a text. Makes a missing user and dataset, unless the request is refused as malformed.
    ///
    /// # Errors
    /// When the request is malformed, or as [`CallError`] lists.
    pub async fn remember(&self, scope: &Scope, request: Request) -> Result<Logged<Answer>, CallError> {
        Ok(self.try_remember(scope, request).await?)
    }

    /// The same, with the run of a call that failed.
    pub(crate) async fn try_remember(&self, scope: &Scope, mut request: Request) -> Result<Logged<Answer>, Failed> {
        if request.patterns.is_none() {
            request.patterns = self.0.patterns.as_deref().map(<[u8]>::to_vec);
        }
        if request.extractor.is_none() {
            request.extractor = self.0.extractor;
        }
        let call = self.call().convert();
        let (ended, answer) = self
            .write(named(scope), RunKind::Remember, move |session, dataset| {
                Box::pin(async move {
                    let remember = session.guest.gligabao_memory_remember();
                    remember.call_remember(&mut session.store, dataset, call, &request.convert()).await
                })
            })
            .await?;
        logged(ended, answer)
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
        let (ended, answer) = self
            .write(place, RunKind::Edit, move |session, dataset| {
                Box::pin(async move {
                    let knowledge = session.guest.gligabao_memory_knowledge();
                    knowledge.call_retract(&mut session.store, dataset, call, edge.0).await
                })
            })
            .await?;
        logged(ended, answer)
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
        self.write::<bool, bool>(named(scope), RunKind::Edit, move |session, dataset| {
            Box::pin(async move {
                let knowledge = session.guest.gligabao_memory_knowledge();
                knowledge.call_put_dataset(&mut session.store, dataset, call, &request.convert()).await
            })
        })
        .await?;
        Ok(self.get_dataset(scope).await?)
    }

    async fn write<W: Convert<T> + Send + 'static, T>(
        &self,
        place: Place,
        kind: RunKind,
        export: impl for<'a> FnOnce(&'a mut Session, Resource<DatasetHandle>) -> Exported<'a, W> + Send + 'static,
    ) -> Result<(Ended, T), Failed> {
        let handle = DatasetHandle::new(Arc::clone(&self.0.store), place, kind);
        let shared = Arc::clone(&self.0);
        let task = tokio::spawn(async move { shared.engine.write(handle, export).await });
        ended(task.await.map_err(|error| CallError::from(Stop::panicked(&error)))?)
    }
}

fn named(scope: &Scope) -> Place {
    Place::Named(scope.user.clone(), scope.dataset.clone())
}

fn logged<T>(ended: Ended, answer: T) -> Result<Logged<T>, Failed> {
    let missing = || Failure::new(FailureCode::Internal, "the call left no run; report this");
    let run_id = ended.run.ok_or_else(missing).map_err(CallError::Failure)?;
    Ok(Logged { run_id, answer, calls: ended.calls })
}
