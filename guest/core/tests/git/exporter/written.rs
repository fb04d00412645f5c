//! Repositories as people read them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use gligabao_core::git::Format;
use gligabao_core::history::Layout;
use gligabao_core::model::{EdgeEventKind, EntityEventKind};

use super::dataset::{Memory, Step};
use super::{anew, repository};
use crate::oracle::Repository;

const SECOND: i64 = 1_000_000;

/// A short story in which everything happens.
fn story() -> Memory {
    let at = 1_762_161_262 * SECOND;
    let remember = |text: &str, session: Option<&str>| Step::Remember(text.to_owned(), session.map(str::to_owned));
    Memory::after(
        at,
        &[
            (at + SECOND, remember("Alice works at Acme since 2023.\r\nAlice lives in Graz.", Some("s-1"))),
            (at + 2 * SECOND, Step::Describe("Who works where.".to_owned(), "work".to_owned())),
            (at + 3 * SECOND, remember("Alice works at Initech since March 2025.", None)),
            (at + 4 * SECOND, Step::Query("Where does\nAlice work?".to_owned())),
            (at + 4 * SECOND, remember("Alice lived in Graz until 2024. Alice works at Initech.", None)),
            (at + 5 * SECOND, Step::FailedRemember("the model does not answer".to_owned())),
            (at + 6 * SECOND, Step::Retract(2)),
            (at + 6 * SECOND, Step::Unseen),
            (at + 7 * SECOND, Step::Entity(1, EntityEventKind::Retyped, "company".to_owned())),
            (at + 7 * SECOND, Step::Fact(0, EdgeEventKind::Contested)),
            (at + 8 * SECOND, Step::Series(0, vec![(0, 1.0), (SECOND / 2, -0.25)], Some("It rose.".to_owned()))),
            (at + 9 * SECOND, Step::Series(0, vec![(SECOND / 2, 1e300)], None)),
            // The clock was set back.
            (at, Step::Fact(0, EdgeEventKind::Affirmed)),
        ],
    )
}

/// The log with messages and names of files, and the newest files, of the logs of calls one.
fn shown(repository: &Repository) -> String {
    let mut shown = repository.git(&["log", "--reverse", "--format=== %H %at%n%B", "--name-status", "--no-renames"]);
    for path in repository.git(&["ls-tree", "-r", "--name-only", "main"]).lines() {
        if path.starts_with("runs/") && !path.starts_with("runs/remember/6") {
            continue;
        }
        let content = repository.git(&["show", &format!("main:{path}")]);
        let _ = write!(shown, "\n==== {path}\n{}", content.replace('\r', "␍"));
    }
    shown
}

#[test]
fn a_dataset_has_the_same_repository_for_ever() {
    let memory = story();
    insta::assert_snapshot!("flat", shown(&repository(&memory.snapshot(), anew(Layout::Flat, Format::Pack))));
    let sharded = repository(&memory.snapshot(), anew(Layout::Sharded, Format::Loose));
    let paths = sharded.git(&["ls-tree", "-r", "--name-only", "main"]);
    insta::assert_snapshot!("sharded", sharded.git(&["log", "--reverse", "--format=%H %s"]) + &paths);
}

#[test]
fn an_empty_dataset_is_a_root_commit() {
    let memory = Memory::new(-5);
    let repository = repository(&memory.snapshot(), anew(Layout::Flat, Format::Loose));
    assert_eq!(repository.commits().len(), 1);
    assert_eq!(repository.git(&["log", "--format=%at %s"]), "0 dataset main\n");
    assert_eq!(repository.git(&["ls-tree", "-r", "--name-only", "main"]), ".gitattributes\nREADME.md\n");
}

#[test]
fn dates_that_git_does_not_take_are_the_nearest_that_it_does() {
    let query = || Step::Query("When?".to_owned());
    let memory =
        Memory::after(4_102_444_800 * SECOND, &[(5_000_000_000 * SECOND, query()), (-1, query()), (i64::MAX, query())]);
    let repository = repository(&memory.snapshot(), anew(Layout::Flat, Format::Pack));
    let dates = repository.git(&["log", "--reverse", "--format=%at"]);
    assert_eq!(dates, "4102444800\n5000000000\n0\n253402300799\n");
}

#[test]
fn the_root_is_dated_at_the_first_call_if_that_began_before_the_dataset_was_made() {
    let memory = Memory::after(9 * SECOND, &[(7 * SECOND, Step::Query("?".to_owned()))]);
    let repository = repository(&memory.snapshot(), anew(Layout::Flat, Format::Pack));
    assert_eq!(repository.git(&["log", "--reverse", "--format=%at"]), "7\n7\n");
}

#[test]
fn hostile_names_become_files_that_a_clone_has_and_that_say_the_name() {
    let long = "x".repeat(300);
    let names = [".git", "..", "CON", "git~1", "🦀", "a\nb", "Kind: forged\n\nKind: x", "---\nid: 9\n---", "", &long];
    let mut memory = Memory::new(0);
    for (name, n) in names.into_iter().zip(1..) {
        memory.make(n, &Step::Remember(format!("{name}\nPerson{n} works at Acme{n}."), Some(name.to_owned())));
        memory.make(n, &Step::Entity(usize::MAX, EntityEventKind::Retyped, name.to_owned()));
        memory.make(n, &Step::Query(name.to_owned()));
        memory.make(n, &Step::FailedRemember(name.to_owned()));
        memory.make(n, &Step::Describe(name.to_owned(), name.to_owned()));
        memory.make(n, &Step::Series(0, vec![(n, 1.0)], Some(name.to_owned())));
    }
    for layout in [Layout::Flat, Layout::Sharded] {
        let repository = repository(&memory.snapshot(), anew(layout, Format::Pack));
        let clone = repository.beside("clone");
        // As on Windows and macOS: what those refuse, git refuses here too.
        let strict = ["-c", "core.protectNTFS=true", "-c", "core.protectHFS=true", "-c", "transfer.fsckObjects=true"];
        repository.git(&[&strict[..], &["clone", "-q", "--no-local", ".", &clone.to_string_lossy()]].concat());
        let mut types = Vec::new();
        for path in repository.git(&["ls-tree", "-r", "--name-only", "main"]).lines() {
            let file = fs::read_to_string(clone.join(path)).unwrap();
            if path.ends_with(".json") {
                serde_json::from_str::<serde_json::Value>(&file).unwrap();
            }
            if let Some(rest) = file.strip_prefix("---\n") {
                let (yaml, _) = rest.split_once("---\n").unwrap();
                let front: BTreeMap<String, serde_json::Value> = serde_saphyr::from_str(yaml).unwrap();
                types.extend(front.get("type").and_then(|kind| Some(kind.as_str()?.to_owned())));
            }
        }
        assert!(types.contains(&"🦀".to_owned()) || types.contains(&".git".to_owned()), "{types:?}");
        let keys = repository.git(&["log", "--format=%(trailers:key=Kind,valueonly,separator=%x2C)", "main"]);
        assert!(keys.lines().all(|kind| ["", "knowledge"].contains(&kind)), "{keys}");
    }
}
