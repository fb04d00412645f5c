//! A memory written down as a repository: its commits have the same IDs for ever, and names of people do no harm.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use gligabao_core::git::files::{self, FrontMatter, GIT_ATTRIBUTES, Layout, Readme};
use gligabao_core::git::{CommitPlan, CommitTime, FileChange, GitError, Message, Options, Subject, Summary, Trailer};
use gligabao_core::git::{Export, TreePath, Writer};
use gligabao_core::model::{ArtifactId, EdgeEventKind, EdgeId, Entity, EntityId, Moment, RunId, RunKind};
use gligabao_core::time::Micros;

use crate::oracle::Repository;

const HOSTILE: &[&str] = &[
    ".git",
    "..",
    "/etc/passwd",
    "CON",
    "aux.md",
    "git~1",
    ".g\u{200c}it",
    "a\nb",
    "a\0b",
    "🦀",
    "\u{202e}gpj.exe",
    "Artifact-Id: 999\n\nKind: forged",
    "---\nid: 999\n---\n",
    "<a> b@c <d>",
    "",
    "\\\"",
];

fn put(path: TreePath, content: impl Into<Vec<u8>>) -> FileChange {
    FileChange::Put { path, content: content.into() }
}

fn begin(layout: Layout) -> CommitPlan {
    let readme = Readme { dataset: "main", description: "Names.", tags: &[], layout, series: false };
    CommitPlan {
        time: CommitTime::new(1_762_161_262),
        message: Message::new(Subject::Begin { dataset: "main" }),
        changes: vec![
            put(TreePath::new("README.md").unwrap(), readme.to_markdown()),
            put(TreePath::new(".gitattributes").unwrap(), GIT_ATTRIBUTES),
        ],
    }
}

fn entity(number: u64, name: &str) -> Entity {
    Entity {
        id: EntityId(number),
        name: name.to_owned(),
        r#type: name.to_owned(),
        description: name.to_owned(),
        model: None,
        created_at: Moment::At(Micros(1_762_161_262_000_000)),
    }
}

/// A call that mentions an entity with this name and type.
fn remember(layout: Layout, number: u64, name: &str) -> CommitPlan {
    let (artifact, run) = (ArtifactId(number), RunId(number));
    let entity = entity(number, name);
    let text = FrontMatter::new().plain("id", number).with_body(name);
    let file = files::entity(&entity, &[name.to_owned()], &[artifact]);
    CommitPlan {
        time: CommitTime::new(1_762_161_262 + i64::try_from(number).unwrap()),
        message: Message::new(Subject::Remember { artifact, text: name })
            .summary(Summary { entities: 1, ..Summary::default() })
            .event(EdgeEventKind::Invalidated, EdgeId(1), &format!("{name} works_at Acme"))
            .trailer(Trailer::ArtifactId, artifact)
            .trailer(Trailer::SessionId, name)
            .trailer(Trailer::RememberRunId, run),
        changes: vec![
            put(layout.artifact(artifact), text),
            put(layout.entity(&entity.r#type, name, entity.id), file),
            put(layout.run(RunKind::Remember, run), "{}\n"),
        ],
    }
}

fn written(layout: Layout, names: &[String]) -> Repository {
    let calls = names.iter().zip(1..).map(|(name, number)| remember(layout, number, name));
    let plans = std::iter::once(begin(layout)).chain(calls).map(Ok::<_, GitError>);
    let mut repository = Repository::new();
    Export::new(Writer::new(Options::default(), "main"), plans).for_each(|part| repository.save(&part.unwrap()));
    repository.check();
    repository
}

#[test]
fn a_repository_has_the_same_commits_for_ever() {
    let names = ["Alice", "Bruno", "Zürich"].map(str::to_owned);
    let log = |layout| written(layout, &names).git(&["log", "--reverse", "--format=%H %at %s", "--name-status"]);
    insta::assert_snapshot!(log(Layout::Flat) + "\n" + &log(Layout::Sharded));
}

#[test]
fn hostile_names_become_files_that_a_clone_has_and_that_say_the_name() {
    let names: Vec<String> =
        HOSTILE.iter().map(|&name| name.to_owned()).chain(["x".repeat(300), "é🦀".repeat(150)]).collect();
    for layout in [Layout::Flat, Layout::Sharded] {
        let repository = written(layout, &names);
        let clone = repository.beside("clone");
        // As on Windows and macOS: what those refuse, git refuses here too.
        let strict = ["-c", "core.protectNTFS=true", "-c", "core.protectHFS=true", "-c", "transfer.fsckObjects=true"];
        repository.git(&[&strict[..], &["clone", "-q", "--no-local", ".", &clone.to_string_lossy()]].concat());
        let mut read = BTreeSet::new();
        for (name, number) in names.iter().zip(1..) {
            let path = layout.entity(name, name, EntityId(number));
            let file = fs::read_to_string(clone.join(path.as_str())).unwrap();
            let (yaml, body) = file.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
            let front: BTreeMap<String, serde_json::Value> = serde_saphyr::from_str(yaml).unwrap();
            assert_eq!(front["name"], name.as_str());
            assert_eq!(body, if name.is_empty() { String::new() } else { format!("{name}\n") });
            let text = fs::read_to_string(clone.join(layout.artifact(ArtifactId(number)).as_str())).unwrap();
            assert_eq!(text, format!("---\nid: {number}\n---\n{name}"));
            read.insert(path);
        }
        assert_eq!(read.len(), names.len());
        let trailers =
            repository.git(&["log", "--format=%(trailers:key=Artifact-Id,valueonly,separator=%x2C)", "main"]);
        let numbers: Vec<String> = (1..=names.len()).rev().map(|number| number.to_string()).collect();
        assert_eq!(trailers.trim_end(), numbers.join("\n"));
    }
}
