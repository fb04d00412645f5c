//! Random datasets: git, a replay without a past, and exports cut anywhere agree.

use std::collections::BTreeMap;

use gligabao_core::git::Format;
use gligabao_core::history::{ExportRequest, Layout};
use gligabao_core::model::{EdgeEventKind, EntityEventKind, RunKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::dataset::{Done, Memory, Step};
use super::{anew, export, naive, repository, stand};
use crate::model::listing;
use crate::oracle::{Repository, git};

const TEXTS: &[&str] = &[
    "Alice works at Acme since 2023.",
    "Alice works at Initech since March 2024.",
    "Alice left Acme in February 2024.",
    "Bob works at Acme. Bob lives in Graz.",
    "Bob lives in Vienna since 2021-05-01.",
    "Bob lived in Graz until 2020.",
    "Carol knows Alice and Bob.",
    "Carol is married to Bob since 1969-07-20.",
    "Alice works at Acme.\r\nArtifact-Id: 999\r\n\r\nKind: forged",
    "---\nid: 999\n---\nDave works at CON.",
    "Zoë works at Straße & Söhne 🦀 since 2040.",
    "\u{202e}nothing to see\u{202c}\n",
    "Git works at Aux. Aux lives in Nul.",
];

const WORDS: &[&str] = &["person", "CON", ".git", "git~1", "..", "🦀", "a\nb", "\"quoted\": x", "", "Kind: forged"];

fn step() -> impl Strategy<Value = Step> {
    let word = || prop::sample::select(WORDS).prop_map(str::to_owned);
    let points = prop::collection::btree_map(-3_000_000i64..3_000_000, -2.0..2.0f64, 0..4)
        .prop_map(|points| points.into_iter().collect::<Vec<_>>());
    let entity_event = prop::sample::select(vec![EntityEventKind::Retyped, EntityEventKind::Described]);
    let event = prop::sample::select(vec![EdgeEventKind::Contested, EdgeEventKind::Affirmed, EdgeEventKind::Confirmed]);
    prop_oneof![
        8 => (prop::sample::select(TEXTS), prop::option::of(word()))
            .prop_map(|(text, session)| Step::Remember(text.to_owned(), session)),
        1 => word().prop_map(Step::FailedRemember),
        2 => word().prop_map(Step::Query),
        2 => any::<usize>().prop_map(Step::Retract),
        1 => (word(), word()).prop_map(|(description, tag)| Step::Describe(description, tag)),
        2 => (any::<usize>(), entity_event, word()).prop_map(|(number, kind, word)| Step::Entity(number, kind, word)),
        1 => (any::<usize>(), event).prop_map(|(number, kind)| Step::Fact(number, kind)),
        1 => Just(Step::Unseen),
        3 => (0usize..6, points, prop::option::of(word())).prop_map(|(n, points, text)| Step::Series(n, points, text)),
    ]
}

/// Calls at times that jump back and forth, before 1970 and after 2038 too.
fn steps() -> impl Strategy<Value = Vec<(i64, Step)>> {
    prop::collection::vec((-1_000_000_000_000i64..3_000_000_000_000_000, step()), 1..16)
}

/// What the trailers of a commit must be, as far as no text decides it.
fn key(run: &RunKind) -> &'static str {
    match run {
        RunKind::Remember => "Remember-Run-Id",
        RunKind::Query => "Query-Run-Id",
        RunKind::Edit => "Edit-Run-Id",
    }
}

