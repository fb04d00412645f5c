//! The command line: what it prints, where it reads and writes, and how it ends.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;

use crate::running::{Finished, Server, gligabao, run};

fn directory() -> TempDir {
    TempDir::new().expect("a directory")
}

/// A directory whose database knows two facts.
fn told() -> TempDir {
    let dir = directory();
    let text = "Anna Weber joined Acme in March 2022. Anna Weber lives in Berlin.";
    assert_eq!(run(dir.path(), &["remember", text, "--reference-time", "2022-03-14"]).code, 0);
    dir
}

fn piped(dir: &Path, args: &[&str], input: &str) -> Finished {
    let mut child = gligabao(dir)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends").into()
}

#[test]
fn what_is_remembered_is_shown_as_a_table() {
    let dir = directory();
    let text = "Anna Weber joined Acme in March 2022. Anna Weber lives in Berlin.";
    let told = run(dir.path(), &["remember", text, "--reference-time", "2022-03-14"]);
    assert_eq!((told.code, &*told.stderr), (0, ""));
    insta::assert_snapshot!("remember", told.stdout);
    insta::assert_snapshot!("facts", run(dir.path(), &["facts", "Anna Weber"]).stdout);
    insta::assert_snapshot!("query", run(dir.path(), &["query", "Where does Anna Weber work?"]).stdout);
    let again =
        run(dir.path(), &["remember", "Anna Weber works at Globex since 2024.", "--reference-time", "2024-02-01"]);
    insta::assert_snapshot!("remember_closing", again.stdout);
    insta::assert_snapshot!("retract", run(dir.path(), &["retract", "3"]).stdout);
}

#[test]
fn json_is_the_answer_of_the_api() {
    let dir = told();
    let facts = run(dir.path(), &["facts", "--json", "--relation", "works_at"]).json();
    assert_eq!(facts["facts"][0]["target"], "Acme");
    assert_eq!(facts["facts"][0]["valid_at_precision"], "month");
    let timeline = run(dir.path(), &["timeline", "anna weber", "--json"]).json();
    assert_eq!(timeline["facts"].as_array().map(Vec::len), Some(2));
    let answer = run(dir.path(), &["query", "Where does Anna Weber live?", "--json"]).json();
    assert_eq!(answer["mode"], "evidence");
    assert!(answer["run_id"].is_u64(), "{answer}");
    let unlogged = run(dir.path(), &["query", "Where does Anna Weber live?", "--no-log", "--json"]).json();
    assert_eq!(unlogged.get("run_id"), None);
    let retracted = run(dir.path(), &["retract", "1", "--json"]).json();
    assert_eq!(retracted["fact"]["id"], 1);
    assert!(retracted["fact"]["retracted_at"].is_string(), "{retracted}");
}

#[test]
fn a_command_works_the_same_on_a_server_and_on_its_file() {
    let server = Server::start();
    let dir = directory();
    let db = server.db.to_str().expect("UTF-8");
    let told = run(dir.path(), &["remember", "Rui lives in Porto.", "--server", &server.url, "--json"]).json();
    assert_eq!(told["artifact_id"], 1);
    let over_http = run(dir.path(), &["facts", "--server", &server.url, "--json"]);
    let in_process = run(dir.path(), &["facts", "--db", db, "--json"]);
    assert_eq!(over_http.stdout, in_process.stdout);
    // While the server runs, the command line writes to the same file.
    assert_eq!(run(dir.path(), &["remember", "Rui likes tea.", "--db", db]).code, 0);
    let facts = run(dir.path(), &["facts", "--server", &server.url, "--json"]).json();
    assert_eq!(facts["facts"].as_array().map(Vec::len), Some(2));

    let slash = format!("{}/", server.url);
    let listed = gligabao(dir.path()).args(["dataset", "list", "--json"]).env("GLIGABAO_SERVER", slash).output();
    let listed = Finished::from(listed.expect("it runs")).json();
    assert_eq!(listed["datasets"][0]["name"], "main");
    assert!(!dir.path().join("gligabao.db").exists());
}

