//! Calls that ask a language model: what they get, what they may ask, and that nobody else waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use gligabao::llm::{
    Answer, Api, Completion, HttpModel, HttpSettings, LanguageModel, ModelCall, Prompt, Prompts, Usage,
};
use gligabao::memory::{Asking, CallError, Limits, Memory};
use gligabao::store::SharedStore;
use gligabao::store::sqlite::{Sqlite, SqliteOptions};
use gligabao_artifact::{HOSTILE, MEMORY};
use gligabao_core::recall::QueryRequest;
use gligabao_tests::stand_in::{Reply, StandIn};
use tokio::sync::Semaphore;

use crate::support::{FixedClock, facts_of, memory, scope, store, text};

/// A model that says what it was told, once its gate is open.
struct Parrot {
    gate: Semaphore,
    asked: AtomicUsize,
    waiting: AtomicUsize,
    most: AtomicUsize,
    manner: Manner,
}

#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Echo,
    /// Later questions are answered sooner.
    Backwards,
    Panic,
    Instructions,
}

impl Parrot {
    fn new(manner: Manner, open: usize) -> Arc<Self> {
        let [asked, waiting, most] = [(); 3].map(|()| AtomicUsize::new(0));
        Arc::new(Self { gate: Semaphore::new(open), asked, waiting, most, manner })
    }

