//! Exports: planned commits in, parts out.

use gligabao_core::git::{CommitPlan, CommitTime, Export, FileChange, GitError, Id, Options, STATES, TreePath, Writer};

use crate::model::message;
use crate::oracle::Repository;

#[derive(Debug, PartialEq)]
enum Error {
    Git(GitError),
    Source,
}

impl From<GitError> for Error {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

fn path(path: &str) -> TreePath {
    TreePath::new(path).unwrap()
}

fn plan(number: u32) -> CommitPlan {
    let mut changes = vec![FileChange::Put { path: path(&format!("a/{number}.md")), content: noise(number) }];
    if let Some(before) = number.checked_sub(3) {
        changes.push(FileChange::Remove { path: path(&format!("a/{before}.md")) });
    }
    CommitPlan { time: CommitTime::new(number.into()), message: message(&format!("plan {number}")), changes }
}

fn noise(seed: u32) -> Vec<u8> {
    (0..100u32).flat_map(|i| (seed * 1_000 + i).wrapping_mul(2_654_435_761).to_le_bytes()).collect()
}

#[test]
fn a_plan_prints_as_what_it_does() {
    assert_eq!(plan(3).to_string(), "commit at 3: remember #1: plan 3\n+ a/3.md of 400 bytes\n- a/0.md\n");
}

#[test]
fn an_export_that_breaks_off_goes_on_from_the_last_pack() {
    let options = Options { pack_limit: 5_000, ..Options::default() };
    let plans = |from: u32, to: u32| (from..to).map(|number| Ok::<_, Error>(plan(number)));
    let broken = plans(0, 40).chain([Err(Error::Source)]).chain(plans(40, 60));
    let mut export = Export::new(Writer::new(options, "export"), broken);
    let mut repository = Repository::new();
    let mut errors = Vec::new();
    for part in &mut export {
        part.map_or_else(|error| errors.push(error), |part| repository.save(&part));
    }
    assert_eq!(errors, [Error::Source]);
    assert!(export.next().is_none());
    let done = repository.commits().len();
    assert!((20..40).contains(&done), "{done} commits were visible");
    repository.check_whole();

    let head = Id::from_hex(repository.git(&["rev-parse", "main"]).trim()).unwrap();
    let state = std::fs::read(repository.path().join(STATES).join(head.to_string())).unwrap();
    let writer = Writer::resume(options, head, &state).unwrap();
    let mut export = Export::new(writer, plans(u32::try_from(done).unwrap(), 60));
    (&mut export).for_each(|part| repository.save(&part.unwrap()));
    repository.check();
    let mut whole = Export::new(Writer::new(options, "export"), plans(0, 60));
    (&mut whole).for_each(|part| drop(part.unwrap()));
    assert_eq!(export.into_writer().head(), whole.into_writer().head());
    assert_eq!(repository.commits().len(), 60);
    assert_eq!(repository.git(&["ls-tree", "-r", "--name-only", "main"]), "a/57.md\na/58.md\na/59.md\n");
}

#[test]
fn a_plan_that_can_t_be_made_ends_the_export() {
    let wrong = CommitPlan { changes: vec![FileChange::Remove { path: path("b") }], ..plan(9) };
    let plans = [Ok::<_, Error>(plan(0)), Ok(wrong), Ok(plan(1))];
    let mut export = Export::new(Writer::new(Options::default(), "export"), plans.into_iter());
    let last = (&mut export).last().unwrap();
    assert_eq!(last.unwrap_err(), Error::Git(GitError::Missing { path: "b".to_owned() }));
}