#[test]
fn texts_come_from_arguments_standard_input_files_and_directories() {
    let dir = directory();
    let notes = dir.path().join("notes");
    std::fs::create_dir(&notes).expect("a directory");
    std::fs::write(notes.join("b.md"), "---\nreference_time: 2023-01-01\ntitle: B\n---\nRui moved to Braga.\n")
        .expect("written");
    std::fs::write(notes.join("a.txt"), "Rui lives in Porto since 2020.").expect("written");
    std::fs::write(notes.join("ignored.json"), "{}").expect("written");

    let one = run(dir.path(), &["remember", "notes/b.md", "--json"]).json();
    assert_eq!(one["edges"][0]["valid_at"], "2023-01-01T00:00:00Z");
    let many = run(dir.path(), &["remember", "notes"]);
    assert_eq!((many.code, &*many.stderr), (0, ""));
    insta::assert_snapshot!("remember_many", many.stdout);
    let lines = run(dir.path(), &["remember", "notes/a.txt", "notes/b.md", "--json"]).stdout;
    let answers: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), 2);

    for args in [&["remember", "-", "--json"][..], &["remember", "--json"]] {
        let told = piped(dir.path(), args, "Camila mora em Recife.\n").json();
        assert_eq!(told["edges"][0]["target"], "Recife");
    }
    let artifacts =
        run(dir.path(), &["remember", "I live in Graz", "--speaker", "Ana", "--title", "T", "--json"]).json();
    assert_eq!(artifacts["edges"][0]["source"], "Ana");
    // An option goes before the header.
    let told = run(dir.path(), &["remember", "notes/b.md", "--reference-time", "2024-05-01", "--json"]).json();
    assert_eq!(told["edges"][0]["outcome"], "confirmed");
}

