//! Histories as data, and the plainest way to replay them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gligabao_core::git::{CommitTime, GitError, IDENTITY, Id, Kind, Message, Subject, TreePath, Writer};
use gligabao_core::model::ArtifactId;
use proptest::prelude::*;

/// A change of one file.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Put(String, Vec<u8>),
    Remove(String),
}

/// A commit to make.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) time: i64,
    pub(crate) message: Message,
    pub(crate) changes: Vec<Change>,
}

/// A message about any text.
pub(crate) fn message(text: &str) -> Message {
    Message::new(Subject::Remember { artifact: ArtifactId(1), text })
}

/// The files at a commit.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Makes a commit; whether each change was taken.
pub(crate) fn apply(writer: &mut Writer, step: &Step) -> Vec<bool> {
    let taken = step.changes.iter().map(|change| match change {
        Change::Put(path, content) => match writer.put(TreePath::new(path.as_str()).unwrap(), content.clone()) {
            Err(GitError::Conflict { .. }) => false,
            result => result.map(|()| true).unwrap(),
        },
        Change::Remove(path) => match writer.remove(&TreePath::new(path.as_str()).unwrap()) {
            Err(GitError::Missing { .. }) => false,
            result => result.map(|()| true).unwrap(),
        },
    });
    let taken = taken.collect();
    writer.commit(CommitTime::new(step.time), step.message.clone());
    taken
}

/// The same on a map.
pub(crate) fn replay(files: &mut Files, step: &Step) -> Vec<bool> {
    let taken = step.changes.iter().map(|change| match change {
        Change::Put(path, content) => {
            let inside = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'));
            let free = !files.keys().any(|other| inside(other, path) || inside(path, other));
            if free {
                files.insert(path.clone(), content.clone());
            }
            free
        }
        Change::Remove(path) => files.remove(path).is_some(),
    });
    taken.collect()
}

/// What `git ls-tree -r` lists.
pub(crate) fn listing(files: &Files) -> String {
    files.iter().fold(String::new(), |mut list, (path, content)| {
        let _ = writeln!(list, "100644 blob {}\t{path}", Id::of(Kind::Blob, content));
        list
    })
}

/// The history as `git fast-import` reads it.
pub(crate) fn stream(steps: &[Step]) -> Vec<u8> {
    let mut stream = Vec::new();
    let mut files = Files::new();
    for step in steps {
        replay(&mut files, step);
        let mut message = Vec::new();
        step.message.write_to(&mut message);
        let seconds = CommitTime::new(step.time).seconds();
        stream.extend(format!("commit refs/heads/main\ncommitter {IDENTITY} {seconds} +0000\n").bytes());
        stream.extend(format!("data {}\n", message.len()).bytes());
        stream.extend(message);
        stream.extend(b"deleteall\n");
        for (path, content) in &files {
            stream.extend(format!("M 100644 inline {path}\ndata {}\n", content.len()).bytes());
            stream.extend(content);
            stream.push(b'\n');
        }
    }
    stream
}

/// Random histories whose paths get in each other's way.
pub(crate) fn histories(commits: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), commits)
}

fn step() -> impl Strategy<Value = Step> {
    (-10i64..5_000_000_000, any::<String>(), prop::collection::vec(change(), 0..8))
        .prop_map(|(time, text, changes)| Step { time, message: message(&text), changes })
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (path(), content()).prop_map(|(path, content)| Change::Put(path, content)),
        1 => path().prop_map(Change::Remove),
    ]
}

fn path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "12", "12.md", "120.md", "12-a", "README.md"]);
    prop::collection::vec(name, 1..4).prop_map(|names| names.join("/"))
}

/// Short ones that recur, so that files go back to what they were, and long ones that differ in one place.
fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::sample::select(vec![b"".to_vec(), b"x".to_vec(), b"a\r\nb\r\n".to_vec(), b"\0\xff".to_vec()]),
        prop::collection::vec(any::<u8>(), 0..60),
        (0usize..900, any::<u8>()).prop_map(|(at, byte)| {
            let mut content: Vec<u8> = (0..1000u32).map(|i| (i * i / 7) as u8).collect();
            content.insert(at, byte);
            content
        }),
    ]
}
