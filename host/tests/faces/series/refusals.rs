//! Every refusal has its place, in a text's request and in one of series alone.

use serde_json::{Value, json};

use super::{get, told};
use crate::requests::{call, json as read, request};

#[tokio::test]
async fn what_is_malformed_is_named_with_its_place() {
    let api = told().await;
    let good = r#"{"key":"a","points":[["2024-01-01T00:00:00Z",1]]}"#;
    let point = |point: &str| format!(r#"{{"key":"b","points":[["2024-01-01T00:00:00Z",1],{point}]}}"#);
    let anchor = |anchor: &str| format!(r#"{{"key":"b","points":[["2024-01-01T00:00:00Z",1]],"anchors":[{anchor}]}}"#);
    for (series, place, words) in [
        (point(r#"["2024-01-01",1]"#), "[1].points[1]", "the time is no RFC 3339; "),
        (point(r#"["2024-01-01T00:00:00.1234567Z",1]"#), "[1].points[1]", "the time is finer than a microsecond; "),
        (point(r#"["0000-01-01T00:00:00Z",1]"#), "[1].points[1]", "the time is outside the years 1 to 9999"),
        (point(r#"["2024-01-01T00:00:00Z","1"]"#), "[1].points[1]", "the value is no finite number"),
        (point(r#"["2024-01-01T00:00:00Z",1e400]"#), "[1].points[1]", "the value is no finite number"),
        (point(r#"["2024-01-01T00:00:00Z"]"#), "[1].points[1]", "must be a pair [time, value], "),
        (point(r#"{"at":1}"#), "[1].points[1]", "must be a pair [time, value], not an object"),
        (r#"{"key":"b","points":{}}"#.to_owned(), "[1].points", "must be an array, not an object"),
        (r#"{"key":"b","points":[]}"#.to_owned(), "[1].points", "is empty; "),
        (r#"{"key":"b"}"#.to_owned(), "[1].points", "is missing, and no series"),
        (r#"{"key":" ","points":[["2024-01-01T00:00:00Z",1]]}"#.to_owned(), "[1].key", "is empty"),
        (r#"{"points":[]}"#.to_owned(), "[1].key", "is missing"),
        (r#"{"key":"b","key":"c"}"#.to_owned(), "[1].key", "is given twice"),
        (anchor("{}"), "[1].anchors[0]", "names nothing; "),
        (anchor(r#"{"entity_id":1,"edge_id":1}"#), "[1].anchors[0]", "has entity_id and edge_id; "),
        (
            anchor(r#"{"entity":{"nam":"x"}}"#),
            "[1].anchors[0].entity.nam",
            "there is no such field; did you mean name?",
        ),
        (anchor(r#"{"edge":{"source":"x"}}"#), "[1].anchors[0].edge.relation", "is missing"),
        (anchor(r#"{"entity_id":1,"on_unmatched":"creat"}"#), "[1].anchors[0].on_unmatched", "must be one of create, "),
        (anchor(r#"{"entity_id":1,"on_unmatched":"create"}"#), "[1].anchors[0].on_unmatched", "'create' is possible "),
        (anchor(r#"{"entity_id":1,"window":["2024-01-01","soon"]}"#), "[1].anchors[0].window[1]", "must be a time "),
        (anchor(r#"{"entity_id":1,"window":["2024-01-02","2024-01-01"]}"#), "[1].anchors[0].window", "starts at "),
    ] {
        let alone = format!(r#"{{"user_id":"u","series":[{good},{series}]}}"#);
        let with_text = format!(r#"{{"user_id":"u","text":"x","timeseries":{{"series":[{good},{series}]}}}}"#);
        for (path, body, before) in [("timeseries", alone, "series"), ("remember", with_text, "timeseries.series")] {
            let (status, answer) = read(call(&api, request(&format!("POST /v1/gb/{path}"), body)).await).await;
            let field = format!("{before}{place}");
            assert_eq!((status, answer["field"].as_str()), (400, Some(&*field)), "{path}: {series}: {answer}");
            let error = answer["error"].as_str().expect("words");
            assert!(error.starts_with(&format!("{field}: {words}")), "{path}: {error}");
        }
    }
    assert_eq!(get(&api, "timeseries?user_id=u").await.1["series"], json!([]), "nothing was stored");
    assert_eq!(get(&api, "artifacts?user_id=u").await.1["artifacts"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_request_has_its_limits() {
    let api = told().await;
    let series = json!({"key": "a", "points": [["2024-01-01T00:00:00Z", 1]]});
    let put = |body: Value| {
        let api = api.clone();
        async move { read(call(&api, request("POST /v1/gb/timeseries", body.to_string())).await).await }
    };
    let with = |series: Vec<Value>| json!({"user_id": "u", "series": series});
    let (status, answer) = put(with(vec![series.clone(); 21])).await;
    assert_eq!((status, &answer["field"]), (400, &json!("series")), "{answer}");
    let (status, answer) = put(with(vec![])).await;
    assert_eq!((status, &answer["field"]), (400, &json!("series")), "{answer}");
    let mut to_this_artifact = series.clone();
    to_this_artifact["anchors"] = json!([{"artifact": true}]);
    let (status, answer) = put(with(vec![to_this_artifact])).await;
    assert_eq!((status, &answer["field"]), (400, &json!("series[0].anchors[0].artifact")), "{answer}");

    let remember = async |timeseries: Value| {
        let body = json!({"user_id": "u", "text": "x", "timeseries": timeseries});
        read(call(&api, request("POST /v1/gb/remember", body.to_string())).await).await
    };
    let (status, answer) = remember(json!({"observations": true})).await;
    assert_eq!((status, &answer["field"]), (400, &json!("timeseries.observations")), "{answer}");
    let body = json!({"user_id": "u", "text": "x", "image": "y", "timeseries": {"series": [series]}});
    let (status, answer) = read(call(&api, request("POST /v1/gb/remember", body.to_string())).await).await;
    assert_eq!((status, &answer["field"]), (400, &json!("image")), "{answer}");
}

#[tokio::test]
async fn fields_and_parameters_are_refused_by_their_names() {
    let api = told().await;
    for (line, body, field, words) in [
        ("POST /v1/gb/timeseries", r#"{"user_id":"u"}"#, "series", "series: is missing"),
        (
            "POST /v1/gb/timeseries",
            r#"{"user_id":"u","series":[{"key":"k","pionts":[]}]}"#,
            "series[0].pionts",
            "series[0].pionts: there is no such field; did you mean points?",
        ),
        (
            "POST /v1/gb/timeseries",
            r#"{"user_id":"u","series":[],"observations":"some"}"#,
            "observations",
            "observations: must be a boolean or \"all\"",
        ),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"u","text":"x","timeseries":{"series":[],"observations":"all"}}"#,
            "timeseries.observations",
            "timeseries.observations: must be a boolean, not a string",
        ),
        (
            "POST /v1/gb/remember",
            r#"{"user_id":"u","text":"x","timeseries":{"fetch":{}}}"#,
            "timeseries.fetch",
            "timeseries.fetch: is reserved for a later version; leave this field out",
        ),
        ("GET /v1/gb/timeseries/x?user_id=u", "", "id", "id: must be a whole number"),
        ("GET /v1/gb/timeseries/.csv?user_id=u", "", "id", "id: must be a whole number"),
        ("DELETE /v1/gb/timeseries/1.csv?user_id=u", "", "id", "id: must be a whole number"),
        (
            "GET /v1/gb/timeseries?user_id=u&entity_id=1&edge_id=2",
            "",
            "edge_id",
            "edge_id: give either `entity_id` or `edge_id`, not both",
        ),
        (
            "GET /v1/gb/timeseries/1?user_id=u&limit=100001",
            "",
            "limit",
            "limit: must be a whole number from 1 to 100000",
        ),
        (
            "GET /v1/gb/timeseries/1?user_id=u&bucket=1m",
            "",
            "bucket",
            "bucket: must be one of 1h, 1d, 1w, 1mo, 1y; did you mean 1mo?",
        ),
        (
            "GET /v1/gb/timeseries/1?user_id=u&from=2024",
            "",
            "from",
            "from: must be a time in RFC 3339 with at most six fraction digits, or YYYY-MM-DD, such as \
             2024-06-10T08:30:00.25Z or 2024-06-10",
        ),
        (
            "DELETE /v1/gb/timeseries/1/anchors/person/2?user_id=u",
            "",
            "type",
            "type: must be one of artifact, entity, edge",
        ),
        ("DELETE /v1/gb/timeseries/1/anchors/edge/x?user_id=u", "", "target_id", "target_id: must be a whole number"),
    ] {
        let (status, answer) = read(call(&api, request(line, body)).await).await;
        assert_eq!(
            (status, answer),
            (400, json!({"error": words, "code": "invalid", "field": field})),
            "{line} {body}"
        );
    }
}