#[test]
fn one_bad_file_does_not_stop_the_others_and_is_named() {
    let dir = directory();
    std::fs::write(dir.path().join("a.md"), "---\ntitel: A\n---\nRui lives in Porto.").expect("written");
    std::fs::write(dir.path().join("b.md"), b"\xff\xfe").expect("written");
    std::fs::write(dir.path().join("c.md"), "").expect("written");
    std::fs::write(dir.path().join("d.md"), "Rui lives in Porto.").expect("written");
    let ended = run(dir.path(), &["remember", "a.md", "b.md", "c.md", "d.md"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stdout.starts_with("1 text, 1 fact:"), "{}", ended.stdout);
    let problems: Vec<_> = ended.stderr.lines().collect();
    assert_eq!(problems[0], "a.md: the header has no field titel; did you mean title?");
    assert_eq!(problems[1], "b.md is no text in UTF-8");
    assert!(problems[2].starts_with("c.md: text: "), "{}", problems[2]);
    assert_eq!(problems[3], "error: 3 of 4 could not be remembered");
}

#[test]
fn failures_end_with_their_code_and_one_line_that_says_what_to_do() {
    let dir = told();
    for (args, code, words) in [
        (&["facts", "--limit", "0"][..], 1, "error: limit: must be a whole number from 1 to 1000"),
        (&["facts", "--at", "yesterday"], 1, "error: at: must be a time in RFC 3339 or YYYY-MM-DD, `now` or `any`"),
        (&["retract", "77"], 1, "error: there is no edge 77 in this dataset"),
        (&["why", "77"], 1, "error: there is no edge 77 in this dataset"),
        (&["run", "show", "77"], 1, "error: there is no run 77 in this dataset"),
        (&["run", "list", "--kind", "ask"], 1, "error: kind: must be one of remember, query, edit"),
        (&["run", "list", "--db", "nothing.db"], 2, "error: there is no database nothing.db; "),
        (&["why", "1", "--db", "nothing.db"], 2, "error: there is no database nothing.db; "),
        (&["facts", "--dataset", "other"], 1, "error: there is no such dataset; "),
        (&["facts", "--user", "other"], 1, "error: there is no such dataset; "),
        (&["remember", "x", "--kind", "chunk"], 1, "error: kind: "),
        (&["remember", "x", "--language", "tlh"], 1, "error: language: "),
        (&["remember", "x", "--timezone", "Mars/Olympus"], 1, "error: timezone: "),
        (
            &["facts", "--server", "http://127.0.0.1:1"],
            1,
            "error: can't reach http://127.0.0.1:1: nothing listens there; start it with `gligabao serve`",
        ),
        (
            &["facts", "--server", "127.0.0.1:7878"],
            2,
            "error: 127.0.0.1:7878 is no address of a server; give one like http://127.0.0.1:7878",
        ),
        (
            &["facts", "--server", "https://example.com"],
            2,
            "error: https://example.com is no address of a server; give one like http://127.0.0.1:7878",
        ),
        (
            &["facts", "--db", "nothing.db"],
            2,
            "error: there is no database nothing.db; remember something first, or name the file with --db",
        ),
        (&["timeline", "x", "--db", "nothing.db"], 2, "error: there is no database nothing.db; "),
        (&["query", "x", "--db", "nothing.db"], 2, "error: there is no database nothing.db; "),
        (&["retract", "1", "--db", "nothing.db"], 2, "error: there is no database nothing.db; "),
        (&["dataset", "list", "--db", "nothing.db"], 2, "error: there is no database nothing.db; "),
        (&["remember", "x", "--db", "no/such/place.db"], 2, "error: no/such: there is no such directory; "),
        (&["remember", "missing.md"], 2, "error: there is no file missing.md; put a text of several words in quotes"),
        (&["remember", "Anna", "lives"], 2, "error: there is no file Anna; put a text of several words in quotes"),
        (&["dataset", "delete", "main"], 2, "error: this deletes main with 2 facts for ever; add --yes to do it"),
        (&["dataset", "create", "Main"], 1, "error: name: must be "),
        (&["demo", "--keep", "gligabao.db"], 2, "error: gligabao.db is there already; name a new file"),
        (&["serve", "--listen", "0.0.0.0:0"], 2, "error: 0.0.0.0:0 can be reached from other machines, "),
    ] {
        let ended = run(dir.path(), args);
        assert_eq!(ended.code, code, "{args:?}: {ended:?}");
        assert!(ended.stderr.starts_with(words), "{args:?}: {}", ended.stderr);
        assert_eq!(ended.stderr.lines().count(), 1, "{args:?}: {}", ended.stderr);
        assert_eq!(ended.stdout, "", "{args:?}");
    }
    for args in [&[][..], &["fact"], &["serve", "--listen", "nowhere"], &["facts", "--db", "a", "--server", "b"]] {
        assert_eq!(run(dir.path(), args).code, 2, "{args:?}");
    }
    assert!(!dir.path().join("nothing.db").exists(), "a command that reads makes no database");
}

#[test]
fn a_file_that_is_no_database_of_ours_stays_as_it_is() {
    let dir = told();
    std::fs::write(dir.path().join("text.db"), "not a database, but long enough to be taken for one".repeat(50))
        .expect("written");
    let before = std::fs::read(dir.path().join("text.db")).expect("read");
    let ended = run(dir.path(), &["facts", "--db", "text.db"]);
    assert_eq!(ended.code, 2);
    assert_eq!(ended.stderr, "error: text.db: is not a gligabao database; name another file\n");
    assert_eq!(std::fs::read(dir.path().join("text.db")).expect("read"), before);

    let newer = rusqlite::Connection::open(dir.path().join("gligabao.db")).expect("a database");
    newer.pragma_update(None, "user_version", 999).expect("set");
    drop(newer);
    for args in [&["facts"][..], &["remember", "x"], &["serve", "--listen", "127.0.0.1:0"]] {
        let ended = run(dir.path(), args);
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.stderr.contains("was written by a newer version"), "{}", ended.stderr);
    }
}

