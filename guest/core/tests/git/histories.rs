//! Random histories: the work tree at every commit is what a plain replay has, whatever the options.

use gligabao_core::git::{Format, Level, Options, Writer};
use proptest::prelude::*;

use crate::model::{Change, Files, Step, apply, histories, listing, message, replay, stream};
use crate::oracle::{Repository, git};

/// The ways to write a repository that differ.
fn ways() -> [Options; 4] {
    let pack = Options { keep_state: false, ..Options::default() };
    [
        pack,
        Options { level: Level::new(9), keep_state: true, ..pack },
        Options { pack_limit: 2_000, ..pack },
        Options { format: Format::Loose, level: Level::new(6), ..pack },
    ]
}

fn check(steps: &[Step]) -> Result<(), TestCaseError> {
    let mut heads = Vec::new();
    for options in ways() {
        let mut writer = Writer::new(options, "random\nhistory");
        let mut repository = Repository::new();
        let mut files = Files::new();
        let mut lists = Vec::new();
        for step in steps {
            prop_assert_eq!(apply(&mut writer, step), replay(&mut files, step));
            lists.push(listing(&files));
        }
        writer.publish().unwrap();
        repository.save_all(&mut writer);
        repository.check();
        let commits = repository.commits();
        for (commit, list) in commits.iter().zip(&lists) {
            prop_assert_eq!(&repository.git(&["ls-tree", "-r", commit]), list);
        }
        prop_assert_eq!(commits.len(), lists.len());
        for pack in repository.files("objects/pack", ".pack") {
            repository.git(&["verify-pack", &pack.to_string_lossy()]);
        }
        heads.push(commits);
    }
    let peer = Repository::new();
    std::fs::create_dir_all(peer.path()).unwrap();
    peer.git(&["init", "-q", "--bare", "-b", "main"]);
    git(&peer.path(), &["fast-import", "--quiet"], &stream(steps));
    heads.push(peer.commits());
    prop_assert!(heads.windows(2).all(|pair| pair[0] == pair[1]), "{:?}", heads);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn git_reads_at_every_commit_what_a_plain_replay_has(steps in histories(1..12)) {
        check(&steps)?;
    }
}

/// Commits that add, change and remove some of many files, so that directories are written as deltas.
fn large_directories() -> impl Strategy<Value = Vec<Step>> {
    let change = (0u32..600, 0u8..4).prop_map(|(file, what)| {
        let path = format!("{}/{}.md", ["a", "a/b", "c/12"][file as usize % 3], file / 3);
        if what == 0 { Change::Remove(path) } else { Change::Put(path, format!("{file} {what}\n").into_bytes()) }
    });
    let first = (0..300).map(|file| Change::Put(format!("a/{}.md", file * 7), Vec::new())).collect();
    let first = Step { time: 0, message: message("many"), changes: first };
    prop::collection::vec(prop::collection::vec(change, 1..12), 30..50).prop_map(move |commits| {
        let step = |changes| Step { time: 1, message: message("some"), changes };
        std::iter::once(first.clone()).chain(commits.into_iter().map(step)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn large_directories_have_at_every_commit_what_a_plain_replay_has(steps in large_directories()) {
        check(&steps)?;
    }
}

#[test]
fn a_history_without_files_is_a_history() {
    let step = Step { time: 0, message: message("nothing"), changes: Vec::new() };
    check(&[step.clone(), step]).unwrap();
}

#[test]
fn a_clone_has_the_files_byte_for_byte() {
    let contents: [&[u8]; 5] =
        [b"", b"text without an end", b"a\r\nb\r\n", b"---\nid: 1\n---\n", "\u{feff}é🦀\0".as_bytes()];
    let changes =
        contents.iter().enumerate().map(|(i, content)| Change::Put(format!("a/{i}.md"), content.to_vec())).collect();
    let mut writer = Writer::new(Options::default(), "clone");
    apply(&mut writer, &Step { time: 1, message: message("files"), changes });
    writer.publish().unwrap();
    let repository = Repository::of(&mut writer);
    let clone = repository.beside("clone");
    repository.git(&["clone", "-q", ".", &clone.to_string_lossy()]);
    for (i, content) in contents.iter().enumerate() {
        let path = format!("a/{i}.md");
        assert_eq!(&std::fs::read(clone.join(&path)).unwrap(), content);
        let hashed = git(&clone, &["hash-object", "--no-filters", &path], b"");
        assert_eq!(hashed.trim(), gligabao_core::git::Id::of(gligabao_core::git::Kind::Blob, content).to_string());
    }
    assert_eq!(git(&clone, &["status", "--porcelain"], b""), "");
}

#[test]
fn a_repository_without_a_commit_can_be_cloned() {
    let repository = Repository::of(&mut Writer::new(Options::default(), "empty"));
    let clone = repository.beside("clone");
    repository.git(&["clone", "-q", ".", &clone.to_string_lossy()]);
}
