//! What the log of calls keeps, and how it is listed.

use gligabao_core::model::{RunId, Stage};
use gligabao_core::storage::StorageError;
use gligabao_core::time::Micros;

use super::{Bench, name, user};
use crate::store::{ModelCall, NewRun, RunEnd, RunFilter, RunKind, RunLog, RunRecord, RunStatus, Trajectory, Usage};

fn stage(name: &str, output: &str) -> Stage {
    Stage { name: name.to_owned(), label: None, output: output.to_owned(), error: None }
}

fn call(stage: &str, tokens: Option<u64>, cost_usd: Option<f64>) -> ModelCall {
    ModelCall {
        stage: stage.to_owned(),
        model: "m".to_owned(),
        provider: "p".to_owned(),
        tokens_in: tokens,
        tokens_out: tokens,
        cost_usd,
        latency_ms: 12,
        attempts: 1,
        ..ModelCall::default()
    }
}

fn question(question: &str, session: Option<&str>) -> NewRun {
    let params = serde_json::json!({"question": question}).to_string();
    NewRun { kind: RunKind::Query, params, session_id: session.map(str::to_owned) }
}

/// Asks and is answered.
async fn ask(bench: &Bench, words: &str, session: Option<&str>, end: RunEnd) -> RunId {
    let run = bench.store.begin_run(bench.dataset, question(words, session)).await.unwrap();
    let answer = (end == RunEnd::Done && session.is_some()).then(|| format!("{words}!"));
    bench.store.end_run(bench.dataset, run, end, RunLog { answer, ..RunLog::default() }).await.unwrap();
    run
}

