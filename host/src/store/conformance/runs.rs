//! Runs, the order of calls, and transaction time.

use gligabao_core::storage::StorageError;
use gligabao_core::time::Micros;

use super::plans::Draft;
use super::{Bench, refusal};
use crate::store::{RunEnd, RunKind, RunLog};

pub async fn seq_counts_every_call_and_version_only_changes(bench: Bench) {
    let store = &bench.store;
    let runs = [
        store.begin_run(bench.dataset, RunKind::Remember.into()).await.unwrap(),
        store.begin_run(bench.dataset, RunKind::Query.into()).await.unwrap(),
        store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap(),
    ];
    assert_eq!(runs.map(|run| run.0), [1, 2, 3]);
    let failed = RunEnd::Failed("the model does not answer".to_owned());
    assert_eq!(store.end_run(bench.dataset, runs[1], failed, RunLog::default()).await.unwrap(), 1);
    let draft = bench.draft().await;
    let committed = store.commit(bench.dataset, runs[0], draft.plan, Vec::new()).await.unwrap();
    assert_eq!(committed.seq, 2);
    assert_eq!(store.end_run(bench.dataset, runs[2], RunEnd::Done, RunLog::default()).await.unwrap(), 3);
    let head = bench.latest().await.head().await.unwrap();
    assert_eq!((head.seq, head.version, head.last_at), (3, 2, committed.at));
}

pub async fn a_run_ends_once(bench: Bench) {
    let store = &bench.store;
    let run = store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
    store.commit(bench.dataset, run, bench.draft().await.plan, Vec::new()).await.unwrap();
    let plan = bench.draft().await.plan;
    let what = "run 1 is not open: it ended, or never began";
    assert_eq!(refusal(store.commit(bench.dataset, run, plan.clone(), Vec::new()).await), what);
    assert_eq!(refusal(store.end_run(bench.dataset, run, RunEnd::Done, RunLog::default()).await), what);
    let run = store.begin_run(bench.dataset, RunKind::Query.into()).await.unwrap();
    store.end_run(bench.dataset, run, RunEnd::Done, RunLog::default()).await.unwrap();
    let what = "run 2 is not open: it ended, or never began";
    assert_eq!(refusal(store.end_run(bench.dataset, run, RunEnd::Done, RunLog::default()).await), what);
    assert_eq!(refusal(store.commit(bench.dataset, run, plan.clone(), Vec::new()).await), what);
    let never = gligabao_core::model::RunId(u64::MAX);
    assert!(refusal(store.commit(bench.dataset, never, plan, Vec::new()).await).ends_with("never began"));
    assert_eq!(bench.latest().await.head().await.unwrap().seq, 2);
}

pub async fn a_conflict_leaves_the_run_open(bench: Bench) {
    let mut late = bench.draft().await;
    late.entity("Late");
    let mut draft = bench.draft().await;
    draft.entity("First");
    let run = bench.store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
    bench.commit(draft).await;
    let conflict = bench.store.commit(bench.dataset, run, late.plan, Vec::new()).await;
    assert_eq!(conflict, Err(StorageError::Conflict(1)));
    let mut again = bench.draft().await;
    again.entity("Late");
    assert_eq!(bench.store.commit(bench.dataset, run, again.plan, Vec::new()).await.unwrap().seq, 2);
}

pub async fn time_never_goes_back(bench: Bench) {
    for (clock, at) in [(5_000, 5_000), (5_000, 5_001), (10, 5_002), (5_002, 5_003), (9_000, 9_000), (-7, 9_001)] {
        bench.clock.set(Micros(clock));
        let draft = bench.draft().await;
        assert_eq!(bench.commit(draft).await.at, Micros(at));
        assert_eq!(bench.latest().await.head().await.unwrap().last_at, Micros(at));
    }
}

pub async fn concurrent_commits_serialize(bench: Bench) {
    let bench = std::sync::Arc::new(bench);
    let writers: Vec<_> = (0..16)
        .map(|n| {
            let bench = bench.clone();
            tokio::spawn(async move {
                let run = bench.store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
                loop {
                    let mut draft = Draft::on(&bench.latest().await.head().await.unwrap());
                    draft.entity(&format!("writer {n}"));
                    match bench.store.commit(bench.dataset, run, draft.plan, Vec::new()).await {
                        Ok(committed) => return committed,
                        Err(StorageError::Conflict(_)) => tokio::task::yield_now().await,
                        Err(error) => panic!("{error}"),
                    }
                }
            })
        })
        .collect();
    let mut committed = Vec::new();
    for writer in writers {
        committed.push(writer.await.unwrap());
    }
    committed.sort_by_key(|committed| committed.seq);
    assert!(committed.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq && pair[0].at < pair[1].at));
    assert_eq!(bench.store.summarize_dataset(bench.dataset).await.unwrap().entities, 16);
}

pub async fn open_runs_of_this_process_are_left_alone(bench: Bench) {
    assert_eq!(bench.store.close_open_runs().await.unwrap(), 0);
    let run = bench.store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
    assert_eq!(bench.store.end_run(bench.dataset, run, RunEnd::Done, RunLog::default()).await.unwrap(), 1);
    assert_eq!(bench.store.close_open_runs().await.unwrap(), 0);
}
