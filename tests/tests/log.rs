//! What a call leaves in the log, whatever its guest is.

use std::sync::Arc;

use gligabao::memory::{Asking, Limits, Memory, Scope};
use gligabao::store::{RunFilter, RunStatus};
use gligabao_artifact::HOSTILE;
use gligabao_core::model::RunId;
use gligabao_core::recall::QueryRequest;

use crate::support::{memory, scope, store, text};

/// A guest that answers with the question and, in brackets, what was asked before.
async fn world() -> (Memory, Scope) {
    let memory = memory(HOSTILE, store(), Limits::default());
    let scope = scope("ana");
    memory.remember(&scope, text("a start")).await.unwrap();
    (memory, scope)
}

async fn ask(memory: &Memory, scope: &Scope, question: &str, session: Option<&str>, log: bool) -> String {
    let asking = Asking { session_id: session.map(str::to_owned), log };
    memory.query(scope, QueryRequest::new(question), asking).await.unwrap().answer.answer
}

#[tokio::test]
async fn a_question_gets_along_what_was_asked_in_its_session() {
    let (memory, scope) = world().await;
    assert_eq!(ask(&memory, &scope, "1", Some("s"), true).await, "1");
    assert_eq!(ask(&memory, &scope, "2", Some(" s "), true).await, "2(1 1)");
    assert_eq!(ask(&memory, &scope, "of another", Some("t"), true).await, "of another");
    assert_eq!(ask(&memory, &scope, "of none", None, true).await, "of none");
    // One that is not logged hears of the others, and they don't of it.
    assert_eq!(ask(&memory, &scope, "secret", Some("s"), false).await, "secret(1 1)(2 2(1 1))");
    let failed =
        memory.query(&scope, QueryRequest::new("trap"), Asking { session_id: Some("s".to_owned()), log: true });
    failed.await.unwrap_err();
    assert_eq!(ask(&memory, &scope, "3", Some("s"), true).await, "3(1 1)(2 2(1 1))");
    for n in 0..10 {
        ask(&memory, &scope, &format!("short {n}"), Some("u"), true).await;
    }
    let last = ask(&memory, &scope, "last", Some("u"), true).await;
    assert!(last.starts_with("last(short 0 "), "{last}");
    let next = ask(&memory, &scope, "next", Some("u"), true).await;
    assert!(next.starts_with("next(short 1 ") && next.contains("(last "), "{next}");
}

#[tokio::test]
async fn stages_of_a_guest_are_kept_within_limits() {
    let (memory, scope) = world().await;
    let run = memory.query(&scope, QueryRequest::new("x"), Asking::default()).await.unwrap().run_id.unwrap();
    let told = memory.get_run(&scope, run).await.unwrap();
    assert_eq!((told.run.status, told.stages.len()), (RunStatus::Done, 1));
    assert_eq!((told.stages[0].name.len(), told.stages[0].output.as_str()), (64, "\"no JSON\""));

    memory.query(&scope, QueryRequest::new("fail with stages"), Asking::default()).await.unwrap_err();
    let told = memory.get_run(&scope, RunId(run.0 + 1)).await.unwrap();
    assert_eq!(told.run.error.as_deref(), Some("the model gave no usable answer"));
    assert_eq!(told.stages[0].output, "{\"edges\": []}");
    let failed = RunFilter { status: Some(RunStatus::Failed), ..RunFilter::default() };
    assert_eq!(memory.list_runs(&scope, &failed, None, 10).await.unwrap().runs.len(), 1);
    assert!(memory.list_runs(&scope, &failed, None, 0).await.is_err());
}

#[tokio::test]
async fn a_call_whose_caller_went_away_ends_its_run() {
    let (memory, scope) = world().await;
    let call = Arc::new(memory.clone());
    let asked = tokio::spawn({
        let (memory, scope) = (Arc::clone(&call), scope.clone());
        async move { memory.query(&scope, QueryRequest::new("x"), Asking::default()).await }
    });
    tokio::task::yield_now().await;
    asked.abort();
    let ended = async {
        loop {
            let runs = memory.list_runs(&scope, &RunFilter::default(), None, 10).await.unwrap().runs;
            if runs.iter().all(|run| run.status == RunStatus::Done) {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), ended).await.expect("the run ends");
}
