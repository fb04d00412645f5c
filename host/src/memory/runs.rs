//! The log of calls, read.

use gligabao_core::model::{Failure, FailureCode, RunId};

use super::params::session;
use super::{CallError, Memory, Scope};
use crate::store::{RunFilter, RunPage, Trajectory};

/// Longest page.
const MAX_RUNS: u32 = 1_000;

impl Memory {
    /// Runs of a filter, newest first: at most `limit` (1 to 1,000) that began before `before`.
    ///
    /// # Errors
    /// When the filter is malformed, there is no such dataset or the store fails.
    pub async fn list_runs(
        &self,
        scope: &Scope,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> Result<RunPage, CallError> {
        if !(1..=MAX_RUNS).contains(&limit) {
            let refused = Failure::field("limit", format!("is {limit}; it must be from 1 to {MAX_RUNS}"));
            return Err(CallError::Failure(refused));
        }
        let session_id = session(filter.session_id.as_deref()).map_err(CallError::Failure)?;
        let filter = RunFilter { session_id, ..filter.clone() };
        let dataset = self.find(scope).await?;
        Ok(self.0.store.list_runs(dataset, &filter, before, limit).await?)
    }

    /// One run with its stages and what it asked of models.
    ///
    /// # Errors
    /// When there is no such run or dataset, or the store fails.
    pub async fn get_run(&self, scope: &Scope, run: RunId) -> Result<Trajectory, CallError> {
        let dataset = self.find(scope).await?;
        let found = self.0.store.get_run(dataset, run).await?;
        found.ok_or_else(|| {
            let message = format!("there is no run {run} in this dataset");
            CallError::Failure(Failure::new(FailureCode::NotFound, message))
        })
    }
}
