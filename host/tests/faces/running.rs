//! The binary as a process of its own, on a temporary database.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;

use serde_json::Value;
use tempfile::TempDir;

const COLORS: [&str; 2] = ["CLICOLOR_FORCE", "NO_COLOR"];

/// The binary with nothing of the caller's environment that it would heed.
pub(crate) fn gligabao(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gligabao"));
    command.current_dir(dir);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("GLIGABAO_") || COLORS.contains(&name)) {
            command.env_remove(name);
        }
    }
    // Compiled components are kept between the processes of a test run.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).env("COLUMNS", "100").stdin(Stdio::null());
    command
}

/// What a finished command printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Finished {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it was not killed"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

impl Finished {
    /// What it printed, as JSON.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{self:?}");
        serde_json::from_str(&self.stdout).expect("JSON")
    }
}

/// Runs a command to its end.
pub(crate) fn run(dir: &Path, args: &[&str]) -> Finished {
    gligabao(dir).args(args).output().expect("the binary runs").into()
}

/// A server that is ready.
pub(crate) struct Server {
    child: Child,
    /// Reads its log to the end: a server whose log nobody reads stands still when the pipe is full.
    log: Option<JoinHandle<String>>,
    pub(crate) url: String,
    pub(crate) db: PathBuf,
    /// Holds the database where the server was started without one.
    _dir: Option<TempDir>,
}

impl Server {
    /// On a database of its own.
    pub(crate) fn start() -> Self {
        let dir = TempDir::new().expect("a directory");
        let mut server = Self::on(&dir.path().join("test.db"));
        server._dir = Some(dir);
        server
    }

    /// On this database.
    pub(crate) fn on(db: &Path) -> Self {
        Self::with(db, &[])
    }

    /// On this database, with more options.
    pub(crate) fn with(db: &Path, options: &[&str]) -> Self {
        let mut child = gligabao(db.parent().expect("a file has a directory"))
            .args(["serve", "--listen", "127.0.0.1:0", "--db"])
            .arg(db)
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stderr = child.stderr.take().expect("piped");
        let log = std::thread::spawn(move || {
            let mut log = String::new();
            stderr.read_to_string(&mut log).expect("UTF-8");
            log
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let Some(url) = line.trim_end().strip_prefix("listening on ") else {
            panic!("no server: {line}{}", log.join().expect("the log is read"));
        };
        Self { url: url.to_owned(), db: db.to_owned(), child, log: Some(log), _dir: None }
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        let pid = i32::try_from(self.child.id()).expect("a process ID");
        // SAFETY: the process is our own child and not waited for yet, so its ID can't be another's.
        assert_eq!(unsafe { libc::kill(pid, libc::SIGTERM) }, 0);
        self.child.wait().expect("it ends")
    }

    /// Ends it as a power switch would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// What it logged, once it has stopped.
    pub(crate) fn log(&mut self) -> String {
        self.log.take().expect("it is asked for once").join().expect("the log is read")
    }

    /// The ID of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The address without the scheme.
    pub(crate) fn address(&self) -> &str {
        self.url.strip_prefix("http://").expect("an address")
    }

    /// GET, as JSON.
    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        self.send(http().get(format!("{}{path}", self.url))).await
    }

    /// POST of a JSON body.
    pub(crate) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.send(http().post(format!("{}{path}", self.url)).json(&body)).await
    }

    /// Any request, its answer as JSON; null where there is none.
    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> (u16, Value) {
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let bytes = response.bytes().await.expect("a body");
        (status, if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).expect("JSON") })
    }

    /// Remembers a text that must be fine.
    pub(crate) async fn tell(&self, user: &str, dataset: &str, text: &str) -> Value {
        let body = serde_json::json!({
            "user_id": user, "dataset": dataset, "text": text, "reference_time": "2024-06-10",
        });
        let (status, answer) = self.post("/v1/gb/remember", body).await;
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have stopped by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client without proxies.
pub(crate) fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().expect("a client")
}
