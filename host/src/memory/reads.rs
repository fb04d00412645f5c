//! Calls that read. None of them writes but the log of a question.

use std::sync::Arc;

use gligabao_core::convert::Convert;
use gligabao_core::model::{ArtifactId, Call, EdgeId, EntityId};
use gligabao_core::recall::{
    ArtifactAnswer, ArtifactsAnswer, EdgeAnswer, EntitiesAnswer, EntityAnswer, FactsAnswer, FactsRequest, QueryAnswer,
    QueryRequest, TimelineAnswer, Turn, WhyAnswer,
};
use gligabao_core::storage::StorageResult;
use wasmtime::component::Resource;

use super::error::ended;
use super::{Asked, Asking, CallError, Failed, Memory, Scope, Shared, params};
use crate::engine::{Ended, Exported, Run, Session, SnapshotHandle, Stop};
use crate::store::RunLog;

/// Questions of a session that a model is shown at most.
const TURNS: u32 = 10;

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
        asking: Asking,
    ) -> Result<Asked<QueryAnswer>, CallError> {
        Ok(self.try_query(scope, request, asking).await?)
    }

    /// The same, with the run of a call that failed.
    pub(crate) async fn try_query(
        &self,
        scope: &Scope,
        request: QueryRequest,
        asking: Asking,
    ) -> Result<Asked<QueryAnswer>, Failed> {
        let session_id = params::session(asking.session_id.as_deref()).map_err(CallError::Failure)?;
        let asking = Asking { session_id, ..asking };
        let call = self.call();
        let (shared, scope) = (Arc::clone(&self.0), scope.clone());
        // A task of its own: a run must end even if nobody waits for the answer any more.
        let task = tokio::spawn(async move { shared.query(&scope, call, request, asking).await });
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

    /// One fact with what its sources say, where they say it, and all that happened to it.
    ///
    /// # Errors
    /// When there is no such fact or dataset, or as [`CallError`] lists.
    pub async fn why(&self, scope: &Scope, id: EdgeId) -> Result<WhyAnswer, CallError> {
        self.read(scope, |session, snapshot| {
            Box::pin(async move {
                let recall = session.guest.gligabao_memory_recall();
                recall.call_why(&mut session.store, snapshot, id.0).await
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

    pub(super) async fn read<W: Convert<T>, T: Send>(
        &self,
        scope: &Scope,
        export: impl for<'a> FnOnce(&'a mut Session, Resource<SnapshotHandle>) -> Exported<'a, W> + Send,
    ) -> Result<T, CallError> {
        let snapshot = async {
            let dataset = self.0.find(scope).await?;
            let snapshot = self.0.store.snapshot(dataset).await?;
            Ok(SnapshotHandle::new(Arc::clone(&self.0.store), dataset, snapshot, None))
        };
        let read = self.0.engine.read(snapshot, export, |_| RunLog::default());
        Ok(read.await.result?)
    }
}

impl Shared {
    async fn query(&self, scope: &Scope, call: Call, mut request: QueryRequest, asking: Asking) -> Ended<QueryAnswer> {
        let Asking { session_id, log } = asking;
        let run = params::query(&request, session_id.as_deref());
        if let Some(session_id) = &session_id {
            match self.turns(scope, session_id).await {
                Ok(turns) => request.history = turns,
                Err(error) => return Stop::from(error).into(),
            }
        }
        let snapshot = async {
            let dataset = self.find(scope).await?;
            let run = log.then(|| Run::new(Arc::clone(&self.store), run));
            let snapshot = self.store.snapshot(dataset).await?;
            Ok(SnapshotHandle::new(Arc::clone(&self.store), dataset, snapshot, run))
        };
        let log = |answer: &QueryAnswer| RunLog {
            stages: answer.stages.clone(),
            answer: session_id.map(|_| answer.answer.clone()),
            calls: Vec::new(),
        };
        let ask = self.engine.read(
            snapshot,
            |session, snapshot| {
                Box::pin(async move {
                    let recall = session.guest.gligabao_memory_recall();
                    recall.call_query(&mut session.store, snapshot, call.convert(), &request.convert()).await
                })
            },
            log,
        );
        ask.await
    }

    /// What was asked in a session before.
    async fn turns(&self, scope: &Scope, session_id: &str) -> StorageResult<Vec<Turn>> {
        let dataset = self.find(scope).await?;
        self.store.turns(dataset, session_id, TURNS).await
    }
}
