//! Packs: their size, their chains, and what is worth a delta.

use std::fs;

use gligabao_core::git::{CommitTime, GitError, Id, Kind, Options, PART_LIMIT, TreePath, Writer};

use crate::model::message;
use crate::oracle::{Repository, git};

/// A file in a directory of many, and one that grows.
fn write(options: Options, commits: u64) -> Repository {
    let mut writer = Writer::new(options, "packs");
    let mut repository = Repository::new();
    let mut grown = String::new();
    for number in 0..commits {
        let path = format!("edges/knows/{}.md", number * 7919 % 100_003);
        writer.put(TreePath::new(path).unwrap(), format!("fact {number}\n").into_bytes()).unwrap();
        grown.push_str(&format!("  - {number}\n"));
        let file = format!("---\nname: \"Alice\"\nartifacts:\n{grown}---\nOf note.\n");
        writer.put(TreePath::new("entities/person/alice-1.md").unwrap(), file.into_bytes()).unwrap();
        writer.commit(CommitTime::new(i64::try_from(number).unwrap()), message(&format!("commit {number}")));
        repository.save_all(&mut writer);
    }
    writer.publish().unwrap();
    repository.save_all(&mut writer);
    repository
}

/// Of each object in the packs: kind, size in the pack, length of the chain to it.
fn objects(repository: &Repository) -> Vec<(String, u64, u64)> {
    let mut objects = Vec::new();
    for pack in repository.files("objects/pack", ".pack") {
        let listed = repository.git(&["verify-pack", "-v", &pack.to_string_lossy()]);
        for line in listed.lines() {
            let fields: Vec<&str> = line.split_whitespace().collect();
            if let [id, kind, _size, packed, _offset, rest @ ..] = fields.as_slice()
                && id.len() == 40
            {
                let depth = rest.first().map_or(0, |depth| depth.parse().unwrap());
                objects.push(((*kind).to_owned(), packed.parse().unwrap(), depth));
            }
        }
    }
    objects
}

#[test]
fn a_large_directory_and_a_growing_file_are_stored_as_short_chains_of_deltas() {
    let repository = write(Options::default(), 2_000);
    repository.check();
    let objects = objects(&repository);
    assert!(objects.iter().all(|(_, _, depth)| *depth <= 50));
    let whole = |kind: &str| objects.iter().filter(|object| object.0 == kind && object.1 > 2_000).count();
    assert!(whole("tree") < 20, "{} of 2,000 versions of the directory are large", whole("tree"));
    assert!(whole("blob") < 50, "{} of 2,000 versions of the file are large", whole("blob"));
    let bytes: u64 = objects.iter().map(|object| object.1).sum();
    assert!(bytes < 1_500_000, "{bytes} bytes");
}

#[test]
fn no_pack_is_larger_than_its_limit_and_each_stands_alone() {
    let limit = 20_000;
    let repository = write(Options { pack_limit: limit, ..Options::default() }, 300);
    repository.check();
    let packs = repository.files("objects/pack", ".pack");
    assert!(packs.len() > 3);
    for pack in packs {
        assert!(fs::metadata(&pack).unwrap().len() <= limit as u64);
        let bare = repository.beside("bare");
        fs::create_dir_all(&bare).unwrap();
        let other = bare.join("other.idx").to_string_lossy().into_owned();
        let indexed = git(&bare, &["index-pack", "-o", &other, &pack.to_string_lossy()], b"");
        assert_eq!(format!("pack-{}", indexed.trim()), pack.file_stem().unwrap().to_string_lossy());
        assert_eq!(fs::read(other).unwrap(), fs::read(pack.with_extension("idx")).unwrap(), "git makes the same index");
        fs::remove_dir_all(bare).unwrap();
    }
}

#[test]
fn an_object_above_the_limit_has_a_pack_of_its_own() {
    let noise: Vec<u8> = (0..50_000u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let mut writer = Writer::new(Options { pack_limit: 1, ..Options::default() }, "large");
    writer.put(TreePath::new("noise").unwrap(), noise).unwrap();
    writer.commit(CommitTime::new(0), message("noise"));
    writer.publish().unwrap();
    let repository = Repository::of(&mut writer);
    repository.check();
    assert_eq!(repository.files("objects/pack", ".pack").len(), 3);
}

#[test]
fn parts_are_bounded_and_the_branch_comes_after_all_that_it_needs() {
    let noise: Vec<u8> = (0..1_500_000u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let mut writer = Writer::new(Options::default(), "parts");
    writer.put(TreePath::new("noise").unwrap(), noise).unwrap();
    let head = writer.commit(CommitTime::new(0), message("noise"));
    writer.publish().unwrap();
    let parts: Vec<_> = std::iter::from_fn(|| writer.next_part()).collect();
    assert!(parts.iter().all(|part| part.bytes.len() <= PART_LIMIT));
    let files: Vec<String> = parts
        .iter()
        .filter(|part| part.last)
        .map(|part| {
            let name = part.path.rsplit('/').next().unwrap();
            part.path.replace(name, if name.starts_with("pack-") { &name[45..] } else { name })
        })
        .collect();
    let state = format!("gligabao/states/{head}");
    let expected = [
        "HEAD",
        "config",
        "description",
        "objects/info/",
        "objects/pack/",
        "refs/heads/",
        "refs/tags/",
        "objects/pack/.pack",
        "objects/pack/.idx",
        &state,
        "objects/info/packs",
        "refs/heads/main",
        "info/refs",
    ];
    assert_eq!(files, expected);
}

#[test]
fn what_is_refused_changes_nothing() {
    let path = |path: &str| TreePath::new(path).unwrap();
    let mut writer = Writer::new(Options::default(), "refused");
    writer.put(path("a/b"), b"1".to_vec()).unwrap();
    let conflict = |path: &str, other: &str| GitError::Conflict { path: path.into(), other: other.into() };
    assert_eq!(writer.put(path("a"), Vec::new()), Err(conflict("a", "a/")));
    assert_eq!(writer.put(path("a/b/c"), Vec::new()), Err(conflict("a/b/c", "a/b")));
    assert_eq!(writer.remove(&path("a")), Err(GitError::Missing { path: "a".into() }));
    assert_eq!(writer.get(&path("a/b")), Some(Id::of(Kind::Blob, b"1")));
    let first = writer.commit(CommitTime::new(0), message("x"));
    writer.remove(&path("a/b")).unwrap();
    writer.put(path("a"), b"now a file".to_vec()).unwrap();
    let second = writer.commit(CommitTime::new(0), message("x"));
    assert_ne!(first, second);
    writer.publish().unwrap();
    let repository = Repository::of(&mut writer);
    repository.check();
    assert_eq!(repository.git(&["show", "main:a"]), "now a file");
}
