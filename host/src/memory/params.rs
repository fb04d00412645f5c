//! What the log of a call says that was asked for. Counts stand for texts; what is absent is left out.

use gligabao_core::check::{MAX_LABEL, optional_label};
use gligabao_core::knowledge::DatasetRequest;
use gligabao_core::model::{AnchorTarget, EdgeId, Failure, ModelChoice, SeriesId};
use gligabao_core::recall::{Known, QueryRequest};
use gligabao_core::remember::{Observed, Request, SeriesPut};
use gligabao_core::series::request::{DEFAULT_FIELD, SeriesRequest};
use gligabao_core::time::Micros;
use serde_json::{Map, Value};

use crate::store::{NewRun, RunKind};

/// The run of a text.
pub(super) fn remember(request: &Request) -> NewRun {
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    // The memory takes labels without the blanks around them, and refuses what is none before it opens a run.
    let session_id = request.session_id.as_deref().map(|session| session.trim().to_owned());
    let sent = request.timeseries.as_ref();
    let params = object([
        ("text_bytes", Some(request.text.len().into())),
        ("kind", Some(request.kind.as_str().into())),
        ("reference_time", request.reference_time.map(|at| at.to_string().into())),
        ("title", text(&request.title)),
        ("session_id", text(&session_id)),
        ("wing", text(&request.wing)),
        ("extractor", request.extractor.map(|extractor| extractor.as_str().into())),
        ("models", models(&request.models)),
        ("timezone", text(&request.timezone)),
        ("speaker", text(&request.speaker)),
        ("language", text(&request.language)),
        ("series", sent.map(|sent| series(&sent.series))),
        ("observations", sent.filter(|sent| sent.observations).map(|_| true.into())),
    ]);
    NewRun { kind: RunKind::Remember, params, session_id }
}

/// The run of a question. Its words are kept: a log of questions without them is of no use.
pub(super) fn query(request: &QueryRequest, session_id: Option<&str>) -> NewRun {
    let known_at = match request.known_at {
        Known::Now => None,
        Known::At(at) => Some(at.to_string().into()),
        Known::Version(version) => Some(version.into()),
    };
    let params = object([
        ("question", Some(request.question.as_str().into())),
        ("at", request.at.map(|at| at.to_string().into())),
        ("known_at", known_at),
        ("wing", request.wing.as_deref().map(Value::from)),
        ("session_id", session_id.map(Value::from)),
        ("limit", Some(request.limit.into())),
        ("models", models(&request.models)),
    ]);
    NewRun { kind: RunKind::Query, params, session_id: session_id.map(str::to_owned) }
}

/// The run of a retraction.
pub(super) fn retract(edge: EdgeId) -> NewRun {
    edit("retract", [("edge_id", Some(edge.0.into()))])
}

/// The run of a change of what people say of a dataset.
pub(super) fn put_dataset(request: &DatasetRequest) -> NewRun {
    let bytes = request.description.as_ref().map(|description| description.len().into());
    let tags = request.tags.as_ref().map(|tags| tags.len().into());
    edit("put_dataset", [("description_bytes", bytes), ("tags", tags)])
}

/// The run of series that come without a text.
pub(super) fn put_series(request: &SeriesPut) -> NewRun {
    let observed = Some(request.observations).filter(|observed| *observed != Observed::Nothing);
    edit(
        "put_series",
        [
            ("series", Some(series(&request.series))),
            ("observations", observed.map(|observed| observed.as_str().into())),
            ("extractor", request.extractor.map(|extractor| extractor.as_str().into())),
            ("wing", request.wing.as_deref().map(Value::from)),
            ("models", models(&request.models)),
        ],
    )
}

/// Series by name, with how much was sent.
fn series(sent: &[SeriesRequest]) -> Value {
    let one = |series: &SeriesRequest| {
        serde_json::json!({
            "key": series.key.trim(),
            "field": series.field.as_deref().map_or(DEFAULT_FIELD, str::trim),
            "points": series.points.as_ref().map_or(0, Vec::len),
            "anchors": series.anchors.len(),
        })
    };
    sent.iter().map(one).collect()
}

/// The run of a deletion of a series.
pub(super) fn delete_series(id: SeriesId) -> NewRun {
    edit("delete_series", [("series_id", Some(id.0.into()))])
}

/// The run of a deletion of points.
pub(super) fn delete_points(id: SeriesId, from: Option<Micros>, to: Option<Micros>) -> NewRun {
    let time = |at: Option<Micros>| at.map(|at| at.to_string().into());
    edit("delete_points", [("series_id", Some(id.0.into())), ("from", time(from)), ("to", time(to))])
}

/// The run of a deletion of an anchor.
pub(super) fn delete_anchor(id: SeriesId, target: AnchorTarget) -> NewRun {
    let (kind, number) = (target.kind().into(), target.number().into());
    edit("delete_anchor", [("series_id", Some(id.0.into())), ("type", Some(kind)), ("id", Some(number))])
}

