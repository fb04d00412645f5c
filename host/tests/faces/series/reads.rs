//! Lists, parts, periods, anchors, and taking away.

use serde_json::{Value, json};

use super::{get, post, put, told};
use crate::requests::{call, json as read, request};

fn days(values: &[f64]) -> Value {
    let point = |(day, value): (usize, &f64)| json!([format!("2024-01-{:02}T00:00:00Z", day + 1), value]);
    values.iter().enumerate().map(point).collect()
}

#[tokio::test]
async fn a_part_has_its_stats_and_a_cursor_for_the_rest() {
    let api = told().await;
    put(&api, json!([{"key": "k", "points": days(&[4.0, 2.0, 8.0, 6.0])}])).await;
    let (_, all) = get(&api, "timeseries/1?user_id=u").await;
    assert_eq!((&all["point_count"], &all["truncated"], all.get("window_stats")), (&json!(4), &json!(false), None));
    let stats = &all["stats"];
    assert_eq!((&stats["mean"], &stats["trend"], &stats["pct_change"]), (&json!(5.0), &json!("up"), &json!(50.0)));
    assert_eq!(stats["largest_move"]["pct"], json!(300.0));
    let (_, part) = get(&api, "timeseries/1?user_id=u&from=2024-01-02&to=2024-01-03").await;
    assert_eq!(part["points"], json!([["2024-01-02T00:00:00Z", 2.0], ["2024-01-03T00:00:00Z", 8.0]]));
    assert_eq!(part["window_stats"]["count"], 2);
    let (_, first) = get(&api, "timeseries/1?user_id=u&from=2024-01-02&limit=2").await;
    assert_eq!((&first["truncated"], first.get("window_stats")), (&json!(true), None));
    let cursor = first["cursor"].as_str().expect("a cursor");
    let (_, rest) = get(&api, &format!("timeseries/1?user_id=u&from=2024-01-02&limit=2&cursor={cursor}")).await;
    assert_eq!((&rest["points"], rest.get("cursor")), (&json!([["2024-01-04T00:00:00Z", 6.0]]), None));
}

#[tokio::test]
async fn points_are_put_together_by_periods() {
    let api = told().await;
    put(&api, json!([{"key": "k", "points": days(&[4.0, 2.0, 8.0])}])).await;
    for (parameters, points) in [
        ("bucket=1mo", json!([["2024-01-01T00:00:00Z", 14.0 / 3.0]])),
        ("bucket=1y&agg=count", json!([["2024-01-01T00:00:00Z", 3]])),
        ("bucket=1w&agg=ohlc", json!([["2024-01-01T00:00:00Z", 4.0, 8.0, 2.0, 8.0]])),
        ("bucket=1d&agg=last&limit=1", json!([["2024-01-01T00:00:00Z", 4.0]])),
    ] {
        let (_, part) = get(&api, &format!("timeseries/1?user_id=u&{parameters}")).await;
        assert_eq!(part["points"], points, "{parameters}");
    }
    let (status, refused) = get(&api, "timeseries/1?user_id=u&agg=min").await;
    assert_eq!((status, &refused["field"]), (400, &json!("agg")));
    let (status, refused) = get(&api, "timeseries/1?user_id=u&from=2024-01-02&to=2024-01-01").await;
    assert_eq!((status, &refused["field"]), (400, &json!("from")));
}

#[tokio::test]
async fn series_are_listed_by_what_they_are_tied_to() {
    let api = told().await;
    let anchors = json!([
        {"entity": {"name": "anna"}, "role": "mood", "window": ["2024-01-01", "2024-01-02"]},
        {"edge": {"source": "Anna", "relation": "lives in", "target": "Berlin"}},
        {"entity": {"name": "Nobody"}, "on_unmatched": "ignore"},
    ]);
    let written = put(&api, json!([
        {"key": "a", "points": days(&[1.0]), "anchors": anchors},
        {"key": "b", "points": days(&[1.0]), "anchors": [{"artifact_id": 1}, {"entity": {"name": "Porto", "type": "city"}}]},
    ])).await;
    let tied = &written["series"][0]["anchors"];
    let expected = json!({
        "type": "entity", "id": 1, "role": "mood", "window_start": "2024-01-01T00:00:00Z",
        "window_end": "2024-01-02T23:59:59.999999Z", "created": false,
    });
    assert_eq!((&tied[0], &tied[1]["type"]), (&expected, &json!("edge")));
    assert_eq!(written["series"][0]["skipped_anchors"][0]["name"], "Nobody");
    assert_eq!(written["series"][1]["anchors"][1]["created"], true);
    for (filter, ids) in [
        ("", json!([1, 2])),
        ("&entity_id=1", json!([1])),
        ("&edge_id=1", json!([1])),
        ("&artifact_id=1", json!([2])),
        ("&limit=1", json!([1])),
    ] {
        let (_, list) = get(&api, &format!("timeseries?user_id=u{filter}")).await;
        let listed: Value =
            list["series"].as_array().expect("series").iter().map(|series| series["id"].clone()).collect();
        assert_eq!(listed, ids, "{filter}");
    }
    let gone = read(call(&api, request("DELETE /v1/gb/timeseries/1/anchors/entity/1?user_id=u", "")).await).await;
    assert_eq!(gone.0, 200, "{}", gone.1);
    assert_eq!(get(&api, "timeseries?user_id=u&entity_id=1").await.1["series"], json!([]));
    let again = read(call(&api, request("DELETE /v1/gb/timeseries/1/anchors/entity/1?user_id=u", "")).await).await;
    assert_eq!((again.0, &again.1["code"]), (404, &json!("not_found")));
}

#[tokio::test]
async fn points_and_series_are_deleted() {
    let api = told().await;
    put(&api, json!([{"key": "k", "points": days(&[1.0, 2.0, 3.0])}])).await;
    let delete = async |parameters: &str| {
        read(call(&api, request(&format!("DELETE /v1/gb/timeseries/1?user_id=u{parameters}"), "")).await).await
    };
    let (status, part) = delete("&from=2024-01-02&to=2024-01-02").await;
    assert_eq!((status, &part["points"]), (200, &json!(1)), "{part}");
    let (_, left) = get(&api, "timeseries/1?user_id=u").await;
    assert_eq!((&left["point_count"], &left["stats"]["last"]), (&json!(2), &json!(3.0)));
    let (status, whole) = delete("").await;
    assert_eq!((status, whole.get("points")), (200, None), "{whole}");
    assert_eq!(get(&api, "timeseries/1?user_id=u").await.0, 404);
    let (_, runs) = get(&api, "runs?user_id=u").await;
    let operations: Vec<_> =
        runs["runs"].as_array().expect("runs").iter().map(|run| &run["params"]["operation"]).collect();
    assert_eq!(operations[..3], [&json!("delete_series"), &json!("delete_points"), &json!("put_series")]);
}

#[tokio::test]
async fn an_id_that_is_not_there_stores_nothing() {
    let api = told().await;
    let series = json!([{"key": "k", "points": days(&[1.0]), "anchors": [{"entity_id": 99}]}]);
    let (status, refused) = post(&api, "timeseries", &json!({"user_id": "u", "series": series})).await;
    assert_eq!((status, &refused["field"]), (422, &json!("series[0].anchors[0]")), "{refused}");
    assert_eq!(get(&api, "timeseries?user_id=u").await.1["series"], json!([]));
}
