//! Calls that read. None of them writes but the log of a question.

use std::sync::Arc;

use gligabao_core::convert::Convert;
use gligabao_core::model::{ArtifactId, EdgeId, EntityId, RunId};
use gligabao_core::recall::{
    ArtifactAnswer, ArtifactsAnswer, EdgeAnswer, EntitiesAnswer, EntityAnswer, FactsAnswer, FactsRequest, QueryAnswer,
    QueryRequest, TimelineAnswer,
};
use wasmtime::component::Resource;

use super::error::ended;
use super::{CallError, Failed, Memory, Scope};
use crate::engine::{Ended, Exported, Run, Session, SnapshotHandle, Stop};
use crate::store::RunKind;

impl Memory {
    /// Facts as of two times.
    ///
    /// # Errors
    /// When the request is malformed, there is no such dataset, or as [`CallError`] lists.
    pub async fn facts(&self, scope: &Scope, request: FactsRequest) -> Result<FactsAnswer, CallError> {
        let call = self.call().convert();
        self.read(scope, |session, snapshot| {
            Box::pin(async move {
                let recall = session.guest.gligabao_memory_recall();
                recall.call_facts(&mut session.store, snapshot, call, &request.convert()).await
            })
        })
        .await
    }

    /// Facts in time, each with what closed it.
    ///
    /// # Errors
    /// When the request is malformed, there is no such dataset, or as [`CallError`] lists.
    pub async fn timeline(&self, scope: &Scope, request: FactsRequest) -> Result<TimelineAnswer, CallError> {
        let call = self.call().convert();
        self.read(scope, |session, snapshot| {
            Box::pin(async move {
                let recall = session.guest.gligabao_memory_recall();
                recall.call_timeline(&mut session.store, snapshot, call, &request.convert()).await
            })
        })
        .await
    }

    /// Answers a question from the facts that it is about. A logged one is a run, unless it is refused as malformed.
    ///
    /// # Errors
    /// When the request is malformed, there is no such dataset, or as [`CallError`] lists.
    pub async fn query(
        &self,
        scope: &Scope,
        request: QueryRequest,
        log: bool,
    ) -> Result<(Option<RunId>, QueryAnswer), CallError> {
        let (ended, answer) = self.try_query(scope, request, log).await?;
        Ok((ended.run, answer))
    }

    /// The same, with the run of a call that failed.
    pub(crate) async fn try_query(
        &self,
        scope: &Scope,
        request: QueryRequest,
        log: bool,
    ) -> Result<(Ended, QueryAnswer), Failed> {
        let call = self.call().convert();
        let (shared, scope) = (Arc::clone(&self.0), scope.clone());
        // A task of its own: a run must end even if nobody waits for the answer any more.
        let task = tokio::spawn(async move {
            let snapshot = async {
                let dataset = shared.find(&scope).await?;
                let run = log.then(|| Run::new(Arc::clone(&shared.store), RunKind::Query));
                let snapshot = shared.store.snapshot(dataset).await?;
                Ok(SnapshotHandle::new(Arc::clone(&shared.store), dataset, snapshot, run))
            };
            shared
                .engine
                .read(snapshot, |session, snapshot| {
                    Box::pin(async move {
                        let recall = session.guest.gligabao_memory_recall();
                        recall.call_query(&mut session.store, snapshot, call, &request.convert()).await
                    })
                })
                .await
        });
        ended(task.await.map_err(|error| CallError::from(Stop::panicked(&error)))?)
    }

    /// A list of entities by ID, of one type if given.
    ///
    /// # Errors
    /// When the request is malformed, there is no such dataset, or as [`CallError`] lists.
    pub async fn list_entities(
        &self,
        scope: &Scope,
        r#type: Option<&str>,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<EntitiesAnswer, CallError> {
        let (r#type, cursor) = (r#type.map(str::to_owned), cursor.map(str::to_owned));
        self.read(scope, move |session, snapshot| {
            Box::pin(async move {
                let recall = session.guest.gligabao_memory_recall();
                recall
                    .call_list_entities(&mut session.store, snapshot, r#type.as_deref(), limit, cursor.as_deref())
                    .await
            })
        })
        .await
    }

    /// One entity.
    ///
    /// # Errors
    /// When there is no such entity or dataset, or as [`CallError`] lists.
    pub async fn get_entity(&self, scope: &Scope, id: EntityId) -> Result<EntityAnswer, CallError> {
        self.read(scope, |session, snapshot| {
            Box::pin(async move {
                let recall = session.guest.gligabao_memory_recall();
                recall.call_get_entity(&mut session.store, snapshot, id.0).await
            })
        })
        .await
    }

    /// A list of what callers sent, newest first.
    ///
    /// # Errors
    /// When the request is malformed, there is no such dataset, or as [`CallError`] lists.
    pub async fn list_artifacts(
        &self,
        scope: &Scope,
        session_id: Option<&str>,
        wing: Option<&str>,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<ArtifactsAnswer, CallError> {
        let [session_id, wing, cursor] = [session_id, wing, cursor].map(|text| text.map(str::to_owned));
        self.read(scope, move |session, snapshot| {
            Box::pin(async move {
                let (session_id, wing, cursor) = (session_id.as_deref(), wing.as_deref(), cursor.as_deref());
                let recall = session.guest.gligabao_memory_recall();
                recall.call_list_artifacts(&mut session.store, snapshot, session_id, wing, limit, cursor).await
            })
        })
        .await
    }

    /// One artifact with its text.
    ///
    /// # Errors
    /// When there is no such artifact or dataset, or as [`CallError`] lists.
    pub async fn get_artifact(&self, scope: &Scope, id: ArtifactId) -> Result<ArtifactAnswer, CallError> {
        self.read(scope, |session, snapshot| {
            Box::pin(async move {
                let recall = session.guest.gligabao_memory_recall();
                recall.call_get_artifact(&mut session.store, snapshot, id.0).await
            })
        })
        .await
    }

    /// One fact with its log and its sources.
    ///
    /// # Errors
    /// When there is no such fact or dataset, or as [`CallError`] lists.
    pub async fn get_edge(&self, scope: &Scope, id: EdgeId) -> Result<EdgeAnswer, CallError> {
        self.read(scope, |session, snapshot| {
            Box::pin(async move {
                let recall = session.guest.gligabao_memory_recall();
                recall.call_get_edge(&mut session.store, snapshot, id.0).await
            })
        })
        .await
    }

    async fn read<W: Convert<T>, T>(
        &self,
        scope: &Scope,
        export: impl for<'a> FnOnce(&'a mut Session, Resource<SnapshotHandle>) -> Exported<'a, W> + Send,
    ) -> Result<T, CallError> {
        let snapshot = async {
            let dataset = self.0.find(scope).await?;
            let snapshot = self.0.store.snapshot(dataset).await?;
            Ok(SnapshotHandle::new(Arc::clone(&self.0.store), dataset, snapshot, None))
        };
        let (_, answer) = self.0.engine.read(snapshot, export).await;
        Ok(answer?.convert())
    }
}
