//! The history as a git repository, with git itself as the judge.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::running::{Server, gligabao, http, run};

/// How often an export is killed; a long run sets `GLIGABAO_KILLS`.
const KILLS: u64 = 5;

/// git, which asks nobody and heeds no configuration of the machine.
fn git(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(dir).args(["-c", "http.proxy="]).args(args).stdin(Stdio::null());
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_TERMINAL_PROMPT", "0");
    command
}

/// What git prints that must succeed.
fn told(dir: &Path, args: &[&str]) -> String {
    let output = git(dir, args).output().expect("git is there");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8").trim().to_owned()
}

fn is_whole(repository: &Path) {
    assert_eq!(told(repository, &["fsck", "--full", "--strict", "--no-dangling"]), "");
}

/// Objects in a clone, loose or packed.
fn objects(repository: &Path) -> u64 {
    let counts = told(repository, &["count-objects", "-v"]);
    let count = |name: &str| {
        let line = counts.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.and_then(|count| count.parse::<u64>().ok()).expect("a number")
    };
    count("count") + count("in-pack")
}

fn address(server: &Server, user: &str) -> String {
    format!("http://{user}@{}/v1/gb/datasets/main.git", server.address())
}

async fn bytes(server: &Server, path: &str) -> Vec<u8> {
    let answer = http().get(format!("{}{path}", server.url)).send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    answer.bytes().await.expect("a body").to_vec()
}