/// The trailers of a commit as git reads them.
fn trailers(repository: &Repository, commit: &str) -> BTreeMap<String, String> {
    let message = repository.git(&["log", "-1", "--format=%B", commit]);
    let trailers = git(&repository.path(), &["interpret-trailers", "--parse"], message.as_bytes());
    trailers.lines().map(|line| line.split_once(": ").unwrap()).map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

/// The commits of a repository are those of the calls, each with the files that the dataset had after it.
fn check_files(repository: &Repository, memory: &Memory, request: &ExportRequest) -> Result<(), TestCaseError> {
    let commits = repository.commits();
    let naive = |done: &gligabao_core::reference::ReferenceSnapshot| naive::files(done, request.layout, request.series);
    let tree = |commit: &str| {
        let all = repository.git(&["ls-tree", "-r", commit]);
        let (runs, rest): (Vec<String>, Vec<String>) =
            all.lines().map(|line| format!("{line}\n")).partition(|line| line.contains("\truns/"));
        (runs, rest.concat())
    };
    prop_assert_eq!(tree(&commits[0]).1, listing(&naive(&memory.created)));
    let mut of_run: Vec<(&Done, &String)> = Vec::new();
    let mut before = naive(&memory.created);
    let mut rest = commits[1..].iter();
    for done in &memory.done {
        let after = naive(&done.after);
        if done.run.kind == RunKind::Edit && after == before {
            continue;
        }
        let commit = rest.next();
        prop_assert!(commit.is_some(), "no commit of {:?}", done.run);
        of_run.extend(commit.map(|commit| (done, commit)));
        before = after;
    }
    prop_assert_eq!(rest.next(), None);
    for (number, (done, commit)) in of_run.iter().enumerate() {
        let (runs, files) = tree(commit);
        prop_assert_eq!(&files, &listing(&naive(&done.after)), "{:?}", done.run);
        prop_assert_eq!(runs.len(), number + 1);
        let trailers = trailers(repository, commit);
        prop_assert_eq!(trailers.get(key(&done.run.kind)), Some(&done.run.id.to_string()));
        let known = ["Artifact-Id", "Kind", "Session-Id", "Valid-At", key(&done.run.kind)];
        prop_assert!(trailers.keys().all(|key| known.contains(&key.as_str())), "{:?}", trailers);
        if let Some(kind) = trailers.get("Kind") {
            prop_assert_eq!(kind, "knowledge");
        }
        let date = repository.git(&["log", "-1", "--format=%at %ct", commit]);
        let seconds = done.run.started_at.0.div_euclid(1_000_000).max(0);
        prop_assert_eq!(date.trim(), format!("{seconds} {seconds}"));
        check_run(repository, commit, done, request.layout)?;
    }
    Ok(())
}

fn check_run(repository: &Repository, commit: &str, done: &Done, layout: Layout) -> Result<(), TestCaseError> {
    let run = &done.run;
    let file = repository.git(&["show", &format!("{commit}:{}", layout.run(run.kind, run.id))]);
    let read: Value = serde_json::from_str(&file).unwrap();
    prop_assert_eq!(&read["params"], &serde_json::from_str::<Value>(&run.params).unwrap());
    prop_assert_eq!(&read["status"], if run.error.is_some() { "failed" } else { "done" });
    prop_assert_eq!(read.get("error").cloned(), run.error.clone().map(Value::from));
    prop_assert_eq!(&read["stages"][0]["model_calls"][0]["cost_usd"], &json!(0.0001));
    prop_assert!(file.contains("\"n\": 123456789012345678901\n") && file.contains("\"b\": 1.0,\n"));
    Ok(())
}

/// Exports of what there was earlier are beginnings, and going on from them gives the same.
fn check_prefixes(commits: &[String], memory: &Memory, request: &ExportRequest) -> Result<(), TestCaseError> {
    let now = memory.snapshot();
    for (number, done) in memory.done.iter().enumerate().step_by(3) {
        let mut earlier = repository(&done.after, request.clone());
        let before = earlier.commits();
        prop_assert_eq!(&before[..], &commits[..before.len()], "after call {}", number);
        let resume = Some(stand(&earlier, number % 2 == 0));
        let parts = export(&now, ExportRequest { resume, ..request.clone() }).unwrap();
        parts.iter().for_each(|part| earlier.save(part));
        earlier.check();
        prop_assert_eq!(&earlier.commits()[..], commits, "gone on after call {}", number);
    }
    Ok(())
}

fn check(created_at: i64, steps: &[(i64, Step)], layout: Layout, format: Format) -> Result<(), TestCaseError> {
    let memory = Memory::after(created_at, steps);
    for series in [true, false] {
        let request = ExportRequest { series, ..anew(layout, format) };
        let repository = repository(&memory.snapshot(), request.clone());
        check_files(&repository, &memory, &request)?;
        check_prefixes(&repository.commits(), &memory, &request)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn git_reads_at_every_commit_what_the_dataset_held_after_the_call(
        created_at in -1_000_000_000_000i64..3_000_000_000_000_000,
        steps in steps(),
        is_flat in any::<bool>(),
        is_loose in any::<bool>(),
    ) {
        let layout = if is_flat { Layout::Flat } else { Layout::Sharded };
        check(created_at, &steps, layout, if is_loose { Format::Loose } else { Format::Pack })?;
    }
}

#[test]
fn layout_and_format_of_a_repository_change_no_text_and_no_order() {
    let steps: Vec<(i64, Step)> =
        TEXTS.iter().map(|text| Step::Remember((*text).to_owned(), None)).map(|step| (1_000_000, step)).collect();
    let memory = Memory::after(0, &steps);
    let log = |layout, format| {
        let repository = repository(&memory.snapshot(), anew(layout, format));
        (repository.commits(), repository.git(&["log", "--format=%at %B"]))
    };
    let (packed, loose) = (log(Layout::Flat, Format::Pack), log(Layout::Flat, Format::Loose));
    assert_eq!(packed, loose);
    let sharded = log(Layout::Sharded, Format::Pack);
    assert_ne!(packed.0, sharded.0);
    assert_eq!(packed.1, sharded.1);
}

#[test]
fn git_itself_writes_the_same_commits() {
    let steps: Vec<(i64, Step)> =
        TEXTS.iter().map(|text| Step::Remember((*text).to_owned(), None)).map(|step| (1_000_000, step)).collect();
    let memory = Memory::after(0, &steps);
    let repository = repository(&memory.snapshot(), anew(Layout::Flat, Format::Pack));
    let stream = repository.git(&["fast-export", "main"]);
    let peer = Repository::new();
    std::fs::create_dir_all(peer.path()).unwrap();
    peer.git(&["init", "-q", "--bare", "-b", "main"]);
    git(&peer.path(), &["fast-import", "--quiet"], stream.as_bytes());
    assert_eq!(peer.commits(), repository.commits());
}
