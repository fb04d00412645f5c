//! Repositories that are cut off, held, packed anew or another's, with git as the judge.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use gligabao::repository::archive::{Archive, unpack};
use gligabao::repository::{Exported, Origin, Repository, RepositoryError};
use gligabao::store::GitSettings;
use gligabao_core::git::{BRANCH, CommitTime, Format, Id, Message, Options, Part, STATES, Subject, TreePath, Writer};
use gligabao_core::history::{Layout, Resume};
use gligabao_core::model::{ArtifactId, EdgeId, EntityId, SeriesId};
use gligabao_core::storage::{Counters, Head};
use gligabao_core::time::Micros;
use tempfile::TempDir;

fn origin(dataset: &str) -> Origin {
    let next = Counters { artifact: ArtifactId(1), entity: EntityId(1), edge: EdgeId(1), series: SeriesId(1) };
    let head = Head {
        name: dataset.to_owned(),
        description: String::new(),
        tags: Vec::new(),
        created_at: Micros(1),
        seq: 0,
        version: 0,
        last_at: Micros(1),
        next,
    };
    Origin::new(&head, GitSettings { layout: Layout::Flat, series: false })
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
}

fn open(path: &Path) -> Repository {
    Repository::open(path, &origin("main")).expect("it opens")
}

/// The parts of an export of `commits` more commits, from where the repository stands.
fn parts(repository: &Repository, format: Format, commits: usize) -> Vec<Part> {
    let options = Options { format, ..Options::default() };
    let (mut writer, from) = match repository.resume().expect("it can be read") {
        None => (Writer::new(options, "test"), 0),
        Some(Resume { head, state, .. }) => {
            let head = Id::from_hex(&head).expect("an ID");
            (Writer::resume(options, head, &state.expect("a state")).expect("a state of it"), 1_000)
        }
    };
    let mut parts = Vec::new();
    for number in from..from + commits {
        let path = TreePath::new(format!("a/{number}.md")).expect("a path");
        writer.put(path, format!("fact {number}\n").into_bytes()).expect("nothing is in its way");
        writer.commit(CommitTime::new(0), Message::new(Subject::Begin { dataset: "main" }));
    }
    writer.publish().expect("all of it is there");
    while let Some(part) = writer.next_part() {
        parts.push(part);
    }
    parts
}

fn export(path: &Path, format: Format, commits: usize) {
    let mut repository = open(path);
    for part in parts(&repository, format, commits) {
        repository.write(&part).expect("it is written");
    }
    repository.finish(Exported { seq: 1, changed_at: None }).expect("it is saved");
}

fn git(path: &Path, args: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(path).args(args).output().expect("git is there");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
}

#[test]
fn an_export_that_is_cut_off_anywhere_leaves_a_whole_repository_and_is_completed() {
    for format in [Format::Loose, Format::Pack] {
        let dir = TempDir::new().expect("a directory");
        let path = dir.path().join("r.git");
        export(&path, format, 3);
        let whole = git(&path, &["rev-list", "--count", "main"]);
        let update = parts(&open(&path), format, 3);
        for cut in 0..update.len() {
            let copy = dir.path().join(format!("{cut}.git"));
            Command::new("cp").arg("-r").arg(&path).arg(&copy).status().expect("it is copied");
            let mut repository = open(&copy);
            update[..cut].iter().for_each(|part| repository.write(part).expect("it is written"));
            drop(repository);
            assert_eq!(git(&copy, &["fsck", "--full", "--strict", "--no-dangling"]), "", "{format:?} cut at {cut}");
            let count = git(&copy, &["rev-list", "--count", "main"]);
            assert!(count == whole || update[cut..].iter().all(|part| part.path != BRANCH), "{format:?} cut at {cut}");
            if count == whole {
                export(&copy, format, 3);
            }
            assert_eq!(git(&copy, &["rev-list", "--count", "main"]).trim(), "6", "{format:?} cut at {cut}");
            assert_eq!(git(&copy, &["fsck", "--full", "--strict", "--no-dangling"]), "", "{format:?} after {cut}");
            assert_eq!(names(&copy.join(STATES)).len(), 1, "old states are removed");
            assert_eq!(names(&copy.join("gligabao/temporary")), [""; 0]);
        }
    }
}