/// Tells a database file some texts, by the command line.
fn tell(dir: &Path, from: usize, count: usize) {
    let notes = dir.join(format!("notes-{from}"));
    std::fs::create_dir(&notes).expect("a directory");
    for number in from..from + count {
        let text = format!("Person {number} works at Company {} and lives in Town {number}.", number % 7);
        std::fs::write(notes.join(format!("{number:06}.txt")), text).expect("a file");
    }
    let told = run(dir, &["remember", &notes.to_string_lossy()]);
    assert_eq!(told.code, 0, "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn git_clones_and_pulls_only_what_is_new() {
    let server = Server::start();
    let dir = TempDir::new().expect("a directory");
    for number in 0..20 {
        server.tell("u1", "main", &format!("Person {number} works at Acme and lives in Porto.")).await;
    }
    told(dir.path(), &["clone", "-q", &address(&server, "u1"), "clone"]);
    let clone = dir.path().join("clone");
    is_whole(&clone);
    assert_eq!(told(&clone, &["rev-list", "--count", "HEAD"]), "21");
    let before = objects(&clone);
    server.tell("u1", "main", "Person 3 works at Globex since May 2024.").await;
    told(&clone, &["pull", "-q", "--ff-only"]);
    is_whole(&clone);
    assert!(objects(&clone) - before < 20, "{} objects came to {before}", objects(&clone) - before);
    let subject = told(&clone, &["log", "-1", "--format=%s%n%an <%ae>"]);
    assert_eq!(subject, "remember #21: Person 3 works at Globex since May 2024.\ngligabao <gligabao@localhost>");
    assert_eq!(told(&clone, &["pull", "-q", "--ff-only"]), "");

    let archive = bytes(&server, "/v1/gb/datasets/main/git?user_id=u1").await;
    assert_eq!(archive, bytes(&server, "/v1/gb/datasets/main/git?user_id=u1").await);
    std::fs::write(dir.path().join("main.tar.gz"), &archive).expect("written");
    let unpacked = Command::new("tar").current_dir(dir.path()).args(["xzf", "main.tar.gz"]).status();
    assert!(unpacked.expect("tar is there").success());
    let repository = dir.path().join("main.git");
    is_whole(&repository);
    assert_eq!(told(&repository, &["rev-parse", "main"]), told(&clone, &["rev-parse", "HEAD"]));
    for format in ["loose", "pack"] {
        let path = format!("/v1/gb/datasets/main/git?user_id=u1&format={format}");
        assert_eq!(bytes(&server, &path).await, bytes(&server, &path).await, "{format}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_owner_gets_a_repository_and_only_files_of_it() {
    let server = Server::start();
    let dir = TempDir::new().expect("a directory");
    server.tell("u1", "main", "Anna Weber lives in Berlin.").await;
    told(dir.path(), &["clone", "-q", &address(&server, "u1"), "clone"]);
    let refused = git(dir.path(), &["clone", "-q", &address(&server, "u2"), "other"]).output().expect("git is there");
    assert!(!refused.status.success());
    let anonymous = http().get(format!("{}/v1/gb/datasets/main.git/info/refs", server.url)).send().await;
    let anonymous = anonymous.expect("an answer");
    assert_eq!(anonymous.status(), 401);
    assert!(anonymous.headers()["www-authenticate"].to_str().expect("a text").starts_with("Basic "));
    let head = format!("{}/v1/gb/datasets/main.git/info/refs?service=git-upload-pack", server.url);
    let dumb = http().get(head).basic_auth("u1", None::<&str>).send().await.expect("an answer");
    assert_eq!(
        (dumb.status().as_u16(), &dumb.headers()["content-type"]),
        (200, &"text/plain; charset=utf-8".parse().expect("a value"))
    );
    let disagree =
        http().get(format!("{}/v1/gb/datasets/main.git/HEAD?user_id=u2", server.url)).basic_auth("u1", None::<&str>);
    assert_eq!(server.send(disagree).await.0, 400);
    for path in [
        "main.git/objects/info/alternates",
        "main.git/objects/..%2f..%2fgligabao/lock",
        "main.git/objects/%2e%2e/config",
        "main.git/objects/..%2F..%2F..%2F..%2F/test.db",
        "main.git/objects/pack/..%2f..%2f..%2f..%2f..%2ftest.db",
        "main.git/objects/pack/pack-0123456789012345678901234567890123456789.pack",
        "main.git/objects/00/00000000000000000000000000000000000000",
        "main.git/gligabao/origin.json",
        "main.git/config",
    ] {
        let (status, answer) = server.get(&format!("/v1/gb/datasets/{path}?user_id=u1")).await;
        assert_eq!(status, 404, "{path}: {answer}");
    }
    for path in ["main/HEAD", "main/info/refs", "main/objects/info/packs", "..git/HEAD", "%2e%2e%2f.git/HEAD"] {
        let (status, answer) = server.get(&format!("/v1/gb/datasets/{path}?user_id=u1")).await;
        assert_eq!((status, &answer["field"]), (400, &json!("name")), "{path}: {answer}");
    }
    #[cfg(unix)]
    {
        let mut cache = server.db.clone().into_os_string();
        cache.push(".git");
        let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(cache).expect("the cache"));
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exports_at_the_same_time_are_one() {
    let server = Server::start();
    for number in 0..10 {
        server.tell("u1", "main", &format!("Person {number} works at Acme.")).await;
    }
    let path = "/v1/gb/datasets/main/git?user_id=u1";
    let (one, two, three) = tokio::join!(bytes(&server, path), bytes(&server, path), bytes(&server, path));
    assert!(one == two && two == three);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dataset_that_is_made_anew_exports_nothing_of_the_one_before() {
    let server = Server::start();
    let dir = TempDir::new().expect("a directory");
    server.tell("u1", "main", "Secretname lives in Secretplace.").await;
    told(dir.path(), &["clone", "-q", &address(&server, "u1"), "old"]);
    let deleted = server.send(http().delete(format!("{}/v1/gb/datasets/main?user_id=u1", server.url))).await;
    assert_eq!(deleted.0, 204);
    let mut cache = server.db.clone().into_os_string();
    cache.push(".git");
    assert_eq!(std::fs::read_dir(&cache).expect("the cache").count(), 0, "its repository is gone");
    server.tell("u1", "main", "Anna Weber lives in Berlin.").await;
    told(dir.path(), &["clone", "-q", &address(&server, "u1"), "new"]);
    let log = told(&dir.path().join("new"), &["log", "-p"]);
    assert!(log.contains("Berlin") && !log.contains("Secret"), "{log}");
    assert_eq!(told(&dir.path().join("new"), &["rev-list", "--count", "HEAD"]), "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn layout_and_series_are_those_of_the_first_export() {
    let server = Server::start();
    server.tell("u1", "main", "Anna Weber lives in Berlin.").await;
    let path = "/v1/gb/datasets/main/git?user_id=u1";
    bytes(&server, &format!("{path}&layout=sharded")).await;
    let (status, answer) = server.get(&format!("{path}&layout=flat")).await;
    let words = "layout: the dataset is exported in the layout sharded since its first export; leave layout out";
    assert_eq!((status, &answer["error"], &answer["field"]), (409, &json!(words), &json!("layout")));
    let (status, answer) = server.get(&format!("{path}&series=true")).await;
    assert_eq!((status, &answer["field"]), (409, &json!("series")), "{answer}");
    bytes(&server, &format!("{path}&layout=sharded&series=false")).await;
    bytes(&server, path).await;
    let (status, answer) = server.get(&format!("{path}&format=packed")).await;
    assert_eq!((status, &answer["field"]), (400, &json!("format")), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_is_told_call_by_call() {
    let server = Server::start();
    server.tell("u1", "main", "Anna Weber works at Acme.").await;
    server.tell("u1", "main", "Bob Stone lives in Porto.").await;
    server.tell("u1", "main", "Anna Weber works at Globex since May 2024.").await;
    let seqs = async |rest: &str| {
        let (status, answer) = server.get(&format!("/v1/gb/datasets/main/history?user_id=u1{rest}")).await;
        assert_eq!(status, 200, "{answer}");
        let seqs = answer["entries"].as_array().expect("entries").iter().map(|entry| entry["seq"].clone());
        (seqs.collect::<Vec<_>>(), answer["cursor"].as_str().map(str::to_owned))
    };
    assert_eq!(seqs("").await, (vec![json!(1), json!(2), json!(3)], None));
    assert_eq!(seqs("&entity_id=1").await.0, [json!(1), json!(3)]);
    assert_eq!(seqs("&edge_id=2").await.0, [json!(2)]);
    let (first, cursor) = seqs("&limit=2").await;
    let rest = seqs(&format!("&limit=2&cursor={}", cursor.expect("there are more"))).await;
    assert_eq!((first.len(), rest), (2, (vec![json!(3)], None)));

    let db = server.db.to_string_lossy().into_owned();
    let dir = server.db.parent().expect("a directory");
    let history = |args: &[&str]| run(dir, &[&["history", "main", "--user", "u1", "--db", &db], args].concat());
    let shown = history(&["--entity", "anna weber"]);
    assert_eq!(
        (shown.code, shown.stdout.contains("Globex"), shown.stdout.contains("Porto")),
        (0, true, false),
        "{shown:?}"
    );
    assert_eq!(history(&["--json"]).json()["entries"].as_array().map(Vec::len), Some(3));
    assert_eq!(history(&["--entity", "nobody"]).code, 1);
    let remote = run(dir, &["history", "main", "--user", "u1", "--server", &server.url, "--edge", "2"]);
    assert!(remote.stdout.contains("Bob Stone lives in Porto."), "{remote:?}");
}

#[test]
fn a_directory_is_written_and_brought_up_to_date() {
    let dir = TempDir::new().expect("a directory");
    let here = dir.path();
    tell(here, 0, 5);
    let made = run(here, &["dataset", "git", "main", "--check"]);
    assert_eq!(made.code, 0, "{made:?}");
    assert!(made.stdout.starts_with("main.git made: 6 commits up to "), "{made:?}");
    assert!(made.stdout.ends_with("Read it: git clone main.git\n"), "{made:?}");
    let repository = here.join("main.git");
    is_whole(&repository);
    told(here, &["clone", "-q", "main.git", "clone"]);
    assert_eq!(run(here, &["dataset", "git", "main"]).stdout, "main.git is up to date.\n");
    tell(here, 5, 2);
    let updated = run(here, &["dataset", "git", "main", "--format", "pack", "--json"]).json();
    assert_eq!((&updated["commits"], &updated["is_new"]), (&json!(2), &json!(false)), "{updated}");
    is_whole(&repository);
    told(&here.join("clone"), &["pull", "-q", "--ff-only"]);
    let anew = run(here, &["dataset", "git", "main", "anew.git", "--format", "loose", "--json"]).json();
    assert_eq!(anew["head"], updated["head"], "an update gives the same commits as an export of all");

    // git may pack it as it likes.
    told(&repository, &["gc", "-q", "--prune=now"]);
    tell(here, 7, 1);
    let packed = run(here, &["dataset", "git", "main", "--check", "--json"]).json();
    assert_eq!(packed["head"], run(here, &["dataset", "git", "main", "anew.git", "--json"]).json()["head"]);
    told(&here.join("clone"), &["pull", "-q", "--ff-only"]);

    std::fs::create_dir(here.join("mine")).expect("a directory");
    std::fs::write(here.join("mine/file"), "mine").expect("a file");
    let refused = run(here, &["dataset", "git", "main", "mine"]);
    assert_eq!((refused.code, refused.stderr.contains("name another directory")), (1, true), "{refused:?}");
    let sharded = run(here, &["dataset", "git", "main", "--layout", "sharded"]);
    assert_eq!((sharded.code, sharded.stderr.contains("layout flat since its first export")), (1, true), "{sharded:?}");
    assert_eq!(run(here, &["dataset", "git", "main", "--layout", "round"]).code, 2);
    assert_eq!(run(here, &["dataset", "git", "nowhere"]).code, 1);
    assert_eq!(run(here, &["dataset", "delete", "main", "--yes"]).code, 0);
    tell(here, 100, 1);
    let other = run(here, &["dataset", "git", "main"]);
    assert_eq!((other.code, other.stderr.contains("history of another dataset")), (1, true), "{other:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_s_history_is_fetched_whole_and_pulled_by_git() {
    let server = Server::start();
    let dir = TempDir::new().expect("a directory");
    server.tell("me", "main", "Anna Weber lives in Berlin.").await;
    let fetch = || run(dir.path(), &["dataset", "git", "main", "--check", "--server", &server.url]);
    let fetched = fetch();
    assert_eq!((fetched.code, fetched.stdout.starts_with("main.git fetched: ")), (0, true), "{fetched:?}");
    server.tell("me", "main", "Anna Weber lives in Porto since May 2024.").await;
    let again = fetch();
    assert_eq!((again.code, again.stderr.contains("git -C main.git fetch http://me@")), (1, true), "{again:?}");
    let repository = dir.path().join("main.git");
    told(&repository, &["fetch", "-q", &address(&server, "me"), "main:main"]);
    is_whole(&repository);
    assert_eq!(told(&repository, &["rev-list", "--count", "main"]), "3");
}

fn start_export(dir: &Path) -> Child {
    let mut command = gligabao(dir);
    command.args(["dataset", "git", "main"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the binary starts")
}

#[test]
fn an_export_that_is_killed_leaves_a_whole_repository_and_the_next_one_completes_it() {
    let dir = TempDir::new().expect("a directory");
    let here = dir.path();
    let rounds = std::env::var("GLIGABAO_KILLS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(KILLS);
    for round in 0..rounds {
        tell(here, 40 * usize::try_from(round).expect("a few"), 40);
        let mut child = start_export(here);
        std::thread::sleep(Duration::from_millis(20 + 37 * round % 400));
        child.kill().expect("it was started");
        child.wait().expect("it ends");
        if here.join("main.git/refs/heads/main").exists() {
            is_whole(&here.join("main.git"));
        }
    }
    let completed: Value = run(here, &["dataset", "git", "main", "--check", "--json"]).json();
    let anew = run(here, &["dataset", "git", "main", "anew.git", "--json"]).json();
    let head = told(&here.join("main.git"), &["rev-parse", "main"]);
    assert_eq!((completed["head"].as_str(), &completed["head"]), (Some(head.as_str()), &anew["head"]));
}

#[test]
fn one_directory_is_written_by_one_process() {
    let dir = TempDir::new().expect("a directory");
    let here = dir.path();
    tell(here, 0, 30);
    let exports: Vec<_> = (0..3).map(|_| start_export(here)).collect();
    let codes: Vec<_> = exports.into_iter().map(|mut child| child.wait().expect("it ends").code()).collect();
    assert!(codes.contains(&Some(0)), "{codes:?}");
    assert!(codes.iter().all(|code| [Some(0), Some(1)].contains(code)), "{codes:?}");
    is_whole(&here.join("main.git"));
}
