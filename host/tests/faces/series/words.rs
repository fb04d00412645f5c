//! Series that come with a text, told in words, and found again from the facts of that.

use serde_json::json;

use super::{get, post, told};

#[tokio::test]
async fn a_text_brings_series_that_are_told_and_found_from_their_facts() {
    let api = told().await;
    let points = json!([["2024-01-01T00:00:00Z", 10], ["2024-03-01T00:00:00Z", 15], ["2030-01-01T00:00:00Z", 99]]);
    let series = json!([
        {"key": "ACME", "field": "price", "unit": "USD", "points": points,
         "anchors": [{"entity": {"name": "Acme"}, "role": "share price", "window": ["2024-01-01", "2024-12-31"]}]},
        {"key": "plain", "points": points},
    ]);
    let body = json!({
        "user_id": "u", "text": "Anna works at Acme.", "reference_time": "2024-06-10",
        "timeseries": {"series": series, "observations": true, "clip": true},
    });
    let (status, answer) = post(&api, "remember", &body).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!((&answer["series"][0]["key"], &answer["series"][0]["point_count"]), (&json!("ACME"), &json!(2)));
    let to_the_text = json!({"type": "artifact", "id": answer["artifact_id"], "created": false});
    assert_eq!(answer["series"][1]["anchors"], json!([to_the_text]));
    let told = &answer["series_observations"][0];
    assert_eq!((&told["series_id"], &told["known"]), (&json!(1), &json!(false)), "{told}");
    assert!(told["text"].as_str().is_some_and(|text| text.contains("from 10 USD on 2024-01-01 to 15 USD")), "{told}");
    let edge = &told["edges"][0]["id"];

    let (_, why) = get(&api, &format!("edges/{edge}/why?user_id=u")).await;
    assert_eq!(
        (&why["sources"][0]["kind"], &why["sources"][0]["series"]["id"]),
        (&json!("series_observation"), &json!(1))
    );
    let (_, artifact) = get(&api, &format!("artifacts/{}?user_id=u", told["artifact_id"])).await;
    assert_eq!((&artifact["parent_id"], &artifact["series_id"]), (&answer["artifact_id"], &json!(1)));

    let question = json!({"user_id": "u", "question": "Who works at Acme?", "at": "2024-06-10"});
    let (_, answer) = post(&api, "query", &question).await;
    let tied = answer["series"].as_array().expect("series").iter().find(|tied| tied["series"]["key"] == "ACME");
    let tied = tied.expect("Acme has a series");
    assert_eq!((&tied["anchor"]["role"], &tied["window_stats"]["last"]), (&json!("share price"), &json!(15.0)));
}

#[tokio::test]
async fn series_that_come_by_themselves_are_told_on_request() {
    let api = told().await;
    let sent = |points: serde_json::Value, observations: serde_json::Value| {
        json!({
            "user_id": "u", "observations": observations, "series": [{"key": "k", "points": points}],
        })
    };
    let (_, first) = post(&api, "timeseries", &sent(json!([["2024-01-01T00:00:00Z", 1]]), json!(false))).await;
    assert_eq!(first.get("series_observations"), None);
    let written = sent(json!([["2024-01-02T00:00:00Z", 2]]), json!(true));
    let (_, told) = post(&api, "timeseries", &written).await;
    let text = told["series_observations"][0]["text"].as_str().expect("a text");
    assert!(text.contains("one point"), "{text}");
    let (_, again) = post(&api, "timeseries", &written).await;
    assert_eq!(again["series_observations"][0]["known"], json!(true));
    let all = sent(json!([["2024-01-03T00:00:00Z", 3]]), json!("all"));
    let (_, told) = post(&api, "timeseries", &all).await;
    let text = told["series_observations"][0]["text"].as_str().expect("a text");
    assert!(text.contains("3 points"), "{text}");
}
