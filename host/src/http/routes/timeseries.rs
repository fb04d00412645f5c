//! Time series.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use gligabao_core::model::{AnchorTarget, ArtifactId, EdgeId, EntityId, SeriesId};
use gligabao_core::series::answer::SeriesAnswer;

use super::Answer;
use crate::http::error::ApiError;
use crate::http::extract::{AnchorPath, Body, Caller, Id, Names, Params, SERIES_LIMIT, SeriesPath};
use crate::memory::Memory;
use crate::sheet;
use crate::wire::error::ErrorBody;
use crate::wire::scope::ScopeParams;
use crate::wire::series::answer::PutSeries;
use crate::wire::series::read::{self, DeleteParams, SeriesParams, SeriesPart};
use crate::wire::series::request::PutSeriesRequest;
use crate::wire::series::{Deleted, SeriesList, SeriesListParams};

/// Where the rest of a CSV answer begins.
const CURSOR: HeaderName = HeaderName::from_static("gb-cursor");

/// Write series that come without a text, in one commit. A series that is stored already gets the points, labels and
/// anchors that are sent.
#[utoipa::path(
    post, path = "/v1/gb/timeseries", tag = "series", params(ScopeParams), request_body = PutSeriesRequest,
    responses(
        (status = 200, description = "What was stored", body = PutSeries),
        (status = 400, description = "Malformed; the message names the place", body = ErrorBody),
        (status = 404, description = "No such dataset", body = ErrorBody),
        (status = 413, description = "The body is over 16 MiB", body = ErrorBody),
        (status = 422, description = "An anchor has no target; nothing is stored", body = ErrorBody),
        (status = 429, description = "A budget is used up; `retry-after` says for how long", body = ErrorBody),
        (status = 502, description = "The model gave no usable answer; nothing is stored", body = ErrorBody),
        (status = 503, description = "Busy, or something that is needed does not answer", body = ErrorBody),
    )
)]
pub(crate) async fn put(
    State(memory): State<Memory>,
    caller: Caller,
    Params(params): Params<ScopeParams>,
    Body(request): Body<PutSeriesRequest, SERIES_LIMIT>,
) -> Answer<PutSeries> {
    let scope = caller.scope(
        Names::new(params.user_id.as_ref(), params.dataset.as_ref()),
        Names::new(request.user_id.as_ref(), request.dataset.as_ref()),
    )?;
    let done = memory.try_put_series(&scope, request.into()).await?;
    Ok(Json(PutSeries::new(scope.user.to_string(), scope.dataset.to_string(), done)))
}

/// The series of the dataset, or those that are anchored to one thing, by number and without points.
#[utoipa::path(
    get, path = "/v1/gb/timeseries", tag = "series", params(SeriesListParams),
    responses(
        (status = 200, description = "The series", body = SeriesList),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset, entity, text or fact", body = ErrorBody),
    )
)]
pub(crate) async fn list(
    State(memory): State<Memory>,
    caller: Caller,
    Params(params): Params<SeriesListParams>,
) -> Answer<SeriesList> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    let target = target(&params)?;
    let limit = params.limit.unwrap_or_default().0;
    Ok(Json(memory.list_series(&scope, target, limit, params.cursor.as_deref()).await?.into()))
}

/// The one thing that the series of a list are anchored to.
fn target(params: &SeriesListParams) -> Result<Option<AnchorTarget>, ApiError> {
    let named = [
        ("entity_id", params.entity_id.map(|id| AnchorTarget::Entity(EntityId(id)))),
        ("artifact_id", params.artifact_id.map(|id| AnchorTarget::Artifact(ArtifactId(id)))),
        ("edge_id", params.edge_id.map(|id| AnchorTarget::Edge(EdgeId(id)))),
    ];
    let mut named = named.into_iter().filter_map(|(name, target)| Some((name, target?)));
    let Some((first, target)) = named.next() else { return Ok(None) };
    match named.next() {
        Some((second, _)) => Err(ApiError::field(second, format!("give either `{first}` or `{second}`, not both"))),
        None => Ok(Some(target)),
    }
}

