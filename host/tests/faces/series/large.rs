//! As much as a request may carry.

use std::fmt::Write;

use serde_json::json;

use crate::requests::{api, call, json as read, request};
use crate::running::{Server, http};

const MIB: usize = 1024 * 1024;

/// Points of a series, a second apart, as JSON.
fn points(count: usize, fraction: &str) -> String {
    let mut points = String::from("[");
    for second in 0..count {
        let (days, second) = (second / 86_400, second % 86_400);
        let comma = if points.len() > 1 { "," } else { "" };
        write!(
            points,
            "{comma}[\"2024-01-{:02}T{:02}:{:02}:{:02}Z\",{}{fraction}]",
            days + 1,
            second / 3_600,
            second / 60 % 60,
            second % 60,
            second % 1_000
        )
        .expect("written");
    }
    points + "]"
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_points_are_stored_and_read() {
    let server = Server::start();
    server.tell("u", "main", "Anna lives in Berlin.").await;
    let body = format!("{{\"user_id\":\"u\",\"series\":[{{\"key\":\"k\",\"points\":{}}}]}}", points(100_000, ".25"));
    let put = http().post(format!("{}/v1/gb/timeseries", server.url)).header("content-type", "application/json");
    let (status, answer) = server.send(put.body(body)).await;
    assert_eq!((status, &answer["series"][0]["point_count"]), (200, &json!(100_000)), "{answer}");
    let (_, read) = server.get("/v1/gb/timeseries/1?user_id=u&limit=100000").await;
    let read = read["points"].as_array().expect("points");
    assert_eq!((read.len(), &read[99_999]), (100_000, &json!(["2024-01-02T03:46:39Z", 599.25])));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_is_stored_whole_or_refused_whole() {
    let server = Server::start();
    server.tell("u", "main", "Anna lives in Berlin.").await;
    let points = points(25_000, "");
    let body = |series: usize| {
        let series: Vec<_> = (0..series).map(|key| format!("{{\"key\":\"{key}\",\"points\":{points}}}")).collect();
        format!("{{\"user_id\":\"u\",\"series\":[{}]}}", series.join(","))
    };
    let put = async |body: String| {
        let put = http().post(format!("{}/v1/gb/timeseries", server.url)).header("content-type", "application/json");
        server.send(put.body(body)).await
    };
    let fits = body(20);
    assert!((12 * MIB..16 * MIB).contains(&fits.len()), "{}", fits.len());
    let (status, answer) = put(fits).await;
    assert_eq!(status, 200, "{answer}");
    let (_, list) = server.get("/v1/gb/timeseries?user_id=u").await;
    let counts = list["series"].as_array().expect("series").iter().map(|series| &series["point_count"]);
    assert_eq!(counts.collect::<Vec<_>>(), vec![&json!(25_000); 20]);
}

#[tokio::test]
async fn a_body_over_its_limit_is_413_with_what_to_do() {
    let api = api();
    let many = points(100_000, ".25");
    let series: Vec<_> = (0..20).map(|key| format!("{{\"key\":\"{key}\",\"points\":{many}}}")).collect();
    let body = format!("{{\"user_id\":\"u\",\"series\":[{}]}}", series.join(","));
    assert!(body.len() > 50 * MIB);
    let (status, answer) = read(call(&api, request("POST /v1/gb/timeseries", body)).await).await;
    let words = "the body is over 16 MiB; a text may have 1 MiB, and the series of one request 16 MiB";
    assert_eq!((status, &answer["code"], &answer["error"]), (413, &json!("too_large"), &json!(words)));
    let mut points = points(100_000, "");
    points.insert_str(1, "[\"2025-01-01T00:00:00Z\",1],");
    let body = format!("{{\"user_id\":\"u\",\"series\":[{{\"key\":\"k\",\"points\":{points}}}]}}");
    let text = json!({"user_id": "u", "text": "x"}).to_string();
    assert_eq!(read(call(&api, request("POST /v1/gb/remember", text)).await).await.0, 200);
    let (status, answer) = read(call(&api, request("POST /v1/gb/timeseries", body)).await).await;
    let words = "series[0].points: has 100001 points; at most 100000 go in one request, so send the rest in another";
    assert_eq!((status, &answer["error"]), (400, &json!(words)));
}
