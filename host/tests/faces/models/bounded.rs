//! How much memory answers take that are as long as they may be, and longer.

use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinSet;

use super::answers::{FLOOD, STAGES};
use super::bad_answers::{call, memory};
use super::each;

/// The most memory that a process ever had, in KiB.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the line is there");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_without_end_take_no_memory() {
    let memory = Arc::new(memory());
    for text in ["Alice leads Atlas since 2023.", "Alice leads Borealis since 2024."] {
        memory.tell(text).await;
    }
    memory.ask("What does Alice lead?", json!({})).await;
    let before = peak(memory.server.id());
    let mut count = 0;
    // Of a body that is too long 4 MiB are read; one that is not goes to the guest as a whole.
    for (kind, bound_kib) in [("100 MB", 64 << 10), ("almost 4 MiB", 128 << 10)] {
        // One after the other, then side by side.
        for side_by_side in [1, 1, 1, 6] {
            let mut calls = JoinSet::new();
            for _ in 0..side_by_side {
                let (memory, stage) = (Arc::clone(&memory), STAGES[count % STAGES.len()]);
                calls.spawn(async move { call(&memory, "u", stage, kind).await });
                count += 1;
            }
            for called in calls.join_all().await {
                assert_eq!(called.status, 502, "{kind}: {}", called.body);
            }
        }
        let more = peak(memory.server.id()) - before;
        assert!(more < bound_kib, "{kind}: {more} KiB more than before");
    }
    let sent = memory.model.sent();
    assert!(sent < FLOOD, "{sent} bytes of {} were taken", 9 * FLOOD);
    let (_, runs) = memory.server.get("/v1/gb/runs?user_id=u&status=failed").await;
    assert_eq!(each(&runs["runs"], "llm").len(), count);
}