fn edit<const N: usize>(operation: &str, rest: [(&str, Option<Value>); N]) -> NewRun {
    let params = object(std::iter::once(("operation", Some(operation.into()))).chain(rest));
    NewRun { kind: RunKind::Edit, params, session_id: None }
}

fn models(choices: &[ModelChoice]) -> Option<Value> {
    let models: Map<_, _> = choices.iter().map(|choice| (choice.stage.clone(), choice.model.as_str().into())).collect();
    (!models.is_empty()).then_some(Value::Object(models))
}

fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Option<Value>)>) -> String {
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect()).to_string()
}

/// A session that is named where the guest does not see it.
pub(super) fn session(name: Option<&str>) -> Result<Option<String>, Failure> {
    optional_label("session_id", name, MAX_LABEL)
}

#[cfg(test)]
mod tests {
    use gligabao_core::remember::{Extractor, Timeseries};
    use gligabao_core::series::Point;
    use gligabao_core::time::Instant;

    use super::*;

    fn check(run: &NewRun, params: &Value, session_id: Option<&str>) {
        assert_eq!(serde_json::from_str::<Value>(&run.params).expect("JSON"), *params);
        assert_eq!(run.session_id.as_deref(), session_id);
    }

    #[test]
    fn params_say_what_was_asked_for_and_leave_out_the_rest() {
        let bare = Request::new("Ana lives in Graz");
        check(&remember(&bare), &serde_json::json!({"text_bytes": 17, "kind": "knowledge"}), None);
        let models = vec![ModelChoice { stage: "extract_graph".to_owned(), model: "m".to_owned() }];
        let full = Request {
            reference_time: Some(Instant(0)),
            title: Some("t".to_owned()),
            session_id: Some(" s ".to_owned()),
            extractor: Some(Extractor::Both),
            models: models.clone(),
            ..bare
        };
        let params = serde_json::json!({
            "text_bytes": 17, "kind": "knowledge", "reference_time": "1970-01-01T00:00:00Z", "title": "t",
            "session_id": "s", "extractor": "both", "models": {"extract_graph": "m"},
        });
        check(&remember(&full), &params, Some("s"));
        let asked = QueryRequest { known_at: Known::Version(7), limit: 5, models, ..QueryRequest::new("Where?") };
        let params = serde_json::json!({
            "question": "Where?", "known_at": 7, "session_id": "s", "limit": 5, "models": {"extract_graph": "m"},
        });
        check(&query(&asked, Some("s")), &params, Some("s"));
        let then = QueryRequest { known_at: Known::At(Micros(0)), at: Some(Instant(1)), ..asked };
        let then: Value = serde_json::from_str(&query(&then, None).params).expect("JSON");
        assert_eq!((&then["known_at"], &then["at"]), (&"1970-01-01T00:00:00Z".into(), &"1970-01-01T00:00:01Z".into()));
        check(&retract(EdgeId(3)), &serde_json::json!({"operation": "retract", "edge_id": 3}), None);
        let said = DatasetRequest { description: Some("secret".to_owned()), tags: None };
        check(&put_dataset(&said), &serde_json::json!({"operation": "put_dataset", "description_bytes": 6}), None);
    }

    #[test]
    fn params_of_series_count_their_points() {
        let points = Some(vec![Point::default(); 3]);
        let sent = SeriesRequest { key: " k ".to_owned(), points, ..SeriesRequest::default() };
        let put = SeriesPut { observations: Observed::All, ..SeriesPut::new(vec![sent.clone()]) };
        let series = serde_json::json!([{"key": "k", "field": "value", "points": 3, "anchors": 0}]);
        let params = serde_json::json!({"operation": "put_series", "series": series, "observations": "all"});
        check(&put_series(&put), &params, None);
        let timeseries = Some(Timeseries { series: vec![sent], ..Timeseries::default() });
        let params = serde_json::json!({"text_bytes": 1, "kind": "knowledge", "series": series});
        check(&remember(&Request { timeseries, ..Request::new("x") }), &params, None);
        let params = serde_json::json!({
            "operation": "delete_points", "series_id": 1, "to": "1970-01-01T00:00:00.000001Z",
        });
        check(&delete_points(SeriesId(1), None, Some(Micros(1))), &params, None);
        let params = serde_json::json!({"operation": "delete_anchor", "series_id": 1, "type": "edge", "id": 2});
        check(&delete_anchor(SeriesId(1), AnchorTarget::Edge(EdgeId(2))), &params, None);
    }

    #[test]
    fn a_session_is_a_label() {
        assert_eq!(session(None), Ok(None));
        assert_eq!(session(Some(" s ")), Ok(Some("s".to_owned())));
        for bad in [" ", "a\nb", &"x".repeat(257)] {
            let refused = session(Some(bad)).expect_err("no label");
            assert_eq!(refused.field.as_deref(), Some("session_id"), "{refused}");
        }
    }
}
