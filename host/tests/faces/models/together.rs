//! Clients that tell one dataset what can't all be true, at the same time, while the model takes its time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gligabao_tests::stand_in::Asked;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{Memory, one_at_a_time, sentences};

const CLIENTS: usize = 8;
const TEXTS: usize = 3;
const DELAY: Duration = Duration::from_millis(15);

/// What a client tells: places that others tell too, of a relation with a rule and of one that only the model knows.
fn text(client: usize, number: usize) -> String {
    let (place, year) = (2 * client + number, 2010 + (client * TEXTS + number) % 12);
    format!("Alice lives_in Place{place} since {year}. Alice leads Team{place} since {year}. Bob likes Tea since 2020.")
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_contradict_each_other_leave_one_value_and_no_repeat() {
    let memory = Arc::new(Memory::start(&[]));
    memory.model.answer("extract_graph", |asked: &Asked| sentences(asked).after(DELAY));
    memory.model.answer("resolve_edges", |asked: &Asked| one_at_a_time(asked).after(DELAY));
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let memory = Arc::clone(&memory);
        clients.spawn(async move {
            let mut answers = Vec::new();
            for number in 0..TEXTS {
                answers.push(memory.told("u", &text(client, number), json!({})).await);
            }
            answers
        });
    }
    let answers: Vec<(u16, Value)> = clients.join_all().await.into_iter().flatten().collect();
    for (status, answer) in &answers {
        assert_eq!(*status, 200, "{answer}");
    }
    let mut artifacts: Vec<_> =
        answers.iter().map(|(_, answer)| answer["artifact_id"].as_u64().expect("a number")).collect();
    artifacts.sort_unstable();
    assert_eq!(artifacts, (1..=(CLIENTS * TEXTS) as u64).collect::<Vec<_>>());

    // Each text is read once; what it contradicts is asked again whenever others were faster.
    let stages = memory.stages();
    let asked = |stage: &str| stages.iter().filter(|asked| *asked == stage).count();
    assert_eq!(asked("extract_graph"), CLIENTS * TEXTS);
    assert!(asked("resolve_edges") > CLIENTS * TEXTS, "nobody was in the way of anybody: {stages:?}");

    let facts = memory.facts("&at=any").await;
    let mut of_value: BTreeMap<(String, String), Vec<(String, String)>> = BTreeMap::new();
    let mut of_relation: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for fact in &facts {
        let word = |key: &str| fact[key].as_str().unwrap_or("9999").to_owned();
        let interval = (word("valid_at"), word("invalid_at"));
        of_value.entry((word("relation"), word("target"))).or_default().push(interval.clone());
        of_relation.entry(word("relation")).or_default().push(interval);
    }
    for (relation, intervals) in &of_relation {
        assert!(relation != "likes" || intervals.len() == 1, "one fact that all of them tell: {intervals:?}");
        let open = intervals.iter().filter(|(_, end)| end == "9999").count();
        assert_eq!(open, 1, "{relation}: {facts:#?}");
        let live = facts.iter().filter(|fact| fact["relation"] == relation.as_str() && fact["expired_at"].is_null());
        assert_eq!(live.count(), 1, "{relation}: {facts:#?}");
    }
    assert_eq!(of_relation.keys().collect::<Vec<_>>(), ["leads", "likes", "lives_in"]);
    // A value that was true twice has two rows, of different times; no row says what another one says.
    for (value, intervals) in &mut of_value {
        intervals.retain(|(start, end)| start != end);
        intervals.sort();
        for pair in intervals.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "{value:?} {intervals:?}");
        }
    }
    let (_, running) = memory.server.get("/v1/gb/runs?user_id=u&status=running").await;
    assert_eq!(running["runs"], json!([]));
}