/// One series with its points, oldest first, or what is told of them period by period. `/v1/gb/timeseries/{id}.csv`, or
/// the header `accept: text/csv`, gives the points as CSV; where the rest begins is then in the header `gb-cursor`.
#[utoipa::path(
    get, path = "/v1/gb/timeseries/{id}", tag = "series",
    params(("id" = String, Path, description = "Number of the series, with `.csv` behind it for CSV"), SeriesParams),
    responses(
        (status = 200, description = "The series", content((SeriesPart = "application/json"), (String = "text/csv"))),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset or series", body = ErrorBody),
    )
)]
pub(crate) async fn show(
    State(memory): State<Memory>,
    caller: Caller,
    path: SeriesPath,
    headers: HeaderMap,
    Params(params): Params<SeriesParams>,
) -> Result<Response, ApiError> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    let part = memory.get_series(&scope, SeriesId(path.id), params.into()).await?;
    if path.csv || wants_csv(&headers) {
        return Ok(csv(part));
    }
    Ok(Json(SeriesPart::from(part)).into_response())
}

/// Whether CSV is asked for before JSON.
fn wants_csv(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds = accepted.flat_map(|value| value.split(',')).map(|kind| kind.split(';').next().unwrap_or(kind));
    kinds.find(|kind| !kind.trim().is_empty()).is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/csv"))
}

fn csv(part: SeriesAnswer) -> Response {
    let mut response = sheet::write(&read::rows(part.rows)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/csv; charset=utf-8; header=present"));
    if let Some(cursor) = part.cursor.and_then(|cursor| cursor.parse().ok()) {
        headers.insert(CURSOR, cursor);
    }
    response
}

/// Delete a series with its points and anchors, or the points of a time. Texts that told it stay.
#[utoipa::path(
    delete, path = "/v1/gb/timeseries/{id}", tag = "series",
    params(("id" = u64, Path, description = "Number of the series"), DeleteParams),
    responses(
        (status = 200, description = "What is gone", body = Deleted),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset or series", body = ErrorBody),
    )
)]
pub(crate) async fn delete(
    State(memory): State<Memory>,
    caller: Caller,
    Id(id): Id,
    Params(params): Params<DeleteParams>,
) -> Answer<Deleted> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    let id = SeriesId(id);
    Ok(Json(match (params.from, params.to) {
        (None, None) => {
            let done = memory.try_delete_series(&scope, id).await?;
            Deleted { run_id: done.run_id.0, points: None }
        }
        (from, to) => {
            let done = memory.try_delete_points(&scope, id, from.map(|at| at.0), to.map(|at| at.0)).await?;
            Deleted { run_id: done.run_id.0, points: Some(done.answer) }
        }
    }))
}

/// Take an anchor of a series away.
#[utoipa::path(
    delete, path = "/v1/gb/timeseries/{id}/anchors/{type}/{target_id}", tag = "series",
    params(
        ("id" = u64, Path, description = "Number of the series"),
        ("type" = String, Path, description = "`artifact`, `entity` or `edge`"),
        ("target_id" = u64, Path, description = "Number of the artifact, entity or edge"),
        ScopeParams
    ),
    responses(
        (status = 200, description = "It is gone", body = Deleted),
        (status = 400, description = "Malformed", body = ErrorBody),
        (status = 404, description = "No such dataset, series or anchor", body = ErrorBody),
    )
)]
pub(crate) async fn delete_anchor(
    State(memory): State<Memory>,
    caller: Caller,
    AnchorPath { series, target }: AnchorPath,
    Params(params): Params<ScopeParams>,
) -> Answer<Deleted> {
    let scope = caller.scope(Names::new(params.user_id.as_ref(), params.dataset.as_ref()), Names::default())?;
    let done = memory.try_delete_anchor(&scope, series, target).await?;
    Ok(Json(Deleted { run_id: done.run_id.0, points: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_for_those_who_ask_for_it_first() {
        for (accept, expected) in [
            ("text/csv", true),
            ("Text/CSV; q=0.9, application/json", true),
            ("application/json, text/csv", false),
            ("*/*", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, accept.parse().expect("a header"))]);
            assert_eq!(wants_csv(&headers), expected, "{accept}");
        }
    }
}