    /// Waits until so many wait for their answer.
    async fn until_waiting(&self, count: usize) {
        while self.waiting.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

#[async_trait]
impl LanguageModel for Parrot {
    async fn complete(&self, prompt: &Prompt) -> Answer {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let number: String = prompt.document.chars().filter(char::is_ascii_digit).collect();
        let waiting = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(waiting, Ordering::SeqCst);
        let passed = self.gate.acquire().await.unwrap();
        if self.manner == Manner::Backwards {
            let number: u64 = number.parse().unwrap();
            tokio::time::sleep(Duration::from_millis(20 - 2 * number)).await;
        }
        drop(passed);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        let text = match self.manner {
            Manner::Panic => panic!("the parrot is dead"),
            Manner::Instructions => prompt.system.clone(),
            Manner::Echo | Manner::Backwards => number,
        };
        let call = ModelCall { attempts: 1, ..ModelCall::new(&prompt.stage, "parrot", "cage") };
        Answer { result: Ok(Completion { text, model: "parrot".to_owned() }), call }
    }
}

/// The misbehaving component with a model.
fn asking(store: SharedStore, limits: Limits, parrot: &Arc<Parrot>) -> Memory {
    let cache = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("components");
    let builder = Memory::builder().store(store).component(HOSTILE).limits(limits).clock(FixedClock);
    builder.cache_dir(Some(cache)).llm(Arc::<Parrot>::clone(parrot)).build().unwrap()
}

async fn query(memory: &Memory, deed: &str) -> Result<String, CallError> {
    let question = deed.to_owned();
    let request = QueryRequest { limit: 20, ..QueryRequest::new(question) };
    let asking = Asking { log: false, ..Asking::default() };
    memory.query(&scope("ana"), request, asking).await.map(|asked| asked.answer.answer)
}

async fn told(limits: Limits, parrot: &Arc<Parrot>) -> Memory {
    let memory = asking(store(), limits, parrot);
    memory.remember(&scope("ana"), text("a start")).await.unwrap();
    memory
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_come_in_the_order_of_the_questions_which_are_asked_side_by_side() {
    let parrot = Parrot::new(Manner::Backwards, 100);
    let memory = told(Limits { side_by_side: 3, ..Limits::default() }, &parrot).await;
    assert!(memory.has_llm());
    assert_eq!(query(&memory, "ask 9").await.unwrap(), "0, 1, 2, 3, 4, 5, 6, 7, 8; version 1");
    assert_eq!(parrot.most.load(Ordering::SeqCst), 3);
    let logged = memory.remember(&scope("ana"), text("ask 2")).await.unwrap();
    let call = ModelCall { attempts: 1, ..ModelCall::new("query", "parrot", "cage") };
    assert_eq!(logged.calls, [call.clone(), call]);
    assert_eq!(memory.remember(&scope("ana"), text("a text")).await.unwrap().calls, []);
}

#[tokio::test]
async fn the_operator_s_instructions_replace_the_component_s() {
    let parrot = Parrot::new(Manner::Instructions, 1);
    let memory = told(Limits::default(), &parrot).await;
    assert_eq!(query(&memory, "ask 1").await.unwrap(), "of the component; version 1");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("query.md"), "of the operator\n").unwrap();
    let builder = Memory::builder().store(store()).component(HOSTILE).llm(parrot);
    let memory = builder.prompts(Prompts::read(dir.path()).unwrap()).build().unwrap();
    memory.remember(&scope("ana"), text("a start")).await.unwrap();
    assert_eq!(query(&memory, "ask 1").await.unwrap(), "of the operator; version 1");
}

#[tokio::test]
async fn a_question_of_the_component_reaches_a_server_of_either_api() {
    let server = StandIn::start();
    server.answer("query", |asked| Reply::text(format!("{} to {}", asked.document["question"], asked.system)));
    server.queue("query", Reply::status(503, "loading"));
    for (url, api) in [(server.openai(), Api::OpenAi), (server.anthropic(), Api::Anthropic)] {
        let settings = HttpSettings { pause: Duration::ZERO, ..HttpSettings::new(url, api, "small") };
        let model = Arc::new(HttpModel::new(settings).unwrap());
        let memory = Memory::builder().store(store()).component(HOSTILE).llm(model).build().unwrap();
        memory.remember(&scope("ana"), text("a start")).await.unwrap();
        let told = query(&memory, "ask 2").await.unwrap();
        assert_eq!(told, "0 to of the component, 1 to of the component; version 1");
        let calls = memory.remember(&scope("ana"), text("ask 1")).await.unwrap().calls;
        assert_eq!(Usage::of(&calls), Usage { calls: 1, tokens_in: Some(100), tokens_out: Some(10), cost_usd: None });
    }
    assert_eq!(server.asked().len(), 7);
}

#[tokio::test]
async fn without_a_model_a_question_is_refused_with_what_to_do() {
    let memory = memory(HOSTILE, store(), Limits::default());
    assert!(!memory.has_llm());
    memory.remember(&scope("ana"), text("a start")).await.unwrap();
    let told = query(&memory, "ask 1").await.unwrap();
    assert!(told.starts_with("missing: no language model is configured; ") && told.contains("--llm-url"), "{told}");
}

#[tokio::test]
async fn what_a_call_may_ask_is_bounded() {
    let parrot = Parrot::new(Manner::Echo, 100);
    let limits = Limits { prompts: 4, prompt_bytes: 200, model_calls: 6, ..Limits::default() };
    let memory = told(limits, &parrot).await;
    let told = query(&memory, "ask 5").await.unwrap();
    assert!(told.starts_with("refused: a call asks a language model at most 4 questions at once, refused: "), "{told}");
    let told = query(&memory, "ask 4").await.unwrap();
    assert!(told.starts_with("refused: ") && told.contains("at most 200 go at once"), "{told}");
    assert_eq!(parrot.asked.load(Ordering::SeqCst), 0);
    let told = query(&memory, "ask endlessly").await.unwrap();
    assert_eq!(told, "6, refused: a call asks a language model at most 6 questions; version 1");
    assert_eq!(parrot.asked.load(Ordering::SeqCst), 6);
    assert_eq!(query(&memory, "ask 0").await.unwrap(), "; version 1");
}

#[tokio::test]
async fn a_client_that_breaks_or_hangs_ends_its_own_question_only() {
    let parrot = Parrot::new(Manner::Panic, 1);
    let memory = told(Limits::default(), &parrot).await;
    let told = query(&memory, "ask 2").await.unwrap();
    assert_eq!(told.matches("unavailable: the client of the language model broke; report incident ").count(), 2);
    let logged = memory.remember(&scope("ana"), text("ask 1")).await.unwrap();
    assert!(logged.calls[0].error.as_ref().is_some_and(|error| error.contains("broke")), "{logged:?}");

    let parrot = Parrot::new(Manner::Echo, 0);
    let memory = self::told(Limits { answer: Duration::from_millis(20), ..Limits::default() }, &parrot).await;
    let told = query(&memory, "ask 1").await.unwrap();
    assert_eq!(told, "unavailable: no answer within 0.02 s; version 1");
}

#[tokio::test]
async fn a_call_that_takes_too_long_in_a_model_is_ended_and_leaves_nothing() {
    let parrot = Parrot::new(Manner::Echo, 0);
    let limits = Limits { call: Duration::from_millis(50), instances: 1, askers: 1, writers: 1, ..Limits::default() };
    let memory = told(limits, &parrot).await;
    for _ in 0..3 {
        assert_eq!(query(&memory, "ask 1").await, Err(CallError::TimedOut));
        let ended = memory.remember(&scope("ana"), text("ask 1")).await;
        assert!(matches!(ended, Err(CallError::TimedOut)), "{ended:?}");
    }
    memory.remember(&scope("ana"), text("polite")).await.unwrap();
}

#[tokio::test]
async fn time_in_a_model_is_not_the_guest_s() {
    let parrot = Parrot::new(Manner::Echo, 0);
    let limits = Limits { tick: Duration::from_millis(2), cpu_ticks: 10, ..Limits::default() };
    let memory = told(limits, &parrot).await;
    let asking = tokio::spawn({
        let memory = memory.clone();
        async move { query(&memory, "ask 1").await }
    });
    parrot.until_waiting(1).await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    parrot.gate.add_permits(1);
    assert_eq!(asking.await.unwrap().unwrap(), "0; version 1");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_hang_in_a_model_keep_nobody_from_reading_and_writing() {
    const HANGING: usize = 128;
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions { readers: 2, patience: Duration::from_secs(1), ..SqliteOptions::default() };
    let store: SharedStore = Arc::new(Sqlite::open(directory.path().join("test.db"), options).unwrap());
    let parrot = Parrot::new(Manner::Echo, 0);
    let limits = Limits { admission: Duration::from_secs(1), ..Limits::default() };
    assert!(HANGING > limits.instances as usize);
    let memory = asking(Arc::clone(&store), limits, &parrot);
    let real = self::memory(MEMORY, store, limits);
    real.remember(&scope("ana"), text("Ana lives in Porto.")).await.unwrap();
    let calls = |writes: bool| {
        let memory = memory.clone();
        tokio::spawn(async move {
            match writes {
                true => memory.remember(&scope("rui"), text("ask 1")).await.map(|_| "written".to_owned()),
                false => query(&memory, "ask 1").await,
            }
        })
    };
    memory.remember(&scope("rui"), text("a start")).await.unwrap();
    let mut hanging = Vec::new();
    for count in 0..HANGING {
        hanging.push(calls(count % 2 == 0));
        // Two readers serve them all, if each gives its own back.
        parrot.until_waiting(count + 1).await;
    }
    // More than this don't hang, and are told so.
    assert_eq!(query(&memory, "ask 1").await.unwrap(), "limited: 5; version 1");
    for memory in [&memory, &real] {
        memory.facts(&scope("ana"), facts_of("Ana")).await.unwrap();
        memory.remember(&scope("eva"), text("Eva lives in Faro.")).await.unwrap();
    }
    parrot.gate.add_permits(HANGING);
    let mut answered = 0;
    for call in hanging {
        match call.await.unwrap() {
            Ok(_) => answered += 1,
            // Of those that write the same dataset from the same version the first one wins.
            Err(CallError::Failure(failure)) => {
                let lost = failure.message.contains("Gone") || failure.message.contains("Conflict");
                assert!(lost, "{failure:?}");
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(answered > HANGING / 2, "{answered} were answered");
}

#[tokio::test]
async fn a_snapshot_that_was_given_back_is_gone_if_others_moved_the_dataset() {
    let parrot = Parrot::new(Manner::Echo, 0);
    let memory = told(Limits::default(), &parrot).await;
    let ask = || {
        let memory = memory.clone();
        tokio::spawn(async move { query(&memory, "ask 1").await })
    };
    // A question of somebody else is logged, and moves nothing.
    let asking = ask();
    parrot.until_waiting(1).await;
    let request = QueryRequest { limit: 20, ..QueryRequest::new("?") };
    memory.query(&scope("ana"), request, Asking::default()).await.unwrap();
    parrot.gate.add_permits(1);
    assert_eq!(asking.await.unwrap().unwrap(), "0; version 1");

    parrot.gate.forget_permits(1);
    let asking = ask();
    parrot.until_waiting(1).await;
    memory.remember(&scope("ana"), text("something else")).await.unwrap();
    parrot.gate.add_permits(1);
    assert_eq!(asking.await.unwrap().unwrap(), "0; StorageError::SnapshotGone");
}