pub async fn a_run_keeps_what_was_asked_for_reached_and_spent(bench: Bench) {
    let new = NewRun {
        kind: RunKind::Remember,
        params: r#"{"text_bytes":4}"#.to_owned(),
        session_id: Some("monday".to_owned()),
    };
    let run = bench.store.begin_run(bench.dataset, new.clone()).await.unwrap();
    let running = Trajectory {
        run: RunRecord {
            id: run,
            kind: RunKind::Remember,
            status: RunStatus::Running,
            params: new.params,
            session_id: new.session_id,
            started_at: Micros(1_000),
            ended_at: None,
            seq: None,
            error: None,
            usage: Usage::default(),
        },
        stages: Vec::new(),
        calls: Vec::new(),
    };
    let get = async |run| bench.store.get_run(bench.dataset, run).await.unwrap();
    assert_eq!(get(run).await, Some(running.clone()));

    bench.clock.set(Micros(2_000));
    let mut draft = bench.draft().await;
    draft.entity("Ana");
    let with_label = Stage { label: Some("chunk 2".to_owned()), error: Some("cut".to_owned()), ..stage("b", "[1]") };
    draft.plan.stages = vec![stage("a", r#"{"one":1}"#), with_label, stage("a", "null")];
    let failed = ModelCall {
        reasoning: Some("high".to_owned()),
        attempts: 3,
        error: Some("timed out".to_owned()),
        ..call("b", None, None)
    };
    let calls = vec![call("a", Some(7), Some(0.25)), failed, call("a", Some(5), None)];
    let stages = draft.plan.stages.clone();
    let committed = bench.store.commit(bench.dataset, run, draft.plan, calls.clone()).await.unwrap();
    let usage = Usage { calls: 3, tokens_in: Some(12), tokens_out: Some(12), cost_usd: Some(0.25) };
    let (ended_at, seq) = (Some(Micros(2_000)), Some(committed.seq));
    let done = RunRecord { status: RunStatus::Done, ended_at, seq, usage, ..running.run };
    assert_eq!(get(run).await, Some(Trajectory { run: done.clone(), stages, calls }));

    let run = bench.store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
    let log = RunLog { stages: vec![stage("a", "{}")], calls: vec![call("z", None, None)], answer: None };
    let why = RunEnd::Failed("the model does not answer".to_owned());
    let seq = bench.store.end_run(bench.dataset, run, why, log.clone()).await.unwrap();
    let found = get(run).await.unwrap();
    assert_eq!((found.run.status, found.run.seq), (RunStatus::Failed, Some(seq)));
    assert_eq!(found.run.error.as_deref(), Some("the model does not answer"));
    assert_eq!(found.run.usage, Usage { calls: 1, ..Usage::default() });
    assert_eq!((&found.stages, &found.calls), (&log.stages, &log.calls));
    let page = bench.store.list_runs(bench.dataset, &RunFilter::default(), None, 10).await.unwrap();
    assert_eq!((page.runs, page.next), (vec![found.run, done], None));
    for never in [0, 3, u64::MAX] {
        assert_eq!(get(RunId(never)).await, None);
    }
}

pub async fn a_plan_that_is_refused_leaves_nothing_in_its_run(bench: Bench) {
    let run = bench.store.begin_run(bench.dataset, RunKind::Edit.into()).await.unwrap();
    let mut draft = bench.draft().await;
    draft.plan.version += 1;
    draft.plan.stages = vec![stage("a", "{}")];
    let refused = bench.store.commit(bench.dataset, run, draft.plan, vec![call("a", None, None)]).await;
    assert_eq!(refused, Err(StorageError::Conflict(0)));
    let found = bench.store.get_run(bench.dataset, run).await.unwrap().unwrap();
    assert_eq!((found.run.status, found.stages.len(), found.calls.len()), (RunStatus::Running, 0, 0));
}

pub async fn runs_are_listed_newest_first_by_kind_status_and_session(bench: Bench) {
    let mut all = Vec::new();
    for n in 0..60_u64 {
        let kind = RunKind::ALL[(n % 3) as usize];
        let session_id = [None, Some("a"), Some("b")][(n / 3 % 3) as usize].map(str::to_owned);
        let new = NewRun { session_id: session_id.clone(), ..NewRun::new(kind) };
        let run = bench.store.begin_run(bench.dataset, new).await.unwrap();
        let status = RunStatus::ALL[(n / 9 % 3) as usize];
        let end = match status {
            RunStatus::Running => None,
            RunStatus::Done => Some(RunEnd::Done),
            RunStatus::Failed => Some(RunEnd::Failed("why".to_owned())),
        };
        if let Some(end) = end {
            bench.store.end_run(bench.dataset, run, end, RunLog::default()).await.unwrap();
        }
        all.push((run, kind, status, session_id));
    }
    all.reverse();
    let options = |words: &[&str]| -> Vec<Option<String>> {
        std::iter::once(None).chain(words.iter().map(|word| Some((*word).to_owned()))).collect()
    };
    for kind in std::iter::once(None).chain(RunKind::ALL.iter().copied().map(Some)) {
        for status in std::iter::once(None).chain(RunStatus::ALL.iter().copied().map(Some)) {
            for session_id in options(&["a", "b", "c"]) {
                let filter = RunFilter { kind, status, session_id };
                let expected: Vec<RunId> = all
                    .iter()
                    .filter(|(_, of, in_status, in_session)| {
                        kind.is_none_or(|kind| kind == *of)
                            && status.is_none_or(|status| status == *in_status)
                            && (filter.session_id.is_none() || filter.session_id == *in_session)
                    })
                    .map(|(run, ..)| *run)
                    .collect();
                for limit in [1, 7, 100] {
                    assert_eq!(listed(&bench, &filter, limit).await, expected, "{filter:?} {limit}");
                }
            }
        }
    }
}

/// A whole list, page after page.
async fn listed(bench: &Bench, filter: &RunFilter, limit: u32) -> Vec<RunId> {
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let page = bench.store.list_runs(bench.dataset, filter, before, limit).await.unwrap();
        assert!(page.runs.len() <= limit as usize);
        found.extend(page.runs.iter().map(|run| run.id));
        match page.next {
            Some(next) => before = Some(next),
            None => return found,
        }
    }
}

pub async fn a_session_remembers_its_last_answered_questions(bench: Bench) {
    let failed = || RunEnd::Failed("why".to_owned());
    for (words, session, end) in [
        ("1", Some("a"), RunEnd::Done),
        ("2", Some("b"), RunEnd::Done),
        ("3", Some("a"), failed()),
        ("4", None, RunEnd::Done),
        ("5", Some("a"), RunEnd::Done),
        ("6", Some("a"), RunEnd::Done),
    ] {
        ask(&bench, words, session, end).await;
    }
    bench.store.begin_run(bench.dataset, question("open", Some("a"))).await.unwrap();
    for (session, limit, expected) in
        [("a", 10, &["1", "5", "6"][..]), ("a", 2, &["5", "6"]), ("b", 10, &["2"]), ("", 10, &[]), ("c", 10, &[])]
    {
        let turns = bench.store.turns(bench.dataset, session, limit).await.unwrap();
        let words: Vec<_> = turns.iter().map(|turn| turn.question.as_str()).collect();
        assert_eq!(words, expected, "{session} {limit}");
        assert!(turns.iter().all(|turn| turn.answer == format!("{}!", turn.question)));
    }
}

pub async fn a_dataset_has_its_own_log(bench: Bench) {
    let other = bench.store.create_dataset(&user("eve"), &name("main")).await.unwrap();
    let run = ask(&bench, "mine", Some("a"), RunEnd::Done).await;
    let store = &bench.store;
    assert_eq!(store.get_run(other, run).await.unwrap(), None);
    assert_eq!(store.list_runs(other, &RunFilter::default(), None, 10).await.unwrap().runs, []);
    assert_eq!(store.turns(other, "a", 10).await.unwrap(), []);
    store.delete_dataset(bench.dataset).await.unwrap();
    let gone = Err(StorageError::NoDataset);
    assert_eq!(store.get_run(bench.dataset, run).await, gone);
    assert_eq!(
        store.list_runs(bench.dataset, &RunFilter::default(), None, 10).await.map(drop),
        Err(StorageError::NoDataset)
    );
    assert_eq!(store.turns(bench.dataset, "a", 10).await.map(drop), Err(StorageError::NoDataset));
}