#[test]
fn datasets_are_made_shown_listed_and_deleted() {
    let dir = directory();
    let made = run(
        dir.path(),
        &["dataset", "create", "work", "--description", "At work", "--tag", "b", "--tag", "a", "--json"],
    );
    assert_eq!(made.json()["tags"], serde_json::json!(["a", "b"]));
    assert_eq!(run(dir.path(), &["remember", "Rui lives in Porto.", "--dataset", "work"]).code, 0);
    let shown = run(dir.path(), &["dataset", "show", "work", "--json"]).json();
    let counts = serde_json::json!({"artifacts": 1, "entities": 2, "edges": 1, "live_edges": 1});
    assert_eq!((&shown["counts"], &shown["description"]), (&counts, &"At work".into()));
    insta::assert_snapshot!("dataset_list", run(dir.path(), &["dataset", "list"]).stdout);
    assert_eq!(run(dir.path(), &["dataset", "delete", "work", "--yes"]).stdout, "Deleted work.\n");
    assert_eq!(run(dir.path(), &["dataset", "show", "work"]).code, 1);
    let page = run(dir.path(), &["dataset", "list"]);
    assert_eq!(page.stdout, "No datasets yet. `gligabao remember` makes one.\n");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let dir = told();
    for args in [
        &["facts"][..],
        &["timeline", "Anna Weber"],
        &["completions", "bash"],
        &["query", "Anna Weber?"],
        &["run", "list"],
        &["run", "show"],
        &["why", "1"],
    ] {
        let mut child =
            gligabao(dir.path()).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        drop(child.stdout.take());
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!((ended.status.code(), &*ended.stderr), (Some(0), &b""[..]), "{args:?}");
    }
}

#[test]
fn colors_are_for_those_who_want_them() {
    let dir = told();
    for args in [&["facts"][..], &["timeline", "Anna Weber"]] {
        let colored = |name: &str, value: &str| {
            let output = gligabao(dir.path()).args(args).env(name, value).output().expect("it runs");
            Finished::from(output).stdout.contains('\u{1b}')
        };
        assert!(!colored("NO_COLOR", ""), "{args:?} in a pipe");
        assert!(colored("CLICOLOR_FORCE", "1"), "{args:?} forced");
    }
}

#[test]
fn every_shell_has_completions_and_every_verb_has_help() {
    let dir = directory();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(dir.path(), &["completions", shell]);
        assert!(script.code == 0 && script.stdout.contains("timeline"), "{shell}");
    }
    let mut help = run(dir.path(), &["--help"]).stdout;
    for verb in [
        "serve",
        "remember",
        "facts",
        "timeline",
        "query",
        "why",
        "retract",
        "series",
        "series put",
        "series list",
        "series get",
        "series plot",
        "series delete",
        "series anchor",
        "series unanchor",
        "run",
        "run list",
        "run show",
        "dataset",
        "doctor",
        "demo",
        "completions",
    ] {
        let args: Vec<_> = verb.split(' ').chain(["--help"]).collect();
        help += &format!("\n==== {verb}\n{}", run(dir.path(), &args).stdout);
    }
    insta::assert_snapshot!("help", help);
}

#[test]
fn pattern_sets_are_checked_tried_and_used() {
    let dir = TempDir::new().expect("a directory");
    let spanish = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/patterns");
    let file = format!("{spanish}/es.yaml");
    let checked = run(dir.path(), &["patterns", "check", &file]);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert!(checked.stdout.contains("es.yaml: es with "), "{checked:?}");

    let bad = dir.path().join("bad.yaml");
    std::fs::write(&bad, "language: xx\npatterns:\n  - {name: a, relation: r, templates: [\"{{subject}} likes\"]}\n")
        .expect("written");
    let checked = run(dir.path(), &["patterns", "check", &file, "bad.yaml"]);
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.stderr.contains("bad.yaml: ") && checked.stderr.contains("{{object}}"), "{checked:?}");

    let tried = run(dir.path(), &["patterns", "try", "en", "Ana lives in Braga. Rui doesn't live in Faro."]);
    assert!(tried.stdout.contains("fact Ana lives_in Braga"), "{tried:?}");
    assert!(tried.stdout.contains("held back: denied"), "{tried:?}");

    let text = "Lucía vive en Sevilla";
    let facts = |args: &[&str]| {
        let args = [&["remember", text, "--language", "es", "--json"], args].concat();
        run(dir.path(), &args)
    };
    let unknown = facts(&[]);
    assert_eq!(unknown.code, 1, "{unknown:?}");
    assert!(unknown.stderr.contains("language"), "{unknown:?}");
    let told = facts(&["--patterns", spanish]).json();
    assert_eq!((&told["edges"][0]["relation"], &told["edges"][0]["target"]), (&"lives_in".into(), &"Sevilla".into()));
    let missing = facts(&["--patterns", "nowhere"]);
    assert_eq!((missing.code, missing.stderr.contains("nowhere")), (2, true), "{missing:?}");
}