#[test]
fn a_directory_of_others_is_left_alone() {
    let dir = TempDir::new().expect("a directory");
    let path = dir.path();
    fs::write(path.join("file"), "mine").expect("written");
    let refused = |path: &Path, dataset: &str| Repository::open(path, &origin(dataset)).expect_err("it is refused");
    assert!(matches!(refused(path, "main"), RepositoryError::Foreign(_)));
    assert!(matches!(refused(&path.join("file"), "main"), RepositoryError::Foreign(_)));
    assert_eq!(names(path), ["file"]);
    let ours = path.join("r.git");
    let held = open(&ours);
    assert!(matches!(refused(&ours, "main"), RepositoryError::Locked(_)));
    drop(held);
    assert!(matches!(refused(&ours, "other"), RepositoryError::OtherHistory(_)));
    drop(open(&ours));
    fs::create_dir_all(ours.join("refs/heads")).expect("made");
    fs::write(ours.join(BRANCH), "no commit\n").expect("written");
    assert!(matches!(refused(&ours, "main"), RepositoryError::Damaged { .. }));
}

#[test]
fn what_git_packed_anew_is_gone_on_from_without_the_saved_state() {
    let dir = TempDir::new().expect("a directory");
    let path = dir.path().join("r.git");
    export(&path, Format::Pack, 3);
    export(&path, Format::Pack, 3);
    let before = open(&path).resume().expect("it is read").expect("it has commits");
    assert!(before.state.is_some() && before.packs.len() == 2);
    git(&path, &["gc", "-q", "--prune=now"]);
    let after = open(&path).resume().expect("it is read").expect("it has commits");
    assert_eq!((after.head, after.state), (before.head, None));
    assert_eq!(after.packs.len(), 1);
}

#[test]
fn an_export_writes_nothing_but_a_repository() {
    let dir = TempDir::new().expect("a directory");
    let mut repository = open(&dir.path().join("r.git"));
    for path in ["../x", "/tmp/x", "hooks/post-update", "objects/info/alternates", "gligabao/lock", "x/"] {
        let part = Part { path: path.to_owned(), bytes: b"x".to_vec(), last: true };
        assert!(matches!(repository.write(&part), Err(RepositoryError::Damaged { .. })), "{path}");
    }
    let part = |path: &str, last| Part { path: path.to_owned(), bytes: b"x".to_vec(), last };
    repository.write(&part("HEAD", false)).expect("a first piece");
    assert!(repository.write(&part("config", true)).is_err(), "a file is whole before the next begins");
}

#[test]
fn an_archive_is_the_same_twice_and_unpacks_to_a_whole_repository() {
    let dir = TempDir::new().expect("a directory");
    let path = dir.path().join("r.git");
    export(&path, Format::Loose, 3);
    let archive = || {
        let mut bytes = Vec::new();
        Archive::of(&path).expect("it is read").write("r.git", &mut bytes).expect("it is written");
        bytes
    };
    let bytes = archive();
    assert_eq!(bytes, archive());
    let copy = dir.path().join("copy.git");
    unpack(bytes.as_slice(), &copy).expect("it is unpacked");
    assert_eq!(git(&copy, &["fsck", "--full", "--strict"]), "");
    assert_eq!(git(&copy, &["rev-parse", "main"]), git(&path, &["rev-parse", "main"]));
    assert!(copy.join("refs/tags").is_dir() && !copy.join("gligabao").exists());
    let cut = &bytes[..bytes.len() - 9];
    unpack(cut, &dir.path().join("cut.git")).expect_err("it is cut off");
}

#[test]
fn an_archive_that_fails_is_no_whole_gzip() {
    let dir = TempDir::new().expect("a directory");
    let path = dir.path().join("r.git");
    export(&path, Format::Pack, 3);
    let archive = Archive::of(&path).expect("it is read");
    fs::remove_dir_all(path.join("objects/pack")).expect("it goes");
    let mut bytes = Vec::new();
    archive.write("r.git", &mut bytes).expect_err("a pack is gone");
    let read = io::copy(&mut flate2::read::GzDecoder::new(bytes.as_slice()), &mut io::sink());
    assert!(read.is_err(), "what was written ends in the middle");
}
