//! What is written comes back bit for bit.

use std::collections::BTreeMap;
use std::fmt::Write;

use axum::http::header;
use http_body_util::BodyExt;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{get, post, put, told};
use crate::requests::{call, json as read, request};

const FIRST: i64 = -62_135_596_800_000_000;
const LAST: i64 = 253_402_300_799_999_999;

fn written(at: i64) -> String {
    let time = chrono::DateTime::from_timestamp_micros(at).expect("a time");
    time.to_rfc3339_opts(chrono::SecondsFormat::Micros, true)
}

fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    (POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO).prop_filter("finite", |value| value.is_finite())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn any_double_at_any_time_comes_back(points in proptest::collection::vec((FIRST..=LAST, finite()), 1..60)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let api = told().await;
            let mut sent = String::new();
            for (at, value) in &points {
                let separator = if sent.is_empty() { "" } else { "," };
                write!(sent, "{separator}[\"{}\",{value:?}]", written(*at)).expect("written");
            }
            let body = format!("{{\"user_id\":\"u\",\"series\":[{{\"key\":\"k\",\"points\":[{sent}]}}]}}");
            let (status, answer) = read(call(&api, request("POST /v1/gb/timeseries", body)).await).await;
            assert_eq!(status, 200, "{answer}");
            let expected: BTreeMap<i64, u64> = points.iter().map(|(at, value)| (*at, value.to_bits())).collect();
            let (_, series) = get(&api, "timeseries/1?user_id=u").await;
            let got: Vec<(i64, u64)> = series["points"].as_array().expect("points").iter().map(|point| {
                let time = point[0].as_str().expect("a time");
                let at = chrono::DateTime::parse_from_rfc3339(time).expect("RFC 3339").timestamp_micros();
                assert!(!time.contains('.') || !time.ends_with("0Z"), "{time} has digits that it needs not");
                (at, point[1].as_f64().expect("a number").to_bits())
            }).collect();
            assert_eq!(got, expected.into_iter().collect::<Vec<_>>());
        });
    }
}

#[tokio::test]
async fn whole_numbers_that_no_double_has_are_stored_nearby_and_told() {
    let api = told().await;
    let body = r#"{"user_id":"u","series":[{"key":"k","points":[
        ["2024-01-01T00:00:00Z",9007199254740992],["2024-01-02T00:00:00Z",9007199254740993],
        ["2024-01-03T00:00:00Z",100000000000000000000000],["2024-01-04T00:00:00Z",1e23]]}]}"#;
    let (status, answer) = read(call(&api, request("POST /v1/gb/timeseries", body)).await).await;
    assert_eq!(status, 200, "{answer}");
    let warnings = answer["warnings"].as_array().expect("warnings");
    assert_eq!(warnings.len(), 1);
    let words = "series[0].points[1]: the value (and of another point) is an integer beyond ";
    assert!(warnings[0].as_str().is_some_and(|warning| warning.starts_with(words)), "{warnings:?}");
    let (_, series) = get(&api, "timeseries/1?user_id=u").await;
    assert_eq!(series["points"][1], json!(["2024-01-02T00:00:00Z", 9_007_199_254_740_992.0]));
    assert_eq!(series["points"][2][1], series["points"][3][1]);
}

#[tokio::test]
async fn csv_has_the_same_points() {
    let api = told().await;
    put(&api, json!([{"key": "k", "points": [["2024-01-01T00:00:00.5Z", -0.0], ["2024-01-02T00:00:00Z", 0.1]]}])).await;
    let expected = "ts,value\n2024-01-01T00:00:00.5Z,-0.0\n2024-01-02T00:00:00Z,0.1\n";
    let mut accepting = request("GET /v1/gb/timeseries/1?user_id=u", "");
    accepting.headers_mut().insert(header::ACCEPT, "text/csv".parse().expect("a header"));
    for sent in [request("GET /v1/gb/timeseries/1.csv?user_id=u", ""), accepting] {
        let response = call(&api, sent).await;
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/csv; charset=utf-8; header=present");
        assert_eq!(response.headers().get("gb-cursor"), None);
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!(std::str::from_utf8(&bytes), Ok(expected));
    }
    let response = call(&api, request("GET /v1/gb/timeseries/1.csv?user_id=u&limit=1", "")).await;
    let cursor = response.headers()["gb-cursor"].to_str().expect("a text").to_owned();
    let (_, rest) = get(&api, &format!("timeseries/1?user_id=u&cursor={cursor}")).await;
    assert_eq!(rest["points"], json!([["2024-01-02T00:00:00Z", 0.1]]));
}

#[tokio::test]
async fn an_overwritten_value_is_still_known_as_of_before() {
    let api = told().await;
    let series = |value: f64| json!([{"key": "k", "points": [["2024-01-01T00:00:00Z", value]]}]);
    let first = put(&api, series(1.0)).await;
    assert_eq!((&first["series"][0]["created"], &first["series"][0]["replaced"]), (&json!(true), &json!(0)));
    let (_, run) = get(&api, &format!("runs/{}?user_id=u", first["run_id"])).await;
    let params = json!({
        "operation": "put_series", "extractor": "pattern",
        "series": [{"key": "k", "field": "value", "points": 1, "anchors": 0}],
    });
    assert_eq!((&run["kind"], &run["params"]), (&json!("edit"), &params), "{run}");
    let then = run["ended_at"].as_str().expect("a time").to_owned();
    let second = put(&api, series(2.0)).await;
    assert_eq!((&second["series"][0]["created"], &second["series"][0]["replaced"]), (&json!(false), &json!(1)));
    let (_, now) = get(&api, "timeseries/1?user_id=u").await;
    let (_, before) = get(&api, &format!("timeseries/1?user_id=u&known_at={then}")).await;
    assert_eq!((&now["points"][0][1], &before["points"][0][1]), (&json!(2.0), &json!(1.0)));
}

#[tokio::test]
async fn a_unit_that_changes_is_told() {
    let api = told().await;
    let series = |unit: &str| json!([{"key": "k", "unit": unit, "points": [["2024-01-01T00:00:00Z", 1]]}]);
    assert_eq!(put(&api, series("USD")).await.get("warnings"), None);
    let changed = put(&api, series("EUR")).await;
    let warned = changed["warnings"][0].as_str().expect("a warning");
    assert!(warned.starts_with("series[0].unit: was \"USD\""), "{warned}");
    let body = json!({"user_id": "u", "series": [{"key": "k", "name": "Price"}]});
    let (status, labels) = post(&api, "timeseries", &body).await;
    assert_eq!((status, &labels["series"][0]["points"]), (200, &json!(0)), "labels alone change");
    let (_, list) = get(&api, "timeseries?user_id=u").await;
    let series: &Value = &list["series"][0];
    assert_eq!((&series["name"], &series["unit"], &series["field"]), (&json!("Price"), &json!("EUR"), &json!("value")));
}
