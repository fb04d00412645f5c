//! Time series: written, read and taken away.

use gligabao_core::convert::Convert;
use gligabao_core::model::{AnchorTarget, SeriesId};
use gligabao_core::remember::{SeriesPut, SeriesPutAnswer};
use gligabao_core::series::answer::{SeriesAnswer, SeriesList};
use gligabao_core::series::reading::ReadRequest;
use gligabao_core::time::Micros;

use super::{CallError, Failed, Logged, Memory, Scope, params, writes};
use crate::engine::Place;

impl Memory {
    /// Writes series that come without a text, in one commit. The dataset must exist.
    ///
    /// # Errors
    /// When the request is malformed, an anchor has no target, there is no such dataset, or as [`CallError`] lists.
    pub async fn put_series(&self, scope: &Scope, request: SeriesPut) -> Result<Logged<SeriesPutAnswer>, CallError> {
        Ok(self.try_put_series(scope, request).await?)
    }

    /// The same, with the run of a call that failed.
    pub(crate) async fn try_put_series(
        &self,
        scope: &Scope,
        mut request: SeriesPut,
    ) -> Result<Logged<SeriesPutAnswer>, Failed> {
        request.extractor.get_or_insert(self.0.extractor);
        let place = Place::Existing(self.find(scope).await?);
        let call = self.call().convert();
        let done = self
            .write(place, params::put_series(&request), move |session, dataset| {
                Box::pin(async move {
                    let remember = session.guest.gligabao_memory_remember();
                    remember.call_put_series(&mut session.store, dataset, call, &request.convert()).await
                })
            })
            .await?;
        writes::logged(done)
    }

    /// A list of series by ID, of those that are anchored to a target if given. `limit` is 1 to 1,000.
    ///
    /// # Errors
    /// When the request is malformed, there is no such target or dataset, or as [`CallError`] lists.
    pub async fn list_series(
        &self,
        scope: &Scope,
        target: Option<AnchorTarget>,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<SeriesList, CallError> {
        let cursor = cursor.map(str::to_owned);
        self.read(scope, move |session, snapshot| {
            Box::pin(async move {
                let series = session.guest.gligabao_memory_series();
                series.call_list_series(&mut session.store, snapshot, target.convert(), limit, cursor.as_deref()).await
            })
        })
        .await
    }

    /// One series and a part of its points.
    ///
    /// # Errors
    /// When the request is malformed, there is no such series or dataset, or as [`CallError`] lists.
    pub async fn get_series(
        &self,
        scope: &Scope,
        id: SeriesId,
        request: ReadRequest,
    ) -> Result<SeriesAnswer, CallError> {
        self.read(scope, move |session, snapshot| {
            Box::pin(async move {
                let series = session.guest.gligabao_memory_series();
                series.call_get_series(&mut session.store, snapshot, id.0, &request.convert()).await
            })
        })
        .await
    }

    /// Deletes a series with its points and anchors. Texts that told it stay.
    ///
    /// # Errors
    /// When there is no such series or dataset, or as [`CallError`] lists.
    pub async fn delete_series(&self, scope: &Scope, id: SeriesId) -> Result<Logged<()>, CallError> {
        Ok(self.try_delete_series(scope, id).await?)
    }

    /// The same, with the run of a call that failed.
    pub(crate) async fn try_delete_series(&self, scope: &Scope, id: SeriesId) -> Result<Logged<()>, Failed> {
        let place = Place::Existing(self.find(scope).await?);
        let call = self.call().convert();
        let done = self
            .write(place, params::delete_series(id), move |session, dataset| {
                Box::pin(async move {
                    let series = session.guest.gligabao_memory_series();
                    series.call_delete_series(&mut session.store, dataset, call, id.0).await
                })
            })
            .await?;
        writes::logged(done)
    }

    /// Erases the points of a series between two times, both inside, and what they replaced. How many points there were.
    ///
    /// # Errors
    /// When the times are not in order, there is no such series or dataset, or as [`CallError`] lists.
    pub async fn delete_points(
        &self,
        scope: &Scope,
        id: SeriesId,
        from: Option<Micros>,
        to: Option<Micros>,
    ) -> Result<Logged<u64>, CallError> {
        Ok(self.try_delete_points(scope, id, from, to).await?)
    }

    /// The same, with the run of a call that failed.
    pub(crate) async fn try_delete_points(
        &self,
        scope: &Scope,
        id: SeriesId,
        from: Option<Micros>,
        to: Option<Micros>,
    ) -> Result<Logged<u64>, Failed> {
        let place = Place::Existing(self.find(scope).await?);
        let call = self.call().convert();
        let done = self
            .write(place, params::delete_points(id, from, to), move |session, dataset| {
                Box::pin(async move {
                    let series = session.guest.gligabao_memory_series();
                    let (from, to) = (from.convert(), to.convert());
                    series.call_delete_points(&mut session.store, dataset, call, id.0, from, to).await
                })
            })
            .await?;
        writes::logged(done)
    }

    /// Takes an anchor of a series away.
    ///
    /// # Errors
    /// When there is no such series, anchor or dataset, or as [`CallError`] lists.
    pub async fn delete_anchor(
        &self,
        scope: &Scope,
        id: SeriesId,
        target: AnchorTarget,
    ) -> Result<Logged<()>, CallError> {
        Ok(self.try_delete_anchor(scope, id, target).await?)
    }

    /// The same, with the run of a call that failed.
    pub(crate) async fn try_delete_anchor(
        &self,
        scope: &Scope,
        id: SeriesId,
        target: AnchorTarget,
    ) -> Result<Logged<()>, Failed> {
        let place = Place::Existing(self.find(scope).await?);
        let call = self.call().convert();
        let done = self
            .write(place, params::delete_anchor(id, target), move |session, dataset| {
                Box::pin(async move {
                    let series = session.guest.gligabao_memory_series();
                    series.call_delete_anchor(&mut session.store, dataset, call, id.0, target.convert()).await
                })
            })
            .await?;
        writes::logged(done)
    }
}
