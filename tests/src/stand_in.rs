//! A stand-in for a server of language models: it speaks the APIs of OpenAI and of Anthropic as far as gligabao does,
//! answers each stage as a script says, and remembers what it was asked.
//!
//! ```no_run
//! use gligabao_tests::stand_in::{Reply, StandIn};
//!
//! let model = StandIn::start();
//! model.queue("query", Reply::status(500, "out of order"));
//! model.answer("query", |asked| Reply::text(format!("{{\"answer\": \"as {} says\"}}", asked.model)));
//! println!("ask it at {} or {}", model.openai(), model.anthropic());
//! ```

mod reply;
mod serve;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::oneshot;

pub use self::reply::Reply;

/// One question, as the server got it.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The path of the request.
    pub path: String,
    /// Its headers.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: Value,
    /// The model that it is for.
    pub model: String,
    /// What `document` says it is about; empty if it doesn't.
    pub stage: String,
    /// The system message.
    pub system: String,
    /// The one user message, read as JSON; null if it is none, or not the only one.
    pub document: Value,
    /// The schema that the answer is asked to have.
    pub schema: Option<Value>,
}

type Script = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A running stand-in, on a port and a thread of its own. It ends with this value.
pub struct StandIn {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    queues: Mutex<BTreeMap<String, VecDeque<Reply>>>,
    scripts: Mutex<BTreeMap<String, Arc<Script>>>,
    asked: Mutex<Vec<Asked>>,
    waiting: AtomicUsize,
    sent: AtomicU64,
}

impl StandIn {
    /// Starts one. Each stage has an answer that says nothing until it is given another one.
    ///
    /// # Panics
    /// When there is no port or thread to be had.
    #[must_use]
    pub fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        listener.set_nonblocking(true).expect("a socket can be");
        let (stop, stopped) = oneshot::channel();
        let router = serve::router(Arc::clone(&shared));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("it is not blocking");
                tokio::select! {
                    served = axum::serve(listener, router) => served.expect("the socket does not break"),
                    _ = stopped => {}
                }
            });
        });
        Self { address, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// The base URL of its API like OpenAI's.
    #[must_use]
    pub fn openai(&self) -> String {
        format!("http://{}/openai/v1", self.address)
    }

    /// The base URL of its API like Anthropic's.
    #[must_use]
    pub fn anthropic(&self) -> String {
        format!("http://{}/anthropic/v1", self.address)
    }

    /// Host and port.
    #[must_use]
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// From now on answers a stage like this; `""` stands for every stage that has no script of its own.
    pub fn answer(&self, stage: &str, script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) {
        lock(&self.shared.scripts).insert(stage.to_owned(), Arc::new(script));
    }

    /// Answers the next question of a stage like this, before any script. What is queued first goes first.
    pub fn queue(&self, stage: &str, reply: Reply) {
        lock(&self.shared.queues).entry(stage.to_owned()).or_default().push_back(reply);
    }

    /// What it was asked so far, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.shared.asked).clone()
    }

    /// Questions that it got and has not begun to answer.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.shared.waiting.load(Ordering::SeqCst)
    }

    /// Bytes of bodies that clients took so far, of [`Reply::Flood`] and [`Reply::Drip`] only.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.shared.sent.load(Ordering::SeqCst)
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        // It may have ended by a panic, which its thread has reported.
        let _ = self.stop.take().map(|stop| stop.send(()));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    /// What a question is answered.
    fn reply(&self, asked: &Asked) -> Reply {
        let mut queues = lock(&self.queues);
        if let Some(reply) = queues.get_mut(&asked.stage).and_then(VecDeque::pop_front) {
            return reply;
        }
        drop(queues);
        let scripts = lock(&self.scripts);
        let script = scripts.get(&asked.stage).or_else(|| scripts.get("")).cloned();
        drop(scripts);
        match script {
            Some(script) => script(asked),
            None => Reply::text(nothing(&asked.stage)),
        }
    }
}

/// An answer that says nothing.
fn nothing(stage: &str) -> &'static str {
    match stage {
        "extract_graph" => r#"{"entities": [], "edges": []}"#,
        "resolve_edges" => r#"{"duplicates": [], "contradictions": []}"#,
        "query" => r#"{"answer": "I don't know.", "used": []}"#,
        _ => "{}",
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
