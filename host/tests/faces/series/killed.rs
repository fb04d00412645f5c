//! A server that is killed while it writes many points.

use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use crate::running::{Server, http};

const POINTS: usize = 100_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_a_kill_cuts_off_is_there_whole_or_not_at_all() {
    let dir = TempDir::new().expect("a directory");
    let db = dir.path().join("killed.db");
    let mut server = Server::on(&db);
    server.tell("u", "main", "Anna lives in Berlin.").await;
    let points: Vec<_> = (0..POINTS)
        .map(|number| {
            let time = chrono::DateTime::from_timestamp(i64::try_from(number).expect("small") * 60, 0).expect("a time");
            json!([time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true), number])
        })
        .collect();
    // Each time later, so that the kill meets reading, planning and writing.
    let mut acknowledged = Vec::new();
    for (key, life) in (0u64..).zip([20u64, 150, 300, 450, 600, 900, 1_500]) {
        let body = json!({"user_id": "u", "series": [{"key": key.to_string(), "points": points}]}).to_string();
        let put = http().post(format!("{}/v1/gb/timeseries", server.url)).header("content-type", "application/json");
        let put = tokio::spawn(put.body(body).send());
        tokio::time::sleep(Duration::from_millis(life)).await;
        server.kill();
        if let Ok(Ok(answer)) = put.await {
            assert_eq!(answer.status().as_u16(), 200);
            acknowledged.push(key.to_string());
        }
        server = Server::on(&db);
        let (_, list) = server.get("/v1/gb/timeseries?user_id=u").await;
        for series in list["series"].as_array().expect("series") {
            assert_eq!(series["point_count"], json!(POINTS), "{series}");
            let (_, read) = server.get(&format!("/v1/gb/timeseries/{}?user_id=u&limit=100000", series["id"])).await;
            assert_eq!(read["points"].as_array().map(Vec::len), Some(POINTS));
        }
        let keys: Vec<_> =
            list["series"].as_array().expect("series").iter().map(|series| series["key"].clone()).collect();
        assert!(acknowledged.iter().all(|key| keys.contains(&json!(key))), "{keys:?} lacks one of {acknowledged:?}");
    }
    assert!(server.stop().success());
}
