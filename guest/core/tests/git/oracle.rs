//! git as the oracle: a repository on disk, and what git says about it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gligabao_core::git::{Part, Writer};
use tempfile::TempDir;

/// A bare repository in a directory of its own.
pub(crate) struct Repository {
    scratch: TempDir,
    /// The part that is not complete, and what there is of it.
    open: Vec<u8>,
}

impl Repository {
    pub(crate) fn new() -> Self {
        Self { scratch: tempfile::tempdir().unwrap(), open: Vec::new() }
    }

    /// One with all that the writer has ready.
    pub(crate) fn of(writer: &mut Writer) -> Self {
        let mut repository = Self::new();
        repository.save_all(writer);
        repository
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.scratch.path().join("repository.git")
    }

    /// Room for other things.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    pub(crate) fn save_all(&mut self, writer: &mut Writer) {
        while let Some(part) = writer.next_part() {
            self.save(&part);
        }
    }

    /// Takes a part as a host does: a file appears when its last piece is there.
    pub(crate) fn save(&mut self, part: &Part) {
        let path = self.path().join(&part.path);
        if part.path.ends_with('/') {
            return fs::create_dir_all(path).unwrap();
        }
        self.open.extend_from_slice(&part.bytes);
        if part.last {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &self.open).unwrap();
            self.open.clear();
        }
    }

    /// What git answers in this repository; it must succeed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.path(), arguments, b"")
    }

    /// Nothing is wrong with it, and git has nothing to remark.
    pub(crate) fn check(&self) {
        assert_eq!(self.fsck(), "", "git fsck is not silent");
    }

    /// Nothing is wrong with it, though there may be objects that nothing leads to yet.
    pub(crate) fn check_whole(&self) {
        let said = self.fsck();
        assert!(said.lines().all(|line| line.starts_with("dangling ")), "{said}");
    }

    fn fsck(&self) -> String {
        let (answered, remarked) = run(&self.path(), &["fsck", "--full", "--strict"], b"");
        format!("{}{}", String::from_utf8_lossy(&answered), String::from_utf8_lossy(&remarked))
    }

    /// The commits, oldest first.
    pub(crate) fn commits(&self) -> Vec<String> {
        self.git(&["rev-list", "--reverse", "main"]).lines().map(str::to_owned).collect()
    }

    /// The files of a kind in a directory of the repository, sorted.
    pub(crate) fn files(&self, directory: &str, ending: &str) -> Vec<PathBuf> {
        let Ok(files) = fs::read_dir(self.path().join(directory)) else { return Vec::new() };
        let mut files: Vec<_> =
            files.map(|file| file.unwrap().path()).filter(|path| path.to_string_lossy().ends_with(ending)).collect();
        files.sort();
        files
    }
}

/// What git answers in a directory with this input; it must succeed.
pub(crate) fn git(directory: &Path, arguments: &[&str], input: &[u8]) -> String {
    String::from_utf8(run(directory, arguments, input).0).unwrap()
}

/// What git answers and remarks; it must succeed.
pub(crate) fn run(directory: &Path, arguments: &[&str], input: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("LC_ALL", "C")
        .env_remove("GIT_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("these tests need git: install it");
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || {
        // git may stop reading before the end.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    (output.stdout, output.stderr)
}
